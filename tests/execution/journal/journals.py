"""What the tests of the journal share: outcomes of every label, and a real play in the arena, told by a door."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.execution.wire.samples import WELCOME, answer, payload, state
from volition.execution import Move, Stop, make_result
from volition.execution.door.door import Door
from volition.execution.door.events import Connected, DoorEvent, Lost
from volition.execution.executor.host import Host
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import ResultFrame
from volition.execution.wire.request import Outcome, Request
from volition.execution.wire.results import UNKNOWN_FAILURE, interpret_result, label_of
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution import Result

CONNECTED = Connected(connection=1, welcome=WELCOME, features=("events", "next_state"))
LOST = Lost(connection=1, reason="eof")


def answered(ticket: int, result: Result | None = None, *, at: Any = None, **more: Any) -> Outcome:
    """A MOVE that was sent and answered."""
    result = result or make_result()
    id = ticket + 10
    usual: dict[str, Any] = {
        "ticket": ticket,
        "purpose": "policy",
        "requested": Request("MOVE", {"vector": [1.0, 0.0, 0.0]}),
        "agent": "hero",
        "sent": Move((1, 0, 0)),
        "connection": 1,
        "id": id,
        "state": state(1) if at is None else at,
        "result": result,
        "label": label_of(result),
        "detail": "",
        "elapsed": 0.000_042,
        "answered": True,
        "line": answer(id, "MOVE", result.to_data())[:-1],
    }
    return Outcome(**(usual | more))


def malformed(ticket: int, sent: Any) -> Outcome:
    """A MOVE whose answer held `sent` in the place of a result."""
    result, label, violations = interpret_result(sent)
    line = encode(ResultFrame(id=ticket + 10, intent="MOVE", result=sent))[:-1]
    return answered(ticket, result, label=label, violations=violations, line=line)


def silent(ticket: int, label: str, **more: Any) -> Outcome:
    """A request that the executor said nothing about."""
    return answered(ticket, UNKNOWN_FAILURE, label=label, answered=False, line=None, **more)


def intercepted(ticket: int, intent: Any, parameters: Any = None) -> Outcome:
    """A request that never crossed the bridge."""
    return silent(ticket, "intercepted", requested=Request.of(intent, parameters), agent=None, sent=None, id=None)


def of_every_label() -> list[Outcome]:
    """One outcome for each label, and one for each purpose, tickets from 1 on."""
    stop: dict[str, Any] = {"sent": Stop(), "requested": Request("STOP"), "agent": None}
    return [
        answered(1, make_result(damage_dealt=25.0)),
        answered(2, make_result("FAILURE", "COOLDOWN")),
        answered(3, make_result("FAILURE", "BLOCKED")),
        answered(4, make_result("FAILURE", "RESOURCE_EXHAUSTED")),
        answered(5, make_result("FAILURE", "INVALID_STATE"), detail="EXPIRED"),
        answered(6, make_result("PARTIAL", damage_received=3.0)),
        answered(7, make_result("FAILURE", "UNKNOWN")),
        silent(8, "timeout", detail="no answer in time"),
        malformed(9, {"status": "DONE"}),
        malformed(10, payload(partial_execution=True)),
        intercepted(11, "DANCE", {"if": "health > 10"}),
        silent(12, "refused_retry", sent=None, id=None),
        answered(13, make_result("FAILURE", "UNKNOWN", is_alive=False), **stop, purpose="instead"),
        answered(14, **stop, purpose="opening"),
        answered(15, **stop, purpose="fallback"),
    ]


def play(tell: Callable[[DoorEvent], None], steps: int, seed: int = 0) -> int:
    """Drive the arena through a door with random requests, some of them nonsense; how many requests were made."""
    chance = random.Random(seed)
    host = Host(ArenaExecutor(Arena(shipped_map("courtyard"), seed=seed)))
    now = 0.0
    door = Door(now=now, tell=tell)
    guest = host.open(now)
    door.connection_made(now)
    asked = 0

    def carry() -> None:
        while True:
            there = door.take()
            if there:
                guest.receive(there, now)
            back = guest.take()
            if back:
                door.receive(back, now)
            if not there and not back:
                return

    carry()
    while asked < steps:
        kind = chance.choice(["MOVE", "MOVE", "PRIMARY_ATTACK", "EVADE", "JUMP", "HOLD", "RELEASE", "STOP", "DANCE"])
        vector = [chance.choice([-1.0, 0.0, 1.0]), chance.choice([-1.0, 0.0, 1.0]), 0.0]
        door.request(kind, {"vector": vector} if kind == "MOVE" else None, now=now, ttl=0.5, agent="hero")
        asked += 1
        for _ in range(chance.randrange(1, 6)):
            carry()
            now += 0.05
            host.step(now)
            door.poll(now)
            carry()
    for _ in range(60):
        now += 0.05
        host.step(now)
        carry()
        door.poll(now)
    door.close(now)
    return asked

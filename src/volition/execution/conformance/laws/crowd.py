"""Many intents at once: rounds in which the whole window is filled with intents of several kinds in one write.

Every turn ends with a STOP. By the contract all that is open has its result before STOP's: what has none then has lost
it, and no clock is needed to say so.
"""

from __future__ import annotations

from math import hypot
from random import Random
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.execution.conformance.connection import ANSWER
from volition.execution.conformance.law import status
from volition.execution.conformance.verdict import NotApplicable, Unoffered
from volition.execution.wire.probe import WireProbe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame
    from volition.execution.wire.probe import Sight, Vector


MOST: Final = 64
"""No more intents than this are open at once, however many the executor allows."""
UNKNOWN_INTENT: Final = "DANCE"
"""Outside the contract: its result is known whatever else is under way."""
ACTS: Final = ("JUMP", "PRIMARY_ATTACK", "EVADE")
NEAR: Final = 3
"""The probe looks every tick; between looks that are further apart than this many, something may be missed."""
_TRIES: Final = 3
_CYCLES: Final = 2
_SOAKING: Final = 8.0
_NEEDED: Final = 15.0
"""Where the run has fewer seconds left, there is no second cycle."""
_OVERDUE: Final = 120
_AFTERMATH: Final = 5
_SOME: Final = 0.3
"""How many of the intents are repeated, and cancelled."""
_MOMENT: Final = 0.05


class Look(Struct, frozen=True):
    """What the probe saw at one point of a turn: at which line of the connection, at which tick."""

    line: int
    tick: Any
    episode: Any
    sight: Sight


class Round(Struct, frozen=True):
    """One filled window: what was sent, what was repeated and cancelled, and what the probe saw meanwhile.

    `looks` are the world before the intents, right after they were sent, and then every tick until all was over.
    """

    kind: str
    connection: KitConnection
    sent: tuple[Frame, ...]
    repeated: frozenset[int]
    cancelled: frozenset[int]
    looks: tuple[Look, ...]
    stop: int

    def results(self, id: int) -> list[Frame]:
        return self.connection.results.get(id, [])

    @property
    def lost(self) -> bool:
        """Whether an intent had no result when STOP had one."""
        return any(not self.results(frame["id"]) for frame in self.sent)

    def seconds_open(self, id: int) -> float:
        """How long the kit waited for a result: the executor has had the intent for no longer than that."""
        about = [logged for logged in self.connection.lines if logged.data is not None and logged.data.get("id") == id]
        asked = next((logged.at for logged in about if logged.by == "kit"), 0.0)
        return next((logged.at - asked for logged in about if logged.by == "executor"), 0.0)

    def line_of_result(self, id: int) -> int:
        """The line of the connection with the first result of an intent; one behind the last where there is none."""
        first = self.results(id)[:1]
        lines = (n for n, logged in enumerate(self.connection.heard) if first and logged.data is first[0])
        return next(lines, len(self.connection.heard))


def crowd(bed: TestBed) -> tuple[Round, ...]:
    """Fill the window again and again, each time ended in another way; Unoffered where there is nothing to fill it with."""
    if not any(map(bed.supports, ("MOVE", "RELEASE", *ACTS))):
        raise Unoffered("the executor offers nothing but STOP and HOLD")
    chance = Random(bed.seed)  # noqa: S311  for tests, not for secrets
    began = bed.clock.monotonic()
    rounds: list[Round] = []
    for cycle in range(_CYCLES):
        for kind in ("walk", *filter(bed.supports, ACTS), "cancel", "stop", "overdue"):
            now = bed.clock.monotonic()
            left = bed.log.waiting.left(now)
            if cycle and (now - began > _SOAKING or (left is not None and left < _NEEDED)):
                break
            rounds.append(_fill(bed, kind, chance, first=cycle > 0))
            if rounds[-1].lost:
                return tuple(rounds)
    # Whatever was leaked is missing in the end.
    rounds.append(_fill(bed, "walk", chance, first=False))
    return tuple(rounds)


def _fill(bed: TestBed, kind: str, chance: Random, *, first: bool) -> Round:
    """One turn."""
    connection = bed.session()
    bed.rest(connection, kind if kind in ACTS else None)
    ways = _ways(bed, connection) if bed.supports("MOVE") and kind not in ACTS else []
    # An executor may answer the requests in a write after its intents: so what was before is asked for before.
    looks, since = _look(bed, connection), len(connection.heard)
    # Ids are counted in the order of sending.
    sent = _intents(bed, connection, kind, ways, chance, first=first)
    moves = [frame["id"] for frame in sent if frame["intent"] == "MOVE"]
    again = [frame for frame in sent if frame["id"] in moves[-1:] or chance.random() < _SOME]
    given_up = [frame["id"] for frame in sent if kind == "cancel" and (frame["id"] in moves or chance.random() < _SOME)]
    stop = [connection.intent("STOP")] if kind == "stop" else []
    after = _Question(bed, connection)
    connection.say(*sent, *again, *({"type": "cancel", "id": id} for id in given_up), *stop, *after.frames)
    looks += [*after.answers(since), *_watch(bed, connection, sent)]
    if kind in {"walk", *ACTS}:
        # What is done a second time, though nobody asked for it, comes to light after the results.
        for _ in range(_AFTERMATH):
            bed.let_pass(connection, 1)
            looks += _look(bed, connection)
    ended = stop[0]["id"] if stop else connection.ask("STOP")
    connection.result(ended)
    connection.state()  # whatever follows STOP's result is heard
    looks += _look(bed, connection)
    repeated = frozenset(frame["id"] for frame in again)
    return Round(kind, connection, sent, repeated, frozenset(given_up), tuple(looks), ended)


def _intents(
    bed: TestBed, connection: KitConnection, kind: str, ways: list[Vector], chance: Random, *, first: bool
) -> tuple[Frame, ...]:
    """The intents of a turn, as many as the window takes, in an order that chance decides; a MOVE is the last.

    In the turn of an act that comes once, before all others or after them, and they do nothing.
    """
    most = min(MOST, bed.limit("max_inflight", 8))
    names = [UNKNOWN_INTENT, *filter(bed.supports, ["RELEASE", *(() if kind in {"walk", *ACTS} else ACTS)])]
    chosen = [names[n % len(names)] if n % 4 or not ways else "MOVE" for n in range(most)]
    chance.shuffle(chosen)
    if kind in ACTS:
        chosen[0 if first else -1] = kind
    elif ways:
        chosen[-1] = "MOVE"
    ttl = {"ttl_ms": _OVERDUE} if kind == "overdue" else {}
    return tuple(
        connection.intent(name, {"vector": list(chance.choice(ways))} if name == "MOVE" else None, **ttl)
        for name in chosen
    )


def _ways(bed: TestBed, connection: KitConnection) -> list[Vector]:
    """Ways for a MOVE that lasts for some ticks; with a probe all in one direction, so that no two lead back to the start."""
    if bed.probe is not None and bed.welcome.get("move_frame") == "relative":
        ways = [way for way in bed.consult(bed.probe.ways, bed.state(connection)) if 0 < max(map(abs, way)) <= 2]
        return [way for way in ways if _direction(way) == _direction(ways[0])]
    return [(2.0, 0.0, 0.0), (-2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, -2.0, 0.0)]


def _direction(way: Vector) -> Vector:
    length = hypot(*way)
    return round(way[0] / length, 6), round(way[1] / length, 6), round(way[2] / length, 6)


def _watch(bed: TestBed, connection: KitConnection, sent: tuple[Frame, ...]) -> Iterator[Look]:
    """Look at the world every tick until every intent has its result, or it is time for a STOP to end them."""
    began = connection.now
    while open_ids := [frame["id"] for frame in sent if frame["id"] not in connection.results]:
        if connection.now > began + connection.patience_for(open_ids):
            break
        yield from _look(bed, connection)
        connection.gather(bed.tick or _MOMENT)


def _look(bed: TestBed, connection: KitConnection) -> list[Look]:
    """The world now, as the probe sees it; nothing without one."""
    question, since = _Question(bed, connection), len(connection.heard)
    connection.say(*question.frames)
    return question.answers(since)


class _Question:
    """Asks what the world looks like: frames to send with others, and what the probe sees in their answers."""

    def __init__(self, bed: TestBed, connection: KitConnection) -> None:
        self._bed, self._talk = bed, connection
        self.frames: list[Frame] = []
        if bed.probe is not None:
            self.frames.append(connection.state_request())
        if isinstance(bed.probe, WireProbe):
            self.frames.append({"type": "probe.read", "id": connection.next_id()})

    def answers(self, since: int) -> list[Look]:
        """Wait for the answers; none where nothing was asked."""
        if not self.frames:
            return []
        connection, request = self._talk, self.frames[0]["id"]
        state = connection.await_frame("state", 2 * ANSWER, since=since, id=request)
        data = state.get("data")
        if len(self.frames) > 1:
            data = connection.await_frame("probe.sight", 2 * ANSWER, since=since, id=self.frames[1]["id"])
        line = next(n for n, logged in enumerate(connection.heard[since:], since) if logged.data is state)
        sight = self._bed.read({**state, "data": data})
        return [Look(line, state.get("tick"), state.get("episode"), sight)]


def shows(bed: TestBed, name: str, before: Sight, after: Sight) -> bool:
    """Whether the world shows a trace of an act: it cools down, or it has moved the actor."""
    if name in after.cooling and name not in before.cooling:
        return True
    return not after.grounded if name == "JUMP" else name == "EVADE" and not bed.same_place(before, after)


def leaves_trace(bed: TestBed, name: str) -> bool:
    """Whether an act that is done alone leaves a trace that lasts: only then can it be missing among others."""
    for _ in range(_TRIES):
        connection = bed.session()
        try:
            state, before = bed.free_for(connection, name)
        except NotApplicable:
            return False
        answer = connection.do(name)
        if status(answer) == "SUCCESS":
            bed.let_pass(connection, NEAR)
            return shows(bed, name, before, bed.see(connection))
        bed.step_aside(connection, state)
    return False

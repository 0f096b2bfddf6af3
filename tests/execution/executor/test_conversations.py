"""Intents of a game's own and episodes, as the conversations of `declared.json` have them; the Java module's tests hold the
same ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.execution.quarry import Quarry
from tests.execution.wire.samples import lines
from volition.execution import Declaration, Ended, RequestMemory, Stop, make_result
from volition.execution.conformance.protocol import VECTORS
from volition.execution.executor.host import Host
from volition.execution.wire import frames as f

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution import About, IncomingIntent
    from volition.execution.executor.contract import News

DECLARED = json.loads((VECTORS / "declared.json").read_text("ascii"))
CONVERSATIONS: dict[str, list[dict[str, Any]]] = {each["name"]: each["steps"] for each in DECLARED["conversations"]}


@dataclass
class Digger(Quarry):
    """The game of the vectors: DIG ends at once, and the state counts what was dug."""

    begun: tuple[int, ...] = ()

    @property
    def about(self) -> About:
        return replace(super().about, declares=msgspec.convert(DECLARED["declares"], tuple[Declaration, ...]))

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        self.begun += (attempt.id,)
        if isinstance(attempt.intent, Stop):
            return [Ended(attempt, make_result())]
        if attempt.intent.name == "LISTEN":
            return super().attempt(attempt)
        at = attempt.intent.parameters["at"]
        if at[0] == 0:
            return [Ended(attempt, make_result("FAILURE", "BLOCKED"))]
        self.dug.append(tuple(at))
        return [Ended(attempt, make_result())]

    def state(self, *, full: bool) -> Any:
        return {"dug": len(self.dug), "seed": self.seed}


def said(frame: f.Frame) -> list[Any] | None:
    """A frame as the vectors write it; None for a ping."""
    match frame:
        case f.ResultFrame(id=id, intent=name, result=result, detail=detail):
            return [id, name, result["status"], result["failure_reason"], detail]
        case f.StateFrame(id=id, data=data):
            return ["state", id, data]
        case f.Progress(id=id, stage=stage):
            return ["progress", id, stage]
        case f.Pong(open=open_ids):
            return ["pong", [*open_ids]]
        case f.ErrorFrame(code=code, id=id):
            return ["error", code, id]
    assert isinstance(frame, f.Ping)
    return None


def in_parts(answers: list[list[Any]]) -> list[list[str]]:
    """The answers before, between and after the states, each part in one order, and each state as a part."""
    parts: list[list[str]] = [[]]
    for answer in answers:
        if answer[0] == "state":
            parts += [[json.dumps(answer)], []]
        else:
            parts[-1].append(json.dumps(answer))
    return [sorted(part) for part in parts]


@pytest.mark.req("EX-24", "EX-25")
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_of_the_vectors(tmp_path: Path, name: str) -> None:
    """Every answer is the one of the vectors, and nothing is attempted but what they say."""
    game, now = Digger(), 0.0
    with RequestMemory(tmp_path / "requests") as memory:
        host = Host(game, requests=memory)
        guest = host.open(now)
        for step in CONVERSATIONS[name]:
            game.begun = ()
            match step["do"]:
                case "greet":
                    guest = host.open(now)
                    guest.receive(step["line"].encode() + b"\n", now)
                    assert isinstance(lines(guest.take())[0], f.Welcome)
                case "write":
                    guest.receive("".join(f"{line}\n" for line in step["lines"]).encode(), now)
                case "wait":
                    now += step["ms"] / 1000
                    host.step(now)
                case "hang up":
                    guest.end(now)
                    guest.take()
            found = [answer for frame in lines(guest.take()) if (answer := said(frame)) is not None]
            assert in_parts(found) == in_parts(step.get("answers", []))
            assert [*game.begun] == step.get("attempts", [])

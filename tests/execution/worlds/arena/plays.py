"""Plays of the arena: random small maps and random calls, with all of their outcomes written down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from volition.execution.worlds.arena import Arena, ArenaMap
from volition.execution.worlds.arena.ground import parse_map

if TYPE_CHECKING:
    from volition.execution.wire.results import Result
    from volition.execution.worlds.arena.attempts import FinishedIntent

State = dict[str, Any]
Call = tuple[Any, ...]

BARE = ("PRIMARY_ATTACK", "EVADE", "HOLD", "RELEASE", "STOP", "JUMP")


@dataclass
class Moment:
    """One call of the arena: the states around it, what it was, and what it brought."""

    call: Call
    before: State
    after: State
    results: tuple[FinishedIntent, ...]
    events: tuple[dict[str, Any], ...]


@dataclass
class Play:
    """An arena that writes down what happens to it; intents are numbered from 1."""

    arena: Arena
    moments: list[Moment] = field(default_factory=list)
    ids: int = 0
    seed: int = field(init=False)
    """The first one; a reset may set another."""

    def __post_init__(self) -> None:
        self.seed = self.arena.seed

    def do(self, *call: Any) -> Moment:
        """("step",), ("cancel", id), ("reset", seed), or ("attempt", name, params, how old its state is)."""
        before = self.arena.state()
        match call:
            case ("attempt", name, params, age):
                self.ids += 1
                based_on = None if age is None else self.arena.seq - age
                report = self.arena.attempt(name, params, self.ids, based_on)
            case ("cancel", id):
                report = self.arena.cancel(id)
            case ("reset", seed):
                report = self.arena.reset(seed)
            case _:
                report = self.arena.step()
        moment = Moment(call, before, self.arena.state(), report.results, report.events)
        self.moments.append(moment)
        return moment

    def attempt(self, name: str, *vector: float) -> Moment:
        return self.do("attempt", name, {"vector": list(vector)} if vector else None, None)

    def steps(self, count: int) -> list[Moment]:
        return [self.do("step") for _ in range(count)]

    def until_result(self, most: int = 200) -> Result:
        """Step until something ends; its result."""
        for _ in range(most):
            if results := self.do("step").results:
                return results[0].result
        raise AssertionError("nothing ended")


def room(*rows: str) -> ArenaMap:
    """A map of these rows, without their border."""
    border = "#" * (len(rows[0]) + 2)
    return parse_map("\n".join(["name: room", border, *(f"#{row}#" for row in rows), border]))


def play(*rows: str, seed: int = 0, **settings: Any) -> Play:
    return Play(Arena(room(*rows), seed, **settings))


@st.composite
def maps(draw: st.DrawFn) -> ArenaMap:
    """Small rooms, crowded with walls, hazards and beams; either body has one place to start, or several."""
    width, height = draw(st.integers(2, 7)), draw(st.integers(2, 6))
    tiles = draw(st.lists(st.sampled_from("....#~-"), min_size=width * height, max_size=width * height))
    starts = draw(st.lists(st.integers(0, width * height - 1), min_size=2, max_size=4, unique=True))
    for number, start in enumerate(starts):
        tiles[start] = "@&"[number % 2]
    return room(*("".join(tiles[row * width : (row + 1) * width]) for row in range(height)))


_part = st.one_of(st.floats(-3, 3), st.integers(-4, 4))
_move = st.tuples(_part, _part, st.sampled_from([0, 0, 0, 0, 0.0004, 1])).map(lambda v: ("MOVE", {"vector": list(v)}))
_odd = st.sampled_from([("MOVE", None), ("MOVE", {"vector": [1, 2]}), ("DANCE", None), ("JUMP", {"high": True})])
_intent = st.one_of(_move, _move, st.sampled_from([(name, None) for name in BARE]), _odd)
_attempt = st.tuples(_intent, st.sampled_from([None, None, 0, 1, 3])).map(lambda a: ("attempt", *a[0], a[1]))
_steps = st.integers(1, 12).map(lambda count: [("step",)] * count)
seeds = st.integers(0, 2**53 - 1)
_other = st.one_of(st.integers(1, 20).map(lambda id: ("cancel", id)), seeds.map(lambda seed: ("reset", seed)))
_some = st.lists(st.one_of(_attempt.map(lambda a: [a]), _steps, _steps, _other.map(lambda o: [o])), max_size=40)
calls = _some.map(lambda some: [call for few in some for call in few])
"""Calls of an arena, for `Play.do`."""


@st.composite
def plays(draw: st.DrawFn) -> Play:
    """A random play, played to its end."""
    made = Play(Arena(draw(maps()), draw(seeds), draw(st.sampled_from([50, 400, 2000]))))
    for call in draw(calls):
        made.do(*call)
    return made

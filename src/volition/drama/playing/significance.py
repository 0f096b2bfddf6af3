"""Which acts mattered: for each of them the evening is played without it, and the outcomes are compared.

An act is forbidden at its tick, its person does the next best thing, and everything else follows; all draws that do not
belong to the difference stay the same. So the answer is exact, and the same every time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.drama.audience.deeds import describe_instead
from volition.drama.audience.prose import short_names
from volition.drama.comparison import beliefs, departures
from volition.drama.rules.catalog import CATASTROPHE, LEAVE
from volition.drama.stage.interference import Interference
from volition.drama.stage.record import BROKEN_OFF, Run
from volition.drama.stage.replay import state_at
from volition.drama.stage.run import finish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from volition.drama.evening.world import WorldState
    from volition.drama.playing.cast import Cast
    from volition.drama.stage.events import Event
    from volition.drama.stage.stage import Stage

MOST: Final = 60
"""The most acts that are examined unless more are asked for."""
WEIGHTS: Final[Mapping[str, float]] = {"beliefs": 0.35, "bonds": 0.35, "left": 0.15, "ending": 0.15}
"""What each difference counts; all together 1."""
FULL: Final = 0.25
"""The share of beliefs, and the mean change of bonds, from which on everything counts as different."""


class EveningOutcome(Struct, frozen=True):
    """How an evening came out: its last state, and the kind of its ending."""

    world: WorldState
    ending: str


class ActSignificance(Struct, frozen=True):
    """What one act changed: each difference from 0 to 1, their weighted sum, and what would have been without it.

    `instead` is what its person would have done; `beliefs` are (who, secret, with it, without it), `left` the people who
    would have left and did not, or the other way round, and `ending` is the one without it.
    """

    event: Event
    act: str
    score: float
    differences: Mapping[str, float]
    instead: str | None
    beliefs: tuple[tuple[str, str, str, str], ...]
    left: tuple[str, ...]
    ending: str

    def to_data(self) -> dict[str, Any]:
        """All of it as JSON-compatible data."""
        event = self.event
        whose = {"tick": event.tick, "minutes": event.minutes, "event": event.id, "agent": event.source}
        without = {"beliefs": [list(belief) for belief in self.beliefs], "left": list(self.left), "ending": self.ending}
        differences = {"significance": self.score, "differences": dict(self.differences)}
        return {**whose, "act": self.act, **differences, "instead": self.instead, **without}


def significance(
    cast: Cast, *, most: int = MOST, everything: bool = False, progress: Callable[[int, int], None] | None = None
) -> tuple[ActSignificance, ...]:
    """The acts of an evening by what they changed, the most significant first.

    Examined are dramatic acts, acts that made a person believe something, and departures; with `everything` all
    acts that are events. If there are more than `most`, the dramatic ones come first, then the earlier ones.
    """
    run = cast.run
    chosen = sorted(acts_of(run, everything=everything), key=lambda act: (not act.is_dramatic, act.tick))[:most]
    came = EveningOutcome(state_at(run, run.last), BROKEN_OFF if run.ending is None else run.ending.kind)
    branches = [_Branch(cast, event) for event in chosen]
    compared = []
    for number, (event, branch, without) in enumerate(zip(chosen, branches, _outcomes(branches), strict=True), 1):
        compared.append(_compare(event, branch, came, without))
        if progress is not None:
            progress(number, len(chosen))
    return tuple(sorted(compared, key=lambda act: (-act.score, act.event.tick, act.event.order)))


def acts_of(run: Run, *, everything: bool = False) -> Iterator[Event]:
    """The events that people chose, as far as they are examined; each is the only one of its person and tick."""
    for record in run.ticks:
        seen: set[str] = set()
        for event in record.events:
            if event.type == CATASTROPHE or "heard" in event.details or event.source in seen:
                continue
            if event.source not in record.choices:
                continue
            seen.add(event.source)
            taught = any(delta.kind == "belief" for delta in event.deltas)
            if everything or event.is_dramatic or taught or event.manner == LEAVE:
                yield event


class _Branch:
    """An evening from the tick of an act on, in which it is forbidden."""

    def __init__(self, cast: Cast, event: Event) -> None:
        run, at = cast.run, event.tick
        self.act = run.ticks[at - run.first].choices[event.source].id
        changes = [
            change
            for change in run.interference
            if (change.at, change.agent, change.kind) != (at, event.source, "force")
        ]
        veto = Interference(at, "veto", event.source, self.act)
        begun = replace(run, ticks=run.ticks[: at - run.first], ending=None, interference=(*changes, veto))
        mind = cast.branching
        counsel = cast.recorded_counsel
        self.stage: Stage = cast.stage(at, mind, counsel, begun.interference)
        record = self.stage.tick()
        self.begun = replace(begun, ticks=(*begun.ticks, record))
        choice = record.choices.get(event.source)
        self.instead = None if choice is None else choice.id
        self.ticks = None if run.is_over else run.last
        interfered = any(change.at > at for change in changes)
        self.is_plain = mind.is_plain and not mind.minds and counsel is None and not interfered


def _outcomes(branches: Sequence[_Branch]) -> Iterator[EveningOutcome]:
    """How branches come out: compiled, all at once, where compiled code is available; the results are the same."""
    if branches and all(branch.is_plain for branch in branches):
        from volition.drama.evening.players import fits  # noqa: PLC0415  arrays are loaded where they are needed

        scenario = branches[0].begun.scenario
        if fits(scenario):
            from volition.drama.evening.compiled import is_kept  # noqa: PLC0415
            from volition.drama.evening.players import check_size  # noqa: PLC0415

            if is_kept(check_size(scenario)):
                yield from _outcomes_compiled(branches)
                return
    for branch in branches:
        run = finish(branch.begun, branch.stage, branch.ticks)
        assert run.ending is not None
        yield EveningOutcome(branch.stage.world, run.ending.kind)


def _outcomes_compiled(branches: Sequence[_Branch]) -> Iterator[EveningOutcome]:
    import numpy as np  # noqa: PLC0415

    from volition.drama.evening.names import endings_of, names_of  # noqa: PLC0415
    from volition.drama.evening.players import ALL_STEPS, CompiledPlayer  # noqa: PLC0415
    from volition.drama.evening.record import read_packed, write_packed  # noqa: PLC0415
    from volition.drama.evening.state import EveningState  # noqa: PLC0415
    from volition.drama.evening.world import WorldState  # noqa: PLC0415

    scenario, ticks = branches[0].begun.scenario, branches[0].ticks
    player = CompiledPlayer(scenario)
    states = np.zeros(len(branches), player.state_type)
    for number, branch in enumerate(branches):
        write_packed(states[number], branch.stage.evening, EveningState, player.sizes)
    stops, endings = np.zeros(len(branches), np.int64), np.zeros(len(branches), np.int64)
    most = scenario.evening.ticks if ticks is None else min(ticks, scenario.evening.ticks)
    player.play(states, player.new_log(logged=False), most, ALL_STEPS, False, stops, endings)
    for state, kind in zip(states, endings.tolist(), strict=True):
        yield EveningOutcome(
            WorldState(read_packed(state, EveningState, player.sizes), names_of(scenario)), endings_of(scenario)[kind]
        )


def _compare(event: Event, branch: _Branch, came: EveningOutcome, without: EveningOutcome) -> ActSignificance:
    here = came.world.agents
    changed = tuple((*whose, *pair) for whose, pair in beliefs(came.world, without.world))
    left = tuple(who for who, _ in departures(came.world, without.world))
    pairs = sum(len(me.beliefs) for me in here.values())
    differences = {
        "beliefs": min(1.0, len(changed) / max(1, pairs) / FULL),
        "bonds": min(1.0, bond_change(came.world, without.world) / FULL),
        "left": len(left) / len(here),
        "ending": float(came.ending != without.ending),
    }
    score = sum(WEIGHTS[name] * differences[name] for name in WEIGHTS)
    return ActSignificance(event, branch.act, score, differences, branch.instead, changed, left, without.ending)


def describe_without(run: Run, act: ActSignificance) -> list[str]:
    """What would have been without an act, as sentences without full stops; none, if it would be much the same."""
    scenario, names = run.scenario, short_names(run.scenario)
    without = [describe_instead(scenario, act.event.source, act.instead)] if act.instead is not None else []
    gone = {event.source for event in run.events if event.manner == LEAVE}
    without += [f"{names[who]} would {'stay' if who in gone else 'leave'}" for who in act.left]
    if act.beliefs:
        without.append(f"{len(act.beliefs)} belief{'s' if len(act.beliefs) > 1 else ''} would differ")
    if run.ending is None or act.ending != run.ending.kind:
        without.append(f"it would end otherwise ({act.ending.replace('_', ' ')})")
    return without


def bond_change(here: WorldState, there: WorldState) -> float:
    """How far bonds differ between two states: the mean over all pairs of trust, affection and grievance."""
    changes = [
        change
        for who, me in here.agents.items()
        for whom, bond in me.bonds.items()
        for change in (
            abs(bond.trust - there.agents[who].bonds[whom].trust),
            abs(bond.affection - there.agents[who].bonds[whom].affection),
            abs(me.grievance.get(whom, 0.0) - there.agents[who].grievance.get(whom, 0.0)),
        )
    ]
    return sum(changes) / max(1, len(changes))

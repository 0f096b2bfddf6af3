"""Two evenings compared: where they diverge, and how their outcomes differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from volition.drama.rules.catalog import CATASTROPHE, Belief
from volition.drama.stage.replay import state_at
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Ending
    from volition.drama.stage.record import Run

LEAST_TRUST = 0.1
"""The smallest difference in trust that is reported."""


class Comparison(Struct, frozen=True):
    """What is different between two evenings of one scenario.

    `parted` is the first tick that differs, or None; `choices` are the first choices that differ, as (tick, person, here,
    there). The rest is the outcome, in pairs of the first evening's value and the second's: endings, who broke, who left,
    final beliefs, and trust.
    """

    parted: int | None
    choices: tuple[tuple[int, str, str | None, str | None], ...]
    endings: tuple[Ending | None, Ending | None]
    events: tuple[int, int]
    broke: tuple[tuple[str, ...], tuple[str, ...]]
    left: Mapping[str, tuple[bool, bool]]
    beliefs: Mapping[tuple[str, str], tuple[str, str]]
    trust: Mapping[tuple[str, str], tuple[float, float]]

    def to_data(self) -> dict[str, Any]:
        """The comparison as JSON-compatible data."""
        return {
            "parted": self.parted,
            "choices": [list(choice) for choice in self.choices],
            "endings": [None if ending is None else structs.asdict(ending) for ending in self.endings],
            "events": list(self.events),
            "broke": [list(broke) for broke in self.broke],
            "left": {who: list(pair) for who, pair in self.left.items()},
            "beliefs": [[*key, *pair] for key, pair in self.beliefs.items()],
            "trust": [[*key, *pair] for key, pair in self.trust.items()],
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.parted is None:
            yield "the evenings are the same"
            return
        yield f"the evenings part at tick {self.parted}"
        for tick, who, here, there in self.choices:
            yield f"  tick {tick}: {who} chose {there or 'nothing'} instead of {here or 'nothing'}"
        here_end, there_end = (ending.kind if ending is not None else "unfinished" for ending in self.endings)
        yield f"ending: {_format_pair(here_end, there_end)}"
        yield f"events: {_format_pair(*map(str, self.events))}"
        yield "broke: " + _format_pair(*(", ".join(names) or "nobody" for names in self.broke))
        for who, (here_left, _) in self.left.items():
            yield f"{who}: {'stayed instead of leaving' if here_left else 'left instead of staying'}"
        for (who, secret), pair in self.beliefs.items():
            yield f"{who} on {secret}: {_format_pair(*pair)}"
        for (who, whom), (here_trust, there_trust) in self.trust.items():
            yield f"trust of {who} in {whom}: {there_trust:+.2f} instead of {here_trust:+.2f}"


def _format_pair(here: str, there: str) -> str:
    return f"{there}, as before" if here == there else f"{there} instead of {here}"


def compare(here: Run, there: Run, most: int = 6) -> Comparison:
    """Compare two runs of one scenario; at most `most` choices are listed."""
    ends = [state_at(run, run.last) for run in (here, there)]
    return Comparison(
        first_difference(here, there),
        tuple(_choices(here, there))[:most],
        (here.ending, there.ending),
        (len(here.events), len(there.events)),
        (_broken_people(here), _broken_people(there)),
        dict(departures(*ends)),
        dict(beliefs(*ends)),
        dict(_trust(*ends)),
    )


def first_difference(here: Run, there: Run) -> int | None:
    """The first tick in which two runs differ, or that only one of them has; None if they are equal."""
    for ours, theirs in zip(here.ticks, there.ticks, strict=False):
        if ours != theirs:
            return ours.tick
    longer = max(here.ticks, there.ticks, key=len)
    shorter = min(here.ticks, there.ticks, key=len)
    return None if len(longer) == len(shorter) else longer[len(shorter)].tick


def _choices(here: Run, there: Run) -> Iterator[tuple[int, str, str | None, str | None]]:
    for ours, theirs in zip(here.ticks, there.ticks, strict=False):
        for who in sorted(ours.choices.keys() | theirs.choices.keys()):
            here_choice, there_choice = ours.choices.get(who), theirs.choices.get(who)
            pair = (
                here_choice.id if here_choice is not None else None,
                there_choice.id if there_choice is not None else None,
            )
            if pair[0] != pair[1]:
                yield ours.tick, who, *pair


def _broken_people(run: Run) -> tuple[str, ...]:
    return tuple(event.source for event in run.events if event.type == CATASTROPHE)


def departures(here: WorldState, there: WorldState) -> Iterator[tuple[str, tuple[bool, bool]]]:
    """Those who have left in one of two states alone, and in which."""
    for who in here.agents:
        pair = here.agents[who].location == DEPARTED, there.agents[who].location == DEPARTED
        if pair[0] != pair[1]:
            yield who, pair


def beliefs(here: WorldState, there: WorldState) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """The beliefs that differ between two states, by person and secret, each by its names in both."""
    for who, me in here.agents.items():
        for secret, belief in me.beliefs.items():
            other = there.agents[who].beliefs[secret]
            if belief != other:
                yield (who, secret), (Belief(belief).name.lower(), Belief(other).name.lower())


def _trust(here: WorldState, there: WorldState) -> Iterator[tuple[tuple[str, str], tuple[float, float]]]:
    for who, me in here.agents.items():
        for whom, bond in me.bonds.items():
            other = there.agents[who].bonds[whom]
            if abs(bond.trust - other.trust) >= LEAST_TRUST:
                yield (who, whom), (bond.trust, other.trust)

"""Moments of the recorded evening that tests look at, found in it: no test knows what happens when under the rules of today."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from volition.drama.audience.prose import short_names
from volition.drama.rules.catalog import Belief, EventType
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.playing.evening import Evening
    from volition.drama.stage.events import Event

KEPT = 0.26
"""A share of a slider a little above the original weight, which is a quarter of it."""
LOST = 0.1
"""A share of a slider below the weights that keep the winner of a `CloseChoice`."""
FEW = 12
"""How many candidates a page shows at first."""


@dataclass(frozen=True, slots=True)
class CloseChoice:
    """A choice that happened as it was meant, among many candidates, with a weight that changes it when it is lowered."""

    tick: int
    agent: str
    name: str
    act: str
    towards: tuple[str, ...]
    weight: str

    @property
    def query(self) -> str:
        return f"tick={self.tick}&agent={self.agent}"


def close_choice(evening: Evening) -> CloseChoice:
    """The first of the evening, by somebody to somebody, to which the situation added something."""
    names = short_names(evening.scenario)
    for event in meant_events(evening):
        decision = evening.decision(event.tick, event.source)
        act = decision.id
        if act is None or len(decision.tally.survivors) <= FEW or not evening.situation(event.tick, event.source, act):
            continue
        for weight, found in decision.sensitivity().ranges.items():
            least, most = 4 * LOST * found.weight, 4 * KEPT * found.weight
            if weight != "noise" and (found.low or 0.0) > least and (found.high is None or found.high > most):
                towards = tuple(names[one] for one in event.targets)
                return CloseChoice(event.tick, event.source, names[event.source], act, towards, weight)
    raise AssertionError("no weight changes any choice of this evening: record one of another seed")


def meant_events(evening: Evening) -> Iterator[Event]:
    """Events towards somebody that are what their source chose."""
    for event in evening.events:
        choice = evening.run.ticks[event.tick - evening.first].choices.get(event.source)
        if event.targets and choice is not None and choice.became == "done":
            yield event


@dataclass(frozen=True, slots=True)
class Lesson:
    """The only belief that a tick changes; `row` and `column` are its place in the table of beliefs."""

    tick: int
    row: int
    column: int
    before: str
    after: str


def only_lesson(evening: Evening) -> Lesson:
    """The first tick of the evening that changes exactly one belief."""
    people, secrets = list(evening.scenario.people), list(evening.scenario.secrets)
    for tick in range(evening.first, evening.last):
        here = [event for event in evening.events if event.tick == tick]
        found = [one for event in here for one in event.deltas if one.kind == "belief"]
        if len(found) == 1:
            before, after = (
                Belief(evening.state(at).agents[found[0].agent].beliefs[found[0].key]) for at in (tick, tick + 1)
            )
            row, column = secrets.index(found[0].key), people.index(found[0].agent)
            return Lesson(tick, row, column, before.name.lower(), after.name.lower())
    raise AssertionError("no tick changes one belief only: record an evening of another seed")


@dataclass(frozen=True, slots=True)
class Walk:
    """Somebody goes to another room in a tick."""

    tick: int
    agent: str
    room: str


def first_walk(evening: Evening) -> Walk:
    """The first walk of the evening."""
    states = (evening.state(tick) for tick in range(evening.first, evening.last + 1))
    for before, after in pairwise(states):
        for agent, now in after.agents.items():
            if now.location not in {before.agents[agent].location, DEPARTED}:
                return Walk(before.tick, agent, evening.scenario.rooms[now.location].name)
    raise AssertionError("nobody goes anywhere: record an evening of another seed")


def dramatic_ticks(evening: Evening) -> list[int]:
    """The ticks in which something dramatic happens."""
    return sorted({event.tick for event in evening.events if event.is_dramatic})


def first_lie(evening: Evening) -> Event:
    """The first lie of the evening that its teller chose."""
    return next(event for event in meant_events(evening) if event.type is EventType.LIE)


def gone_at_the_end(evening: Evening) -> set[str]:
    """Who has left when the evening is over."""
    return {agent for agent, state in evening.state(evening.last).agents.items() if state.location == DEPARTED}


@dataclass(frozen=True, slots=True)
class Idle:
    """Somebody who does not choose in the last tick; `last` is the last one in which they do."""

    agent: str
    name: str
    last: int


def without_choice(evening: Evening) -> Idle:
    """The first person who has chosen something and does not choose in the last tick."""
    names = short_names(evening.scenario)
    for agent in evening.scenario.people:
        chosen = [tick for tick, one in enumerate(evening.run.ticks, evening.first) if agent in one.choices]
        if chosen and chosen[-1] < evening.last - 1:
            return Idle(agent, names[agent], chosen[-1])
    raise AssertionError("everybody chooses to the last: record an evening of another seed")


def linked_event(evening: Evening) -> tuple[Event, Event]:
    """The first event towards somebody with a cause and an effect, and the next event; both were chosen."""
    meant = {event.id for event in meant_events(evening)}
    caused = {cause for event in evening.events for cause in event.causes}
    return next(
        (one, two)
        for one, two in pairwise(evening.events)
        if one.causes and {one.id, two.id} <= meant and one.id in caused
    )


def named(evening: Evening, event: Event) -> list[str]:
    """The short names of those who take part in an event."""
    names = short_names(evening.scenario)
    return [names[one] for one in (event.source, *event.targets)]

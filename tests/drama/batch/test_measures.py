"""Measures: measuring does not change an evening, and the numbers are those of its record."""

from __future__ import annotations

import pickle
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from tests.drama.batch.meter import Meter
from tests.drama.batch.onlooker import Onlooker
from tests.drama.doctor.records import PARTY
from volition.drama.audience.tension import tension
from volition.drama.batch.measures import Spread
from volition.drama.evening.look import HUNG
from volition.drama.mind.mind import Mind
from volition.drama.stage.replay import advance, steps
from volition.drama.stage.run import run
from volition.drama.world.model import DEPARTED
from volition.drama.world.scenario import literal
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from volition.arbitration import Decision
    from volition.drama.batch.measures import Measures
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Action

pytestmark = pytest.mark.req("DE-13", "DE-19")
SEED = 4


@pytest.fixture(scope="module")
def played() -> Run:
    return run(PARTY, SEED)


@pytest.fixture(scope="module")
def measures() -> Measures:
    meter = Meter(PARTY, ticks=20)
    meter.measure(SEED + 1)
    meter.ticks = None
    return meter.measure(SEED)


def test_the_same_evening(played: Run, measures: Measures) -> None:
    """Measuring changes nothing, and one measurement does not affect the next."""
    assert played.ending is not None
    assert (measures.seed, measures.minutes, measures.ending) == (SEED, played.ending.minutes, played.ending.kind)
    assert measures.ticks == len(played.ticks)
    names = [event.type.name for event in played.events]
    assert measures.events == {name: names.count(name) for name in sorted(set(names))}
    assert measures.looks.decisions == sum(len(record.choices) for record in played.ticks)
    chosen = [choice.id for record in played.ticks for choice in record.choices.values()]
    assert measures.looks.won["SOCIAL_MOVE"] == sum(id.startswith("move:") for id in chosen)
    assert measures.looks.winners == Spread.of(
        [choice.score for record in played.ticks for choice in record.choices.values()]
    )


def test_events(played: Run, measures: Measures) -> None:
    """The counts of events are those of the record."""
    drama = {"REVEAL", "CONFLICT", "CONFIDE", "LIE"}
    assert measures.first_drama == min(event.tick for event in played.events if event.type.name in drama)
    assert measures.dramatic_acts == sum(event.type.name in drama for event in played.events)
    assert set(measures.rooms) == {event.room for event in played.events if event.type.name != "SOCIAL_MOVE"}
    broke = [(event.source, event.minutes) for event in played.events if "breakdown" in event.details]
    assert list(measures.catastrophes) == broke
    assert measures.left == played.left
    assert measures.glasses > len(PARTY.people)


def test_rooms() -> None:
    """A room that people only walk through is not counted as used."""
    short = apply_settings(literal(PARTY), [Setting("evening.ticks", None, 25)])
    events = run(short, 5).events
    walked = {event.room for event in events}
    used = {event.room for event in events if event.type.name != "SOCIAL_MOVE"}
    assert set(Meter(short).measure(5).rooms) == used < walked


def test_halves(played: Run, measures: Measures) -> None:
    """The halves of an evening are halves of its minutes, and their tension is the mean without the clock."""
    early: list[float] = []
    late: list[float] = []
    for moment in tension(played):
        (early if moment.minutes < measures.minutes / 2 else late).append(moment.value_without_clock)
    assert measures.tension == pytest.approx((sum(early) / len(early), sum(late) / len(late)))


def test_rows(played: Run, measures: Measures) -> None:
    """The longest series and the share of repeats are those of everybody's acts in order."""
    rows = []
    for who in PARTY.people:
        chosen = [record.choices[who] for record in played.ticks if who in record.choices]
        done = [choice.id if choice.became == "done" else choice.became for choice in chosen]
        rows += [(len(list(same)), who, act) for act, same in groupby(done)]
    assert (measures.row.times, measures.row.who, measures.row.act) in rows
    assert measures.row.times == max(times for times, _, _ in rows)
    assert measures.repeats == pytest.approx(1 - len(rows) / sum(times for times, _, _ in rows))


def test_strain(played: Run, measures: Measures) -> None:
    """Composure and potential are the extremes of everybody's states until they leave."""
    lowest = {who: [person.composure] for who, person in PARTY.people.items()}
    nearest = {who: [0.0] for who in PARTY.people}

    world = played.opening_state()
    for record in played.ticks:
        advance(world, record)
        for who, me in world.agents.items():
            if me.location != DEPARTED:
                pacing = me.pacing
                lowest[who].append(pacing.composure)
                nearest[who].append(pacing.stress * pacing.commitment**2 + 0.03 * pacing.suppression_count)

    assert measures.composure == {who: min(values) for who, values in lowest.items()}
    assert measures.potential == pytest.approx({who: max(values) for who, values in nearest.items()})


def test_looks(played: Run) -> None:
    """An onlooker's numbers for a decision are those that the decision itself gives."""
    onlooker, mind = Onlooker(PARTY), Mind(PARTY)
    asked: list[Decision[Action]] = []
    for world, record in steps(played):
        if record.tick % 7 == 0:
            for who in record.choices:
                onlooker.decide(world, who, SEED)
                asked.append(mind.decide(world, who, SEED))
    looks = onlooker.looks()
    assert looks.decisions == len(asked) > 60
    for term in HUNG:
        assert looks.hung[term] == sum(decision.what_if(without=term).changed for decision in asked) > 0
    traces = [decision.trace for decision in asked]
    assert looks.gaps == Spread.of([decision.margin or 0.0 for decision in asked])
    assert looks.all == Spread.of([total for trace in traces for total in trace.totals])
    internal = [dict(zip(trace.survivors, trace.totals, strict=True))["internal"] for trace in traces]
    assert looks.internal == Spread.of(internal)
    drama = ("reveal:", "conflict:", "confide:", "lie:", "physical:slam", "physical:break_with:")
    best = [
        max(totals)
        for trace in traces
        if (totals := [total for id, total in zip(trace.survivors, trace.totals, strict=True) if id.startswith(drama)])
    ]
    assert looks.dramatic == Spread.of(best)
    biases = [
        abs(trace.contributions[trace.survivors.index(decision.id or "")][trace.voters.index("flaws")])
        for decision, trace in zip(asked, traces, strict=True)
    ]
    assert looks.biases == Spread.of(biases)


def test_small_and_plain(measures: Measures) -> None:
    """Measures can be pickled: they come back equal, and are small."""
    sent = pickle.dumps(measures)
    assert pickle.loads(sent) == measures
    assert len(sent) < 20_000

"""The mind on the specification's own characters: the golden values of tick 0 and both worked traces."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.drama.party import AFFAIR, DEBT, IDS, INVESTIGATION, party
from tests.drama.stage.scenes import act, asked, done
from tests.drama.traces import ELENA, GOLDEN, PULL, VICTOR, Trace
from tests.drama.worlds import moved_to
from volition.arbitration.why_answers import NotOffered
from volition.drama.evening.world import begin
from volition.drama.mind.mind import Mind
from volition.drama.rules.catalog import EventType
from volition.drama.world.model import Commitment
from volition.drama.world.scenario import literal, scenario

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Person, Secret

SECTION_3 = ("utility", "flaws", "pacing", "bonds")
NEAR = 1e-12


def scored(world: WorldState, id: str) -> dict[str, dict[str, float]]:
    """The mind's terms, without noise, for everything that somebody might do."""
    trace = Mind(world.scenario).decide(world, id).trace
    assert trace.vetoed == ()
    return {
        name: dict(zip(trace.voters, row, strict=True))
        for name, row in zip(trace.survivors, trace.contributions, strict=True)
    }


def printed_total(terms: dict[str, float]) -> float:
    """The total as section 3 adds it up: without alcohol and movement."""
    return sum(terms[name] for name in SECTION_3)


@pytest.mark.req("DE-02", "DE-04", "DE-05", "DE-06", "DE-07")
@pytest.mark.parametrize("id", IDS)
def test_golden_values(id: str) -> None:
    """At tick 0 the mind offers the golden number of candidates, and the golden totals lead in their order."""
    count, leading = GOLDEN[id]
    totals = {name: printed_total(terms) for name, terms in scored(begin(party()), id).items()}
    assert len(totals) == count
    assert {name: totals[name] for name in leading} == pytest.approx(leading, abs=NEAR)
    assert max(total for name, total in totals.items() if name not in leading) <= min(leading.values()) + NEAR


@pytest.mark.req("DE-09")
@pytest.mark.parametrize("id", IDS)
def test_movement_counts(id: str) -> None:
    """At tick 0 the mind's totals add to section 3 the pull of private rooms on the secretive, and nothing else."""
    world = begin(party())
    decision = Mind(world.scenario).decide(world, id)
    for name, total in zip(decision.trace.survivors, decision.trace.totals, strict=True):
        room = name.removeprefix("move:")
        pull = 0.3 * world.scenario.rooms[room].privacy if room in PULL[id] else 0.0
        assert total - printed_total(scored(world, id)[name]) == pytest.approx(pull, abs=NEAR)
    if PULL[id]:
        assert decision.id == "move:bathroom"


@pytest.mark.req("DE-12")
@pytest.mark.parametrize("trace", [VICTOR, ELENA], ids=lambda trace: trace.agent)
def test_traces_term_by_term(trace: Trace) -> None:
    """The mind gives each legal row of a trace its corrected terms, and never offers the others."""
    world = trace.world()
    found = scored(world, trace.agent)
    decision = Mind(world.scenario).decide(world, trace.agent)
    for row in trace.rows:
        if not row.legal:
            assert isinstance(decision.why_not(row.id), NotOffered)
            continue
        terms = found[row.id]
        noise = row.computed.noise
        assert (*(terms[name] for name in SECTION_3), noise, printed_total(terms) + noise) == pytest.approx(
            row.computed, abs=NEAR
        ), row.id


@pytest.mark.req("DE-12")
def test_the_corrected_winners() -> None:
    """Without noise Victor tells Marcus of his investigation, and Elena flees to the bathroom."""
    victor, elena = (Mind(trace.world().scenario).decide(trace.world(), trace.agent) for trace in (VICTOR, ELENA))
    assert (victor.id, elena.id) == (f"reveal:{INVESTIGATION}:marcus", "move:bathroom")
    assert victor.reason.final_scores[f"reveal:{INVESTIGATION}:marcus"] == pytest.approx(0.688, abs=NEAR)
    assert elena.margin == pytest.approx(1.364 - 1.362, abs=NEAR)


@pytest.mark.req("DE-12")
def test_the_second_trace_can_be_played() -> None:
    """Where feelings may be confided, Elena may tell Marcus how she feels, at the corrected terms of the trace; once it is
    done, she has less stress and both trust each other more, and no belief changes."""
    world = ELENA.world()
    rules = {**world.scenario.rules, "departures": {**world.scenario.rules["departures"], "confide_feelings": True}}
    world = moved_to(world, replace(world.scenario, rules=rules))
    (row,) = {row.computed for row in ELENA.rows if row.id == "confide:marcus"}
    found = scored(world, "elena")["confide:feeling:marcus"]
    assert [found[name] for name in SECTION_3] == pytest.approx(row[: len(SECTION_3)], abs=NEAR)
    elena, marcus = world.agents["elena"], world.agents["marcus"]
    trust, beliefs = (elena.bonds["marcus"].trust, marcus.bonds["elena"].trust), dict(marcus.beliefs)
    hand = done(world, act(world, "elena", EventType.CONFIDE, "marcus", manner="feeling"))
    assert asked(hand, "elena", "stress") < 0.0
    assert (elena.bonds["marcus"].trust, marcus.bonds["elena"].trust) > trust
    assert marcus.beliefs == beliefs


def test_the_shipped_evening_has_the_same_people() -> None:
    """The shipped dinner party has the numbers of the specification, except for a lender and for commitments.

    Marcus knows about the money he lent. Diana and Victor are committed to conceal their own secrets.
    """
    shipped, table = literal(scenario("dinner-party")), party()
    assert shipped.rules == table.rules
    assert {id: _numbers(person) for id, person in shipped.people.items()} == {
        id: _numbers(person) for id, person in table.people.items()
    }
    assert {id: (room.privacy, room.capacity, set(room.adjacent)) for id, room in shipped.rooms.items()} == {
        id: (room.privacy, room.capacity, set(room.adjacent)) for id, room in table.rooms.items()
    }
    secrets = dict(table.secrets)
    secrets[DEBT] = replace(secrets[DEBT], holders=("diana", "marcus"), knowers=("diana", "marcus"))
    assert {id: _facts(secret) for id, secret in shipped.secrets.items()} == {
        id: _facts(secret) for id, secret in secrets.items()
    }
    vows = {id: set(person.commitments) for id, person in table.people.items()}
    vows["diana"] |= {Commitment("conceal", DEBT), Commitment("conceal", AFFAIR)}
    vows["victor"].add(Commitment("conceal", INVESTIGATION))
    assert {id: set(person.commitments) for id, person in shipped.people.items()} == vows


def _numbers(person: Person) -> dict[str, object]:
    """The numbers of a person, without commitments."""
    names = ("goals", "closeness", "bonds", "flaws", "stress", "composure", "commitment", "emotions", "room")
    return {name: getattr(person, name) for name in names}


def _facts(secret: Secret) -> tuple[object, ...]:
    people = (secret.holders, secret.knowers, secret.suspecters)
    return (secret.about, secret.content, secret.weight, *map(frozenset, people))

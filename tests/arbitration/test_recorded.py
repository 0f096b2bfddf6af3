"""A decision that was recorded as data is the same decision, whoever asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given

from tests.arbitration.strategies import cases, run
from volition.arbitration import CompositeIntention, Constraint, Heuristic, arbitrate
from volition.arbitration.recorded import (
    RecordedComposite,
    RecordedDecision,
    best_vetoed,
    record_composite,
    record_decision,
    restore_decision,
)
from volition.core.errors import InvalidInput, VolitionError
from volition.core.typed import decoder, replace

if TYPE_CHECKING:
    from tests.arbitration.reference import Case
    from tests.sentences import Told
    from volition.arbitration.decision import Decision

TRIP = CompositeIntention(
    Constraint("tolls", lambda way: "a toll" if way == "motorway" else False),
    Heuristic("fast", {"motorway": 1.0, "main": 0.5, "scenic": -0.5}.get),
    Heuristic("pretty", {"main": 0.0, "scenic": 1.0}.get, weight=0.75, priority=10),
)


def through_json(decision: Decision[str]) -> tuple[RecordedDecision, RecordedComposite]:
    """A decision as a file would have it."""
    recorded = msgspec.json.encode(record_decision(decision))
    composite = msgspec.json.encode(record_composite(decision.composite))
    return decoder(RecordedDecision).decode(recorded), decoder(RecordedComposite).decode(composite)


@given(case=cases(held=True))
def test_a_recorded_decision_is_the_same(case: Case) -> None:
    """Written and read again it is equal to the original, and says the same of every candidate and every weight."""
    decision = run(case)
    again = restore_decision(*through_json(decision))
    assert again == decision
    assert again.why().text == decision.why().text
    assert [again.why_not(id).text for id in again.tally.ids] == [
        decision.why_not(id).text for id in decision.tally.ids
    ]
    assert again.sensitivity() == decision.sensitivity()


def test_it_answers_what_if_without_the_code() -> None:
    """Other weights, and the absence of a voter or a constraint, give what the original gives."""
    decision = arbitrate(["motorway", "main", "scenic"], TRIP, version=7)
    again = restore_decision(*through_json(decision))
    questions: tuple[dict[str, Any], ...] = (
        {"weights": {"pretty": 0.1}},
        {"without": "fast"},
        {"without": ("tolls", "pretty")},
    )
    for asked in questions:
        then, now = decision.what_if(**asked, shadow=True), again.what_if(**asked, shadow=True)
        assert (then.after, then.text, then.shadows) == (now.after, now.text, now.shadows)
        assert then.decision == now.decision
    assert again.version == 7


def test_what_a_veto_prevented_is_known() -> None:
    """The best vetoed candidate is named where its votes are above all that was allowed, and only there."""
    prevented = through_json(arbitrate(["motorway", "main", "scenic"], TRIP))
    assert best_vetoed(*prevented) == "motorway"
    slower = TRIP.with_weights({"pretty": 4.0})
    assert best_vetoed(*through_json(arbitrate(["motorway", "main", "scenic"], slower))) is None
    assert best_vetoed(*through_json(arbitrate(["main", "scenic"], TRIP))) is None


def test_a_voter_that_cannot_judge_what_is_vetoed_does_no_harm(told: Told) -> None:
    """The decision is recorded without those scores, and a question that needs them is refused, by name."""

    def picky(way: str) -> float:
        if way == "motorway":
            raise LookupError(way)
        return 0.5

    composite = CompositeIntention(TRIP["tolls"], Heuristic("picky", picky))
    recorded, intentions = through_json(arbitrate(["motorway", "main"], composite))
    again = restore_decision(recorded, intentions)
    assert not recorded.shadows
    assert again.id == "main"
    assert best_vetoed(recorded, intentions) is None
    with pytest.raises(VolitionError) as refused:
        again.what_if(without="tolls", shadow=True)
    told(refused.value)


@pytest.mark.parametrize(
    "change",
    [
        {"chosen": "scenic"},
        {"chosen": None},
        {"candidates": ("motorway", "main", "main", "scenic")},
        {"candidates": ("motorway", "main")},
        {"vetoes": {"nobody": {"main": True}}},
        {"scores": {"nobody": {"main": 1.0}}},
        {"scores": {"fast": {"elsewhere": 1.0}}},
    ],
)
def test_a_record_that_contradicts_itself_is_refused(change: dict[str, Any]) -> None:
    """Another winner than the votes lead to, a stranger among the names, and a duplicate are each refused."""
    recorded, composite = through_json(arbitrate(["motorway", "main", "scenic"], TRIP))
    assert recorded.chosen == "main"
    with pytest.raises(InvalidInput):
        restore_decision(replace(recorded, **change), composite)

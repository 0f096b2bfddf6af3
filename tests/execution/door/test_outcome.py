"""The outcome: data about how a request ended."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import pytest

from tests.execution.door.doorway import Doorway
from tests.execution.wire.samples import answer, payload
from volition.core.errors import VolitionError
from volition.execution import Jump, Move, make_result
from volition.execution.wire.frames import IntentFrame

if TYPE_CHECKING:
    from volition.execution.wire.results import FailureReason, Label, Status


@pytest.mark.req("EX-19")
@pytest.mark.parametrize(
    ("status", "reason", "label"),
    [
        ("SUCCESS", "NONE", "positive"),
        ("PARTIAL", "BLOCKED", "partial"),
        ("PARTIAL", "NONE", "partial"),
        ("FAILURE", "COOLDOWN", "environmental_constraint"),
        ("FAILURE", "BLOCKED", "environmental_constraint"),
        ("FAILURE", "RESOURCE_EXHAUSTED", "environmental_constraint"),
        ("FAILURE", "INVALID_STATE", "out_of_sync"),
        ("FAILURE", "UNKNOWN", "unknown"),
    ],
)
@pytest.mark.req("EX-07")
def test_an_answer_is_labelled_by_its_words(status: Status, reason: FailureReason, label: Label) -> None:
    """Each status and reason has its label, and the outcome holds the executor's words verbatim."""
    way = Doorway().ready()
    ticket = way.ask(Jump())
    words = make_result(status, reason).to_data() | {"extra": [1]}
    way.receive(answer(3, "JUMP", words, detail="why"))
    outcome = way.door.outcome(ticket)
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.label, outcome.detail) == (status, reason, label, "why")
    assert outcome.payload == words
    assert outcome.answered


@pytest.mark.req("EX-19")
def test_what_this_side_decides_has_labels_of_its_own() -> None:
    """Timeout, malformed, intercepted, refused and lost are told apart, and are failures all."""
    way = Doorway().ready()
    tickets = {"intercepted": way.ask("DANCE")}
    way.receive(answer(way.last_id))
    tickets["malformed"] = way.ask(Jump())
    way.receive(answer(way.last_id, "JUMP", payload(status="DONE")))
    way.receive(answer(way.last_id))
    tickets["timeout"] = way.ask(Jump())
    way.wait(0.8)
    way.receive(answer(way.last_id))
    for _ in range(2):
        way.ask(Jump())
        way.receive(answer(way.last_id, "JUMP", make_result("FAILURE", "UNKNOWN").to_data()))
    tickets["refused_retry"] = way.ask(Jump())
    tickets["unknown"] = way.ask(Move((1, 0, 0)))
    way.end()
    outcomes = {label: way.door.outcome(ticket) for label, ticket in tickets.items()}
    assert {label: outcome and outcome.label for label, outcome in outcomes.items()} == {
        label: label for label in tickets
    }
    assert all(outcome and (outcome.status, outcome.reason) == ("FAILURE", "UNKNOWN") for outcome in outcomes.values())


def test_what_was_asked_is_kept_as_it_was() -> None:
    """A caller that changes its dictionaries afterwards changes no record, and what cannot be copied is shown."""
    way = Doorway().ready()
    vector, nonsense, lock = [1, 2, 3], {"if": ["health > 10"]}, Lock()
    way.ask("MOVE", {"vector": vector})
    way.ask("DANCE", nonsense)
    way.ask("DANCE", lock)
    way.ask(object())
    vector[0], nonsense["if"] = 9, ["health > 11"]
    way.close()
    asked = [outcome.requested for outcome in way.outcomes if outcome.purpose == "policy"]
    kept = [(one.parameters, one.parameters_repr) for one in asked if one.intent == "DANCE"]
    assert [one.parameters for one in asked if one.intent == "MOVE"] == [{"vector": [1, 2, 3]}]
    assert kept == [({"if": ["health > 10"]}, None), (None, repr(lock))]
    assert any(one.intent.startswith("<object object") for one in asked)


def test_an_outcome_names_its_state() -> None:
    """A request is recorded with the state it names, or the newest when it was asked, and the wire says the same."""
    way = Doorway().ready()
    newest = way.door.state
    ticket = way.ask(Jump())
    named = way.ask(Jump(), based_on=0)
    frames = [frame for frame in way.out if isinstance(frame, IntentFrame)]
    assert [frame.based_on for frame in frames] == [0]
    way.close()
    for one in (ticket, named):
        outcome = way.door.outcome(one)
        assert outcome is not None
        assert outcome.state is newest


@pytest.mark.parametrize(
    "terms",
    [{"ttl": 0.0}, {"ttl": float("nan")}, {"ttl": "1"}, {"agent": ""}, {"agent": "x" * 201}, {"agent": "\ud800"},
     {"agent": 7}, {"based_on": -1}, {"based_on": True}, {"based_on": 2.0}],
)  # fmt: skip
def test_terms_that_the_wire_cannot_say_are_refused(terms: dict[str, object]) -> None:
    """A request without a usable deadline, agent or state is an error of the caller, and draws no ticket."""
    way = Doorway().ready()
    with pytest.raises(VolitionError):
        way.ask(Jump(), **terms)
    assert way.ask(Jump()) == 2  # the opening's STOP has the first

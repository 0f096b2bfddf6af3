"""A real language model, small enough to run anywhere, as a mind and as a voter. `make minds` installs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.minds.model import NAME, needs_model, serving_model
from tests.minds.questions import ask_one, rain
from tests.processes import PATIENCE
from volition.arbitration import CompositeIntention, Constraint, Heuristic, Scores, Violates, arbitrate
from volition.minds import ChatMind, MindRecord, ask_all, voter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from volition.minds import Asked

pytestmark = needs_model

WAYS = ["bridge", "ferry", "ford"]
ENGINE = CompositeIntention(
    Constraint("safety", Violates({"bridge": "it is broken"})), Heuristic("fast", Scores({"ferry": 0.5, "ford": 0.4}))
)


@pytest.fixture(scope="module")
def model() -> Iterator[ChatMind]:
    with serving_model() as url:
        yield ChatMind(url, NAME, timeout_s=PATIENCE)


def without_seconds(asked: Asked) -> dict[str, Any]:
    return {name: value for name, value in asked.to_data().items() if name != "seconds"}


def test_it_names_an_option(model: ChatMind) -> None:
    """The answer is one of the options, with a reason and its cost, and the same question has the same answer."""
    first, second = (ask_one(model, PATIENCE) for _ in range(2))
    assert first.fallback == ""
    assert first.choice in rain().ids
    assert first.tokens > 0
    assert without_seconds(first) == without_seconds(second)


def test_questions_that_come_together_are_all_answered(model: ChatMind) -> None:
    """Others' questions do not change an answer: three at once get what each gets alone."""
    people = ("ada", "ben", "cy")
    together = ask_all(dict.fromkeys(people, model), {who: rain(who) for who in people}, deadline_s=PATIENCE)
    alone = [ask_all({who: model}, {who: rain(who)}, deadline_s=PATIENCE)[who] for who in people]
    assert [without_seconds(together[who]) for who in people] == [without_seconds(asked) for asked in alone]


def test_its_votes_are_repeated_without_it(model: ChatMind, tmp_path: Path) -> None:
    """It votes for what no constraint vetoes; from the record the decision is the same, and no server is asked."""

    def decide(mind: ChatMind, **more: Any) -> dict[str, Any]:
        vote = voter("model", mind, deadline_s=PATIENCE, situation="The river is high.", **more)
        decision = arbitrate(WAYS, ENGINE.with_intention(vote))
        assert decision.candidate != "bridge"
        return decision.to_data()

    record = MindRecord()
    decided = decide(model, record=record)
    record.write(tmp_path / "asked.jsonl")
    (asked,) = record
    assert asked.choice in {"ferry", "ford"}
    nowhere = ChatMind("http://127.0.0.1:1/v1", NAME)
    assert decide(nowhere, record=MindRecord.read(tmp_path / "asked.jsonl"), replay=True) == decided

"""A mind as a voter: one vote among others under the vetoes, explained in words, and repeated without the mind."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.minds.questions import HASTY_S, PATIENT_S
from tests.minds.server import answers, choosing, serving
from volition.arbitration import CompositeIntention, Constraint, Decision, Heuristic, Scores, Violates, arbitrate
from volition.arbitration.stages import IntentionFailed
from volition.core.errors import InvalidInput
from volition.minds import Budget, ChatMind, MindRecord, MindSituation, MindVote, NotRecorded, voter
from volition.minds.voting import MindIntent

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-35")

WAYS = ["bridge", "ferry", "ford", "tunnel"]
ENGINE = CompositeIntention(
    Constraint("safety", Violates({"bridge": "it is broken"})),
    Heuristic("fast", Scores({"bridge": 1.0, "ferry": 0.5, "ford": 0.4, "tunnel": -1.0})),
)


def naming(id: str, reason: str = "the ferry is late") -> Any:
    return lambda situation: MindVote(id, reason)


def joined(mind: Any, **more: Any) -> CompositeIntention:
    """The engine with a voter."""
    return ENGINE.with_intention(voter("model", mind, **{"deadline_s": PATIENT_S, **more}))


def decide(composite: CompositeIntention, **more: Any) -> Decision[str]:
    return arbitrate(WAYS, composite, **more)


def test_a_vote_is_one_of_the_votes() -> None:
    """What it names gets 1, what else it saw gets 0, and both are in the trace with the others' scores."""
    decision = decide(joined(naming("ford"), weight=0.5))
    assert decision.candidate == "ford"
    assert decision.trace.survivors == ("ferry", "ford", "tunnel")
    assert [row[1] for row in decision.trace.scores] == [0.0, 1.0, 0.0]
    assert decision.reason.voted_by == ("fast", "model")
    assert decide(joined(naming("ford"), weight=0.05)).candidate == "ferry"


def test_a_mind_is_never_asked_about_what_is_vetoed() -> None:
    """It sees survivors alone, and cannot bring back what is vetoed by naming it."""
    seen: list[MindSituation] = []

    def mind(situation: MindSituation) -> MindVote:
        seen.append(situation)
        return MindVote("bridge")

    decision = decide(joined(mind, weight=1000.0))
    assert seen[0].ids == ("ferry", "ford", "tunnel")
    assert decision.candidate == "ferry"
    assert decision.reason.vetoed_by == ("safety",)


def test_a_voter_cannot_veto(told: Told) -> None:
    """Its intent is refused for a constraint."""
    model = voter("model", naming("ford"))
    assert isinstance(model, Heuristic)
    with told.raises(InvalidInput):
        Constraint("model", model.intent)


@given(
    mind=st.sampled_from(["bridge", "ferry", "ford", "tunnel", "moon", "", None]),
    vetoed=st.sets(st.sampled_from(WAYS)),
    weight=st.floats(0, 100),
)
def test_the_vetoes_hold_whatever_a_mind_names(mind: str | None, vetoed: set[str], weight: float) -> None:
    """No answer changes what is vetoed, and without a usable answer the decision is the engine's own."""
    engine = CompositeIntention(
        Constraint("safety", lambda way: way in vetoed), Heuristic("fast", Scores({"ferry": 0.5, "ford": 0.4}))
    )
    model = voter(
        "model", lambda situation: None if mind is None else MindVote(mind), weight=weight, deadline_s=PATIENT_S
    )
    own, decision = decide(engine), decide(engine.with_intention(model))
    assert decision.trace.vetoed == own.trace.vetoed
    assert decision.id not in vetoed
    if mind not in own.trace.survivors:
        assert (decision.id, decision.trace.totals) == (own.id, own.trace.totals)


def test_where_it_has_no_answer_it_abstains(release_mind: Any) -> None:
    """A late mind has no opinion: every total is the engine's own, and the explanation says why."""
    decision = decide(joined(release_mind, deadline_s=HASTY_S))
    assert [row[1] for row in decision.trace.scores] == [None] * 3
    assert decision.trace.totals == decide(ENGINE).trace.totals
    assert decision.why().text.endswith(f" model did not vote (late): no answer within {HASTY_S} s.")


@pytest.fixture
def release_mind() -> Any:
    """A mind that returns when the test is over."""
    event = Event()
    yield lambda situation: event.wait() and None
    event.set()


def test_the_reason_is_in_the_explanation() -> None:
    """The reason in words is in why, in the printed decision and in its data, with the id of the voter."""
    decision = decide(joined(naming("ford"), weight=0.5))
    said = "model voted for ford: the ferry is late."
    assert decision.why().text == f"ford leads ferry by 0.4: model +0.5, despite fast -0.1. {said}"
    assert said in str(decision)
    assert decision.to_data()["why"].endswith(said)
    json.dumps(decision.to_data())


def test_each_decision_keeps_its_own_reason() -> None:
    """Later questions, the same one too, and changes of the context change no earlier explanation."""
    said = iter([MindVote("ford", "first"), MindVote("ford", "second"), MindVote("ford", "third")])
    context: list[str] = []
    composite = joined(lambda situation: next(said), situation=str)
    decisions = [decide(composite, context=context) for _ in range(2)]
    context.append("news")
    arbitrate(["ford", "ferry"], composite)
    assert [decision.why().text.rpartition(": ")[2] for decision in decisions] == ["first.", "second."]
    assert decisions[0].to_data()["remarks"] == {"model": "voted for ford: first"}
    assert decisions[0].what_if(weights={"model": 0.01}).decision.why().text.endswith("first.")
    assert "remarks" not in decisions[0].what_if(without="model").decision.to_data()


def test_decisions_at_the_same_time_keep_their_reasons() -> None:
    """One voter answers several threads at once, and each decision has its own reason."""
    together = Barrier(4)

    def mind(situation: MindSituation) -> MindVote:
        together.wait()
        return MindVote("ford", situation.words)

    composite, names = joined(mind, situation=str), ["a", "b", "c", "d"]
    with ThreadPoolExecutor(4) as pool:
        decisions = list(pool.map(lambda name: decide(composite, context=name), names))
    assert [decision.why().text.rpartition(": ")[2] for decision in decisions] == [f"{name}." for name in names]


def test_one_survivor_needs_no_question() -> None:
    """Where one candidate is left nobody is asked."""
    record = MindRecord()
    decision = arbitrate(["bridge", "ferry"], joined(naming("ferry"), record=record))
    assert (decision.candidate, len(record)) == ("ferry", 0)
    assert decision.why().text == "ferry was the only candidate that nothing forbade."
    assert decision.shadow("bridge").scores["model"] is None


def test_a_decision_without_a_question_has_no_remark() -> None:
    """What was said in the decision before is not repeated."""
    composite = joined(naming("ford"))
    assert decide(composite).tally.remarks == (("model", "voted for ford: the ferry is late"),)
    assert arbitrate(["bridge", "ferry"], composite).tally.remarks == ()


def test_the_engine_chooses_what_is_shown() -> None:
    """With the engine the best survivors are shown in the order offered, with their totals and the engine's own choice."""
    seen: list[MindSituation] = []
    engine = CompositeIntention(Heuristic("fast", lambda n: n / 10))
    model = voter(
        "model",
        seen.append,
        engine=engine,
        best=3,
        situation=lambda context: f"It is {context}.",
        describe=lambda n, context: f"number {n} at {context}",
        deadline_s=PATIENT_S,
    )
    arbitrate([4, 1, 9, 3, 7], engine.with_intention(model), context="noon")
    assert seen[0].words == "It is noon."
    assert seen[0].own == "9"
    assert [(one.id, one.words, one.score) for one in seen[0].options] == [
        ("4", "number 4 at noon", 0.4),
        ("9", "number 9 at noon", 0.9),
        ("7", "number 7 at noon", 0.7),
    ]


def test_what_was_not_shown_has_no_vote() -> None:
    """Without an engine the first in the order offered are shown; on the others the voter abstains."""
    decision = decide(joined(naming("ford"), best=2))
    assert [row[1] for row in decision.trace.scores] == [0.0, 1.0, None]


@pytest.mark.parametrize(("margin", "asked"), [(0.05, 0), (0.5, 1)])
def test_a_clear_lead_needs_no_question(margin: float, asked: int) -> None:
    """With a margin a mind is asked only where the engine's own choice leads by less."""
    record = MindRecord()
    decide(joined(naming("ford"), engine=ENGINE, margin=margin, record=record))
    assert len(record) == asked


def test_a_budget_bounds_a_voter(told: Told) -> None:
    """When the budget is used up the engine decides alone, and says so."""
    composite = joined(naming("ford"), budget=Budget(calls=1))
    assert [decide(composite).candidate for _ in range(2)] == ["ford", "ferry"]
    told(decide(composite).why().text)


def test_a_replay_needs_no_model(tmp_path: Path) -> None:
    """A run is repeated from its file without the server, with no difference in any decision or explanation."""

    def run(composite: CompositeIntention) -> list[dict[str, Any]]:
        offers = [WAYS, WAYS[1:], WAYS, ["ferry", "ford"]]
        return [arbitrate(offer, composite).to_data() for offer in offers]

    record = MindRecord()
    with serving(answers(choosing("ford", "it is cheap"))) as server:
        mind = ChatMind(server.url, "small")
        first = run(joined(mind, record=record))
        assert len(server.asked) == 4
    record.write(tmp_path / "asked.jsonl")
    again = run(joined(mind, record=MindRecord.read(tmp_path / "asked.jsonl"), replay=True))
    assert again == first
    assert all("it is cheap" in decision["why"] for decision in again)


def test_a_replay_of_another_run_is_an_error() -> None:
    """A question that was not recorded is never answered by guessing."""
    record = MindRecord()
    decide(joined(naming("ford"), record=record))
    composite = joined(naming("ford"), record=record, replay=True)
    assert decide(composite).candidate == "ford"
    with pytest.raises(IntentionFailed, match="NotRecorded") as failed:
        decide(composite)
    assert isinstance(failed.value.__cause__, NotRecorded)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"best": 1}, "best is 1"),
        ({"margin": 0.1}, "no engine"),
        ({"replay": True}, "no record to replay"),
        ({"deadline_s": -1}, "the deadline is -1"),
        ({"weight": -1}, "the weight is -1"),
    ],
)
def test_a_voter_that_cannot_work_is_refused(wrong: dict[str, Any], said: str) -> None:
    """Settings that contradict each other are refused at once."""
    with pytest.raises(InvalidInput, match=said):
        voter("model", naming("ford"), **wrong)


def test_a_voter_is_written_down_by_its_label() -> None:
    """The data of a composite names the mind, and holds nothing of its inside."""
    model = voter("model", ChatMind("http://localhost:1/v1", "small"), margin=0.1, engine=ENGINE)
    assert isinstance(model.intent, MindIntent)
    assert model.intent.to_data() == {"mind": "chat:small", "deadline_s": 2.0, "best": 5, "margin": 0.1}
    assert len(CompositeIntention(model).content_hash) == 64

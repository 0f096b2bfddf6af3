"""A decision on a page is the decision of the arbiter, wherever it comes from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.minds.own_minds import moody
from tests.studio.conftest import RUN
from tests.studio.served import serving
from volition.arbitration.case import case_from_data
from volition.arbitration.decision import Decision
from volition.drama import play, scenario
from volition.drama.audience.deeds import describe_act
from volition.drama.audience.reasons import ChoiceWords
from volition.drama.minds import Consulted, OutsideMinds
from volition.studio.decisions import decision_shape

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served
    from volition.drama import Evening

ROUTE: dict[str, Any] = {
    "candidates": ["motorway", "main", "scenic"],
    "intentions": [
        {"id": "tolls", "kind": "constraint", "intent": {"violates": ["motorway"]}},
        {"id": "fast", "kind": "heuristic", "intent": {"scores": {"motorway": 1.0, "main": 0.5, "scenic": -0.5}}},
        {"id": "pretty", "kind": "heuristic", "intent": {"scores": {"main": 0.0, "scenic": 1.0}}, "weight": 0.75},
    ],
}


def test_a_pasted_case_is_decided(served: Served) -> None:
    """Ranking, contributions, vetoes, margin, flip and sentences are those of the library."""
    told = served.post("/decide", {"document": ROUTE})["decision"]
    decision = case_from_data(ROUTE).decide()
    assert told["candidate"] == decision.id == "main"
    assert [one["id"] for one in told["ranked"]] == ["main", "scenic"]
    assert {id: vote["contribution"] for id, vote in told["ranked"][0]["votes"].items()} == {"fast": 0.5, "pretty": 0.0}
    assert told["vetoed"] == [
        {"id": "motorway", "by": {"tolls": None}, "why_not": decision.why_not("motorway").text}
    ]  # fmt: skip
    assert told["margin"] == decision.margin
    assert told["why"]["text"] == decision.why().text
    firm = decision.sensitivity()
    assert firm.nearest is not None
    assert told["robustness"] == firm.robustness
    assert (told["nearest_flip"]["intention"], told["nearest_flip"]["weight"]) == (firm.nearest.intention, firm.nearest.weight)  # fmt: skip
    assert sum(one["value"] for one in told["why"]["contributions"]) == pytest.approx(told["why"]["margin"])


def test_a_case_may_come_as_text(served: Served) -> None:
    """TOML and JSON texts are read strictly, and their errors name a line."""
    toml = 'candidates = ["a", "b"]\n[[intentions]]\nid = "goal"\nkind = "heuristic"\nintent = {scores = {b = 1.0}}\n'
    assert served.post("/decide", {"text": toml, "format": "toml"})["decision"]["candidate"] == "b"
    status, problem = served.refusal("POST", "/decide", {"text": '{"candidates": [1,\n]}'})
    assert status == 400
    assert "line 2" in problem["where"]


def test_weights_redecide_at_once(served: Served) -> None:
    """Other weights give the decision that the flip predicts, and leave the first one unchanged."""
    first = served.post("/decide", {"document": ROUTE})["decision"]
    flip = first["nearest_flip"]
    again = served.post("/decide", {"document": ROUTE, "weights": {flip["intention"]: flip["weight"]}})
    assert again["decision"] == first
    assert again["what_if"]["after"] == flip["to"]
    assert again["what_if"]["changed"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"document": ROUTE, "text": "{}"},
        {"document": {"candidates": []}},
        {"document": ROUTE, "weights": {"nobody": 1.0}},
        {"document": ROUTE, "weights": {"fast": -1.0}},
        {"document": ROUTE, "weights": {"fast": "x"}},
        {"document": ROUTE, "unknown": 1},
    ],
)
def test_what_cannot_be_decided_is_refused(served: Served, body: dict[str, Any]) -> None:
    """Bad documents and weights are refused."""
    assert served.refusal("POST", "/decide", body)[0] == 400


def test_code_that_a_document_names_is_never_imported(served: Served) -> None:
    """A pasted case that names Python code is refused, and its module is not imported."""
    named = {"id": "x", "kind": "heuristic", "intent": {"python": "this:s"}}
    status, problem = served.refusal("POST", "/decide", {"document": {"candidates": ["a"], "intentions": [named]}})
    assert status == 400
    assert problem["where"] == "intentions[0].intent.python (intention 'x')"
    assert "this" not in sys.modules


def test_every_choice_of_an_evening_can_be_asked(served: Served, evening: Evening) -> None:
    """The decision of a tick is the recorded choice, with the evening's own reason."""
    told = served.get(f"/runs/{RUN}/decisions/25/victor")
    decision = evening.decision(25, "victor")
    assert told["choice"]["id"] == told["decision"]["candidate"] == decision.id
    assert told["decision"]["why"]["text"] == decision.why().text
    assert {one["id"] for one in told["decision"]["ranked"]} == set(decision.tally.survivors)
    assert {one["id"]: set(one["by"]) for one in told["decision"]["vetoed"]} == {
        name: {judge for judge, verdict in zip(decision.tally.composite.judges, row, strict=True) if verdict}
        for name, row in decision.tally.vetoed.items()
    }
    for one in told["decision"]["ranked"][1:4]:
        assert one["why_not"] == decision.why_not(one["id"]).text


@pytest.mark.req("DE-35")
def test_a_mind_from_outside_is_heard_beside_the_others(tmp_path: Path) -> None:
    """The vote of a mind from outside is a column of the decision like any other, with its reason in the words, and the page
    needs no mind."""
    minds = OutsideMinds({"victor": Consulted(moody, weight=1.0, kinds=None)}, deadline_s=30.0)
    evening = play(scenario("dinner-party"), 8, ticks=10, outside=minds)
    evening.save(tmp_path / "volition-runs" / RUN)
    asked = next(tick for tick in evening.run.ticks if "victor" in tick.asked)
    answer = asked.asked["victor"]
    with serving(tmp_path) as served:
        chosen = served.get(f"/runs/{RUN}/decisions/{asked.tick}/victor")
    told = chosen["decision"]
    assert answer.reason in told["why"]["text"]
    voted = describe_act(evening.scenario, "victor", str(answer.choice))
    assert f"voted for '{voted}': {answer.reason.rstrip('.')}" in chosen["reason"]["outside"]
    votes = {one["id"]: one["votes"]["outside"]["score"] for one in told["ranked"]}
    assert votes == {id: float(id == answer.choice) for id in votes}


def test_an_evening_answers_what_if(served: Served, evening: Evening) -> None:
    """Other weights for a choice give what the evening's own decision gives."""
    told = served.post(f"/runs/{RUN}/decisions/25/victor/what-if", {"weights": {"utility": 0.0}})
    then = evening.decision(25, "victor").what_if(weights={"utility": 0.0}, shadow=True)
    assert (told["before"], told["after"], told["text"]) == (then.before, then.after, then.text)


def test_every_candidate_is_asked_about_once(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing a decision asks once why each candidate was not chosen, also where it is told in words."""
    asked: list[str] = []
    why_not = Decision.why_not

    def count(decision: Decision[Any], candidate: Any) -> Any:
        asked.append(candidate)
        return why_not(decision, candidate)

    monkeypatch.setattr(Decision, "why_not", count)
    decision = evening.decision(25, "victor")
    shape = decision_shape(decision, ChoiceWords(evening.scenario, "victor"))
    assert shape.words is not None
    assert sorted(asked) == sorted(decision.tally.ids)


def test_who_did_not_choose_has_no_decision(served: Served) -> None:
    """Unknown people and ticks are refused."""
    assert served.refusal("GET", f"/runs/{RUN}/decisions/25/nobody")[0] == 400
    assert served.refusal("GET", f"/runs/{RUN}/decisions/4000/victor")[0] == 400

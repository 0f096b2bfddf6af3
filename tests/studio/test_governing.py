"""Plans are evaluated through the API as by the library."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from volition.cli.main import main
from volition.governance import IntentDocument, evaluate, parse_document
from volition.governance.documents.checksums import seal
from volition.governance.documents.intent_set import IntentSet
from volition.governance.drafts.samples import EARLY, samples
from volition.governance.drafts.sets import new_intent, new_set
from volition.governance.evaluation_folder import DOCUMENTS, read_inputs, write_evaluation
from volition.studio.governing import reopen_evaluation
from volition.studio.records import result_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served
    from volition.governance import EvaluationOutcome


def request(name: str, **more: Any) -> dict[str, Any]:
    batch, intents = samples()[name]
    return {"set": batch, "intents": list(intents.values()), **more}


def evaluate_here(name: str) -> EvaluationOutcome:
    batch, intents = samples()[name]
    read = [parse_document(json.dumps(one).encode(), IntentDocument) for one in intents.values()]
    return evaluate(parse_document(json.dumps(batch).encode(), IntentSet), read)


@pytest.mark.parametrize("name", samples())
def test_documents_are_those_of_the_library(served: Served, name: str) -> None:
    """Result, plan, merged intent and questions are byte for byte what an evaluation writes."""
    told, outcome = served.post("/govern", request(name)), evaluate_here(name)
    for file, content in outcome.files().items():
        assert told[file.removesuffix(".json")] == json.loads(content)
    assert told["strategy"] == outcome.strategy
    assert [tuple(cluster["intents"]) for cluster in told["clusters"]] == list(outcome.clusters)
    assert told["riskiest"] == list(outcome.riskiest)
    assert (told["graph"] is None) == (outcome.merged_intent is None)


def test_questions_are_answered_on_the_page(served: Served) -> None:
    """A chosen option answers a question; one round too many, or an unknown question, is refused."""
    first = served.post("/govern", request("same_target"))
    question = first["question_pack"]["questions"][0]
    choice = {question["question_id"]: question["options"][0]["option_id"]}
    second = served.post("/govern", request("same_target", choices=[choice]))
    assert second["question_pack"] is None
    assert second["strategy"] == "override_by_priority"
    assert second["graph"]["nodes"]
    assert served.post("/govern", request("same_target", answers=second["answers"]))["result"] == second["result"]
    assert served.refusal("POST", "/govern", request("same_target", choices=[choice, choice]))[0] == 400
    assert (
        served.refusal("POST", "/govern", request("same_target", choices=[{"question_0009": "option_0001"}]))[0] == 400
    )


def test_an_evaluation_is_kept_where_it_is_wanted(served: Served) -> None:
    """A saved evaluation is an intact record, and reads as it was answered."""
    told = served.post("/govern", request("clear_priority", save=True))
    detail = served.get(f"/records/{told['saved']}")
    assert (detail["record"]["kind"], detail["record"]["intact"]) == ("evaluation", True)
    assert detail["evaluation"]["result"] == told["result"]
    assert detail["evaluation"]["graph"] == told["graph"]
    assert served.post("/govern", request("clear_priority"))["saved"] is None


def test_a_saved_evaluation_is_opened_and_answered_later(served: Served) -> None:
    """A saved evaluation opens with its questions and the plans' titles; sent again with choices, it is answered, and the new
    one opens with its answers and is the same when it is evaluated again."""
    first = served.post("/govern", request("same_target", save=True))
    assert first["titles"] == {one["id"]: one["title"] for one in request("same_target")["intents"]}
    detail = served.get(f"/records/{first['saved']}")
    assert detail["evaluation"]["question_pack"] == first["question_pack"]
    assert detail["evaluation"]["titles"] == first["titles"]
    assert detail["evaluation"]["clusters"] == first["clusters"] != []
    question = first["question_pack"]["questions"][0]
    choices = [{question["question_id"]: question["options"][0]["option_id"]}]
    second = served.post("/govern", {**detail["asked"], "choices": choices, "save": True})
    assert second["question_pack"] is None
    again = served.get(f"/records/{second['saved']}")
    assert again["evaluation"]["answers"] == again["asked"]["answers"] == second["answers"]
    assert served.post("/govern", again["asked"])["result"] == second["result"]
    for saved in (first["saved"], second["saved"]):
        checked = served.post(f"/records/{saved}/verify")
        assert (checked["intact"], checked["checked"]) == (True, "whole")


def test_an_evaluation_of_the_command_line_is_opened_and_answered(served: Served, folder: Path) -> None:
    """An evaluation of `govern evaluate --out` can be answered on a page as in a terminal."""
    batch, intents = samples()["same_target"]
    plans = folder / "plans"
    plans.mkdir()
    for name, document in {"set": batch, **intents}.items():
        (plans / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    assert main(["govern", "evaluate", str(plans / "set.json"), "--out", str(folder / "evaluated")]) == 3
    (record,) = (one for one in served.get("/records?kind=evaluation")["records"] if one["name"] == "evaluated")
    assert (record["intact"], record["evaluation"]["questions"]) == (True, 1)
    detail = served.get(f"/records/{record['id']}")
    question = detail["evaluation"]["question_pack"]["questions"][0]
    choices = [{question["question_id"]: question["options"][0]["option_id"]}]
    assert served.post("/govern", {**detail["asked"], "choices": choices})["strategy"] == "override_by_priority"
    assert main(["govern", "verify", str(folder / "evaluated")]) == 0


def test_the_graph_may_be_left_out(served: Served) -> None:
    """Without the graph everything else is the same."""
    whole, lean = (served.post("/govern", request("clear_priority", graph=graph)) for graph in (True, False))
    assert whole["graph"]["nodes"]
    assert {**whole, "graph": None} == lean


def test_what_plans_do_to_what_is_contested_is_told(served: Served) -> None:
    """On request, and for a saved evaluation, each contested resource lists the plans that claim it and what each does there: a plan
    that claims a folder claims the file in it, and one that contests without a claim is involved."""
    plans = {
        "api": ["src/api"],
        "routes": ["src/api/routes.py"],
        "both": ["src/api/routes.py", "README.md"],
        "apart": ["docs/index.md"],
    }
    intents = [
        new_intent(
            f"Change {name}",
            project="shop",
            created_at=EARLY,
            commands=[f"change_{name}: {'delete' if name == 'both' else 'write'}: change it"],
            files=files,
            budgets={"max_tokens": 900_000},
        )
        for name, files in plans.items()
    ]
    batch = new_set("contested", [one["id"] for one in intents], project="shop", created_at=EARLY)
    body = {"set": batch, "intents": intents}
    assert served.post("/govern", body)["contested"] is None
    told = served.post("/govern", {**body, "contested": True, "save": True})
    assert told["contested"]["src/api"] == {
        "intent_change_api": "write",
        "intent_change_both": "delete",
        "intent_change_routes": "write",
    }
    shared = {one["resource_ref"] for one in told["result"]["evaluation"]["conflicts"]}
    assert set(told["contested"]) == shared - {None}
    assert not any(
        "intent_change_apart" in those for name, those in told["contested"].items() if name.startswith("src")
    )
    assert served.get(f"/records/{told['saved']}")["evaluation"]["contested"] == told["contested"]


def test_a_policy_may_be_given(served: Served) -> None:
    """A policy is read as text, and one that cannot be read is a refusal."""
    assert served.post("/govern", request("clear_priority", policy="[limits]\nmax_files = 3\n"))["result"]
    assert served.refusal("POST", "/govern", request("clear_priority", policy="[limits"))[0] == 400


@pytest.mark.parametrize(
    "change",
    [
        {"intents": []},
        {"set": {}},
        {"set": []},
        {"intents": [1, 2]},
        {"intents": {}},
        {"choices": [{}]},
        {"answers": [{}]},
        {"extra": 1},
        {"policy": 3},
    ],
)
def test_an_invalid_set_is_refused(served: Served, change: dict[str, Any]) -> None:
    """Whatever is wrong with the documents is a list of problems."""
    assert served.refusal("POST", "/govern", {**request("same_target"), **change})[0] == 400


def test_all_problems_come_at_once(served: Served) -> None:
    """Two broken intents are two problems."""
    body = request("same_target")
    for intent in body["intents"]:
        intent["title"] = "changed"
    answer = served.client.post("/api/v1/govern", json=body)
    assert answer.status_code == 400
    assert len(answer.json()["problems"]) >= 2


def test_a_duplicate_key_is_noticed(served: Served) -> None:
    """Documents are read as the bytes that were sent: a duplicate key, which a parser would drop, is refused."""
    text = json.dumps(request("same_target")).replace('"title":', '"title": "x", "title":', 1)
    answer = served.client.post("/api/v1/govern", content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert "duplicated" in answer.text


@pytest.mark.parametrize(("name", "strategy"), [("clear_priority", "override_by_priority"), ("same_target", "ask")])
def test_every_cluster_has_its_strategy(served: Served, name: str, strategy: str) -> None:
    """A cluster names its strategy with the evidence of the merge plan; after an answer, the strategy that was chosen."""
    told = served.post("/govern", request(name))
    (cluster,) = told["clusters"]
    evidence = [one["evidence"] for one in told["result"]["evaluation"]["merge_plan"]["operations"]]
    assert cluster["strategy"] == strategy
    assert cluster["because"] in evidence
    if strategy == "ask":
        (question,) = told["question_pack"]["questions"]
        for option in question["options"]:
            choices = [{question["question_id"]: option["option_id"]}]
            (cluster,) = served.post("/govern", request(name, choices=choices))["clusters"]
            assert cluster["strategy"] in {"override_by_priority", "merge_union", "reject"}


def test_many_plans_keep_their_titles(served: Served) -> None:
    """More than 20 plans have their titles, when they are evaluated and when the evaluation is opened again."""
    about: dict[str, Any] = {"project": "shop", "created_at": EARLY, "status": "approved"}
    command = "do_it: write: change what it is about"
    intents = [new_intent(f"Plan number {n}", commands=[command], files=[f"src/{n}.py"], **about) for n in range(25)]
    batch = new_set("many", [one["id"] for one in intents[:20]], project="shop", created_at=EARLY)
    batch = seal("intent_set", {**batch, "intent_ids": [one["id"] for one in intents]})
    told = served.post("/govern", {"set": batch, "intents": intents, "limit": False, "save": True})
    assert told["titles"] == {one["id"]: one["title"] for one in intents}
    detail = served.get(f"/records/{told['saved']}")
    assert detail["evaluation"]["titles"] == told["titles"]
    assert served.post("/govern", detail["asked"])["titles"] == told["titles"]


@pytest.mark.parametrize(("days", "expired"), [(-1, True), (1, False)])
def test_an_expired_question_is_shown_as_expired(folder: Path, served: Served, days: int, expired: bool) -> None:
    """A saved question pack whose time is over is expired; otherwise it says how long it still waits."""
    told = served.post("/govern", request("same_target", save=True))
    assert (told["expired"], told["seconds_left"]) == (False, None)
    home = folder / "volition-evaluations" / told["saved"]
    until = (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    inputs = read_inputs(home)
    files = {name: (home / name).read_bytes().rstrip(b"\n") for name in DOCUMENTS if (home / name).exists()}
    pack = json.loads(files["question_pack.json"])
    files["question_pack.json"] = json.dumps({**pack, "expires_at": until}).encode()
    write_evaluation(home, files, inputs)
    shape, _ = reopen_evaluation(home, result_of(served.studio.store.find(told["saved"])))
    assert shape.expired is expired
    assert shape.seconds_left is not None
    assert (shape.seconds_left > 0) is not expired

"""The inbox: questions of saved evaluations and of the registry side by side, answered once, as they were shown, in one name."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.studio.served import Served, serving, wait_for
from tests.studio.test_team import history, registry
from tests.workflow.plans import PROJECT, document
from volition.core.signing import own_signer
from volition.governance.documents.checksums import whole_checksum
from volition.governance.drafts.samples import samples
from volition.governance.evaluation_folder import read_inputs, write_evaluation
from volition.workflow import Flows, Members, Store, Team, parse_store_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["registry"]


@pytest.fixture
def studio(tmp_path: Path, registry: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A studio that pat started, an approver, with a saved evaluation beside the registry, both with a question."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    with serving(tmp_path, registry=str(registry)) as one:
        save_sample(one)
        yield one


def save_sample(studio: Served, **more: Any) -> dict[str, Any]:
    batch, intents = samples()["same_target"]
    saved: dict[str, Any] = studio.post(
        "/govern", {"set": batch, "intents": list(intents.values()), "save": True, **more}
    )
    return saved


def items_of(studio: Served) -> dict[str, dict[str, Any]]:
    """The items of the inbox, by where they come from."""
    return {one["source"]: one for one in studio.get("/inbox")["items"]}


def choice(item: dict[str, Any], number: int = 0) -> dict[str, Any]:
    """An answer to an item: this option of each question."""
    questions = item["question_pack"]["questions"]
    choices = {one["question_id"]: one["options"][number]["option_id"] for one in questions}
    return {"checksum": item["checksum"], "choices": choices}


def test_questions_of_both_kinds_are_in_one_list(studio: Served) -> None:
    """A saved evaluation and a flow of the registry are two open items, with titles, who waits, who may answer, how much time is
    left, and the same two counted as mine."""
    shown = studio.get("/inbox")
    assert (shown["me"], shown["problem"]) == ("pat", None)
    assert shown["counts"] == {"mine": 2, "open": 2, "answered": 0, "over": 0}
    team, saved = shown["items"]
    assert (team["source"], team["title"], team["project"]) == ("team", "Plan of aaaaaa and Plan of bbbbbb", PROJECT)
    assert (team["waiting"], team["answerers"], team["mine"], team["why_not"]) == (["ann", "bob"], ["pat"], True, None)
    assert 6 * 86400 < team["seconds_left"] <= 7 * 86400
    assert (saved["source"], saved["title"]) == ("evaluation", "Deploy checkout 1.9 and Deploy checkout 2.0")
    assert (saved["until"], saved["seconds_left"], saved["answerers"]) == (None, None, [])
    assert studio.get("/inbox/counts") == shown["counts"]


def test_each_option_says_what_it_approves_and_forbids(studio: Served) -> None:
    """For every option of an open question there are the exact commands that it lets through and stops; in the registry with
    what each is bound to."""
    for source, words in (("team", "left to the holder of the plan"), ("evaluation", "deploy")):
        item = items_of(studio)[source]
        detail = studio.get(f"/inbox/items/{item['id']}")
        (question,) = item["question_pack"]["questions"]
        assert [one["option"] for one in detail["options"]] == [one["option_id"] for one in question["options"]]
        keep = detail["options"][0]
        assert (len(keep["approves"]), len(keep["forbids"]), keep["undecided"]) == (1, 1, [])
        assert keep["approves"][0]["plan"] != keep["forbids"][0]["plan"]
        assert words in keep["approves"][0]["words"].lower()


def test_an_answer_in_the_registry_is_recorded_with_its_key(studio: Served, registry: Path) -> None:
    """Answering in the inbox records the name and the key of the person; the item then says who answered and what, its flow waits
    for a permit as another item, and approving that ends the matter."""
    item = items_of(studio)["team"]
    path = f"/inbox/items/{item['id']}/answer"
    assert studio.refusal("POST", path, {**choice(item), "checksum": "0" * 64})[0] == 409
    assert studio.refusal("POST", path, {**choice(item), "who": "kim"})[0] == 400
    answered = studio.post(path, choice(item))
    assert (answered["state"], answered["answer"]["who"]) == ("answered", "pat")
    (event,) = history(registry, "answered")
    assert answered["answer"]["key"] == event.signer == own_signer().public
    assert answered["answer"]["chosen"] == [item["question_pack"]["questions"][0]["options"][0]["label"]]
    assert studio.refusal("POST", path, choice(item))[0] == 409
    told = studio.get(f"/inbox/items/{item['id']}")["history"]
    assert [(one["who"], one["what"].partition(":")[0]) for one in told] == [
        ("pat", "started the flow"),
        ("pat", "asked"),
        ("pat", "answered"),
        ("pat", "judged"),
    ]
    assert all(one["key"] for one in told)
    permit = next(one for one in studio.get("/inbox")["items"] if one["kind"] == "permit")
    assert permit["mine"]
    allowed = studio.get(f"/inbox/items/{permit['id']}")["actions"]
    assert [one["plan"] for one in allowed] == ["intent_aaaaaa"]
    assert studio.refusal("POST", f"/inbox/items/{permit['id']}/answer", {"checksum": "0" * 64})[0] == 409
    studio.post(f"/inbox/items/{permit['id']}/answer", {"checksum": permit["checksum"]})
    assert [one.actor for one in history(registry, "approved")] == ["pat"]
    assert studio.get("/inbox/counts") == {"mine": 1, "open": 1, "answered": 1, "over": 0}


def test_a_saved_question_is_answered_once(studio: Served) -> None:
    """Answering a saved evaluation saves another one, signed by the person, which says what it led to; the same question,
    however often it was saved, is one item, and is not answered twice."""
    save_sample(studio)
    item = items_of(studio)["evaluation"]
    path = f"/inbox/items/{item['id']}/answer"
    assert studio.refusal("POST", path, {**choice(item), "checksum": "0" * 64})[0] == 409
    assert studio.refusal("POST", path, {**choice(item), "choices": {}})[0] == 400
    before = len(studio.get("/records?kind=evaluation")["records"])
    answered = studio.post(path, choice(item))
    assert (answered["state"], answered["answer"]["who"], answered["answer"]["key"]) == (
        "answered",
        "pat",
        own_signer().public,
    )
    assert answered["answer"]["chosen"] == [item["question_pack"]["questions"][0]["options"][0]["label"]]
    assert answered["then"] == "It was merged, and some plans gave way."
    assert studio.get(f"/records/{answered['led_to']}")["evaluation"]["question_pack"] is None
    status, problem = studio.refusal("POST", path, choice(item, 1))
    assert (status, problem["what"]) == (409, "this question is answered")
    assert len(studio.get("/records?kind=evaluation")["records"]) == before + 1
    assert next((one["who"], one["what"], one["result"]) for one in studio.get("/acts")["acts"]) == (
        "pat",
        "answer",
        answered["led_to"],
    )
    assert [one["what"].partition(" ")[0] for one in studio.get(f"/inbox/items/{item['id']}")["history"]] == [
        "asked",
        "answered:",
    ]


def test_an_answer_that_nobody_noted_has_no_name(
    studio: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unsigned evaluation that was answered elsewhere counts as the answer, without a name."""
    monkeypatch.setenv("VOLITION_KEY", str(tmp_path / "no.pem"))
    item = items_of(studio)["evaluation"]
    save_sample(studio, choices=[choice(item)["choices"]])
    (tmp_path / "volition-acts.jsonl").unlink()
    answered = items_of(studio)["evaluation"]
    assert (answered["state"], answered["answer"]["who"]) == ("answered", "")


def test_what_is_over_is_shown_as_over(studio: Served, registry: Path, tmp_path: Path) -> None:
    """A question that nobody answered in time is expired, says what happened then, is not mine, and is refused; one whose flow
    was given up is closed."""
    folder = tmp_path / "volition-evaluations" / studio.get("/records?kind=evaluation")["records"][0]["name"]
    pack = json.loads((folder / "question_pack.json").read_bytes())
    pack["expires_at"] = (datetime.now(UTC) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    rewrite(folder, pack)
    item = items_of(studio)["evaluation"]
    assert (item["state"], item["mine"], item["seconds_left"]) == ("expired", False, None)
    assert item["then"] == "Nobody answered in time, and nothing was merged: evaluate the plans again."
    assert studio.refusal("POST", f"/inbox/items/{item['id']}/answer", choice(item))[0] == 409
    with Store(parse_store_address(registry)) as store, store.write() as connection:
        connection.exec_driver_sql("UPDATE question SET expires_at = 1000")
    item = items_of(studio)["team"]
    assert (item["state"], item["mine"], item["until"]) == ("expired", False, 1.0)
    assert item["then"] == "The flow is void: nobody answered in time."
    assert studio.get("/inbox/counts") == {"mine": 0, "open": 0, "answered": 0, "over": 2}
    assert studio.refusal("POST", f"/inbox/items/{item['id']}/answer", choice(item))[0] == 409


def rewrite(folder: Path, pack: dict[str, Any]) -> None:
    """Another question pack in a saved evaluation, sealed."""
    data = {**pack, "checksum": "0" * 64}
    seen = whole_checksum(data)
    files = {
        file.name: file.read_bytes().rstrip(b"\n") for file in folder.glob("*.json") if file.name != "manifest.json"
    }
    files["question_pack.json"] = json.dumps({**data, "checksum": seen}).encode()
    write_evaluation(folder, files, read_inputs(folder))


def test_a_flow_that_was_given_up_closes_its_question(studio: Served, registry: Path) -> None:
    """Its state is closed, with the reason in words."""
    with Store(parse_store_address(registry)) as store:
        flows = Flows(Team(store, PROJECT))
        flows.abandon(flows.list()[0].flow_id, "pat", why="not needed")
    item = items_of(studio)["team"]
    assert (item["state"], item["then"]) == ("closed", "The flow is abandoned: not needed.")


def test_what_a_person_may_not_answer_is_shown_and_says_why(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A holder of a plan, somebody with too low a role, and a stranger see the question, with the reason and with who may answer;
    it is not theirs, and answering is 403."""
    with Store(parse_store_address(registry)) as store:
        Members(Team(store, PROJECT)).give_role("low", "member", "ann")
    for name, why in (("ann", "holds a plan"), ("low", "is a member"), ("stranger", "is not a member")):
        monkeypatch.setenv("VOLITION_HOLDER", name)
        with serving(tmp_path, registry=str(registry)) as studio:
            item = items_of(studio)["team"]
            assert (item["state"], item["mine"]) == ("open", False)
            assert why in item["why_not"]["what"]
            assert "pat" in item["why_not"]["expected"]
            assert studio.get("/inbox/counts")["mine"] == 0
            assert studio.refusal("POST", f"/inbox/items/{item['id']}/answer", choice(item))[0] == 403
    assert history(registry, "answered") == []


def test_a_person_without_a_name_answers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saved evaluations need no key, but a name that can be read."""
    monkeypatch.setenv("VOLITION_HOLDER", "\u200b")
    with serving(tmp_path) as studio:
        save_sample(studio)
        item = items_of(studio)["evaluation"]
        assert (item["mine"], item["why_not"]["expected"]) == (False, "a name that can be read")
        assert studio.refusal("POST", f"/inbox/items/{item['id']}/answer", choice(item))[0] == 403


def test_a_registry_that_is_gone_takes_nothing_else(tmp_path: Path) -> None:
    """The saved questions stay, and the problem is told; an unknown id is 404."""
    with serving(tmp_path, registry=str(tmp_path / "missing.db")) as studio:
        save_sample(studio)
        shown = studio.get("/inbox")
        assert ([one["source"] for one in shown["items"]], shown["problem"]["what"]) == (
            ["evaluation"],
            "there is no registry",
        )
    with serving(tmp_path) as studio:
        assert studio.get("/inbox")["problem"] is None
        assert studio.refusal("GET", "/inbox/items/nothing")[0] == 404


def test_a_long_inbox_is_cut_and_counted(studio: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit items are counted and not listed; open ones come first, and what is not listed is found by its id."""
    last = studio.get("/inbox")["items"][-1]["id"]
    monkeypatch.setattr("volition.studio.inbox.LISTED", 1)
    shown = studio.get("/inbox")
    assert (len(shown["items"]), shown["left_out"], shown["counts"]["open"]) == (1, 1, 2)
    assert studio.get(f"/inbox/items/{last}")["item"]["id"] == last


def test_a_broken_evaluation_takes_nothing_else(studio: Served, tmp_path: Path) -> None:
    """A saved evaluation that was changed by hand is left out."""
    folder = next((tmp_path / "volition-evaluations").iterdir())
    (folder / "question_pack.json").write_text("{}", encoding="utf-8")
    assert list(items_of(studio)) == ["team"]


def test_changes_are_streamed(studio: Served, registry: Path) -> None:
    """Whoever follows is told at once, and then whenever the registry or the saved evaluations change; the stream ends with the
    studio."""
    parts: list[list[str]] = []
    with studio.client.stream("GET", "/api/v1/changes/live") as answer:
        lines = (line.removeprefix("data: ") for line in answer.iter_lines() if line.startswith("data: "))
        parts.append(json.loads(next(lines))["parts"])
        with Store(parse_store_address(registry)) as store:
            Team(store, PROJECT).register(document("cccccc", "c.py"), "cat")
        parts.append(json.loads(next(lines))["parts"])
        save_sample(studio)
        parts.append(json.loads(next(lines))["parts"])
        studio.studio.stop_all()
        assert json.loads(next(lines)) == {"reason": "stopped"}
    assert parts == [["registry", "evaluations", "guard"], ["registry"], ["evaluations"]]
    wait_for(lambda: not any(job.is_running for job in studio.studio.changes.all()), "the follower ends")

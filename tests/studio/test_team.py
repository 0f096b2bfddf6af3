"""The team's registry in the studio: who works on what, and questions that are answered once, as they were shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.studio.served import Served, serving
from tests.workflow.plans import PROJECT, document
from volition.workflow import NOTIFY_ALL, Flows, Members, Store, Team, parse_store_address, verify_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """A registry in which two plans collide, and a person is asked."""
    with Store(parse_store_address(tmp_path / "team.db")) as store:
        flows = Flows(Team(store, PROJECT))
        flows.team.register(document("aaaaaa", "a.py"), "ann")
        flows.team.register(document("bbbbbb", "a.py"), "bob", wait=True)
        flows.start(NOTIFY_ALL, "pat")
    return tmp_path / "team.db"


@pytest.fixture
def team(tmp_path: Path, registry: Path) -> Iterator[Served]:
    with serving(tmp_path, registry=str(registry)) as one:
        yield one


@pytest.mark.req("AG-01")
def test_a_question_is_answered_in_the_studio(team: Served, registry: Path) -> None:
    """Plans, flows and open questions are shown. An answer to what was shown is recorded under the person's name, once; an
    answer to another question, or to one that is closed, is refused and changes nothing."""
    shown = team.get("/team")
    assert (shown["registry"], shown["project"]) == ("team.db", PROJECT)
    assert [(one["title"], one["holder"], one["state"]) for one in shown["plans"]] == [
        ("Plan of aaaaaa", "ann", "active"),
        ("Plan of bbbbbb", "bob", "waiting"),
    ]
    (flow,) = shown["flows"]
    assert [(one["plan"], one["title"], one["command"], one["words"]) for one in flow["actions"]] == [
        (f"intent_{name}", f"Plan of {name}", "change_it", "left to the holder of the plan")
        for name in ("aaaaaa", "bbbbbb")
    ]
    pack = flow["question_pack"]
    (question,) = pack["questions"]
    choice = {question["question_id"]: question["options"][-1]["option_id"]}
    said = {"project": PROJECT, "checksum": pack["checksum"], "choices": choice, "by": "kim"}
    path = f"/team/flows/{flow['id']}/answer"
    status, problem = team.refusal("POST", path, {**said, "checksum": "0" * 64})
    assert (status, "not 0000" in problem["what"]) == (409, True)
    assert team.refusal("POST", path, {**said, "choices": {}})[0] == 400
    assert team.refusal("POST", path, {**said, "by": ""})[0] == 400
    assert team.refusal("POST", path, {**said, "project": "nobodys"})[0] == 404
    assert "'kim' is not a member" in team.refusal("POST", path, said)[1]["what"]
    with Store(parse_store_address(registry)) as store:
        Members(Team(store, PROJECT)).join("kim")
    judged = team.post(path, said)
    assert (judged["state"], [one["node"] for one in judged["actions"]]) == ("judged", ["node_0001", "node_0002"])
    status, problem = team.refusal("POST", path, said)
    assert (status, "cannot be answered" in problem["what"]) == (409, True)
    with Store(parse_store_address(registry)) as store:
        answered = [event for event in Team(store, PROJECT).history() if event.what == "answered"]
        assert [(event.actor, event.body["choices"]) for event in answered] == [("kim", choice)]
        assert verify_registry(store, PROJECT).faults == ()
    assert team.get(f"/team?project={PROJECT}")["flows"][0]["question_pack"] is None


def test_a_studio_without_a_registry_says_so(served: Served, tmp_path: Path) -> None:
    """Nothing is shown and nothing can be answered where no registry is named; one that is not there is not made."""
    assert served.get("/team") == {
        "registry": None, "projects": [], "project": None, "by": "", "plans": [], "flows": [], "left_out": 0,
    }  # fmt: skip
    said = {"project": PROJECT, "checksum": "0" * 64, "choices": {}, "by": "kim"}
    assert served.refusal("POST", "/team/flows/flow_x/answer", said)[0] == 404
    with serving(tmp_path, registry=str(tmp_path / "missing.db")) as one:
        assert one.refusal("GET", "/team")[1]["what"] == "there is no registry"
    assert not (tmp_path / "missing.db").exists()


@pytest.mark.req("WF-10")
def test_a_question_that_is_over_is_not_asked(team: Served, registry: Path) -> None:
    """A flow whose plan has expired is void with the reason, and its question is gone, though nobody has swept it."""
    with Store(parse_store_address(registry)) as store, store.write() as connection:
        connection.exec_driver_sql("UPDATE plan SET lease_until = 1")
    shown = team.get("/team")
    (flow,) = shown["flows"]
    assert (flow["state"], flow["reason"], flow["question_pack"]) == ("void", "intent_aaaaaa is expired", None)
    assert shown["plans"] == []

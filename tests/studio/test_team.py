"""The team's registry in the studio: who works on what, and questions that are answered once, as they were shown."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.keys import key_text
from tests.studio.served import Served, serving
from tests.workflow.plans import PROJECT, document
from volition.agents.guard.journal import append
from volition.core import signing
from volition.core.signing import lock_key, own_signer
from volition.workflow import NOTIFY_ALL, Flows, Members, Store, Team, parse_store_address, verify_registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told
    from volition.drama import Evening
    from volition.workflow.store.events import RecordedEvent


@cache
def contested_registry() -> bytes:
    """A registry in which two plans collide, and a person is asked: the file, which is made once."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "team.db")
        with Store(parse_store_address(file)) as store:
            flows = Flows(Team(store, PROJECT))
            flows.team.register(document("aaaaaa", "a.py"), "ann")
            flows.team.register(document("bbbbbb", "a.py"), "bob", wait=True)
            flows.start(NOTIFY_ALL, "pat")
        return file.read_bytes()


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """A copy of that registry."""
    (tmp_path / "team.db").write_bytes(contested_registry())
    return tmp_path / "team.db"


@pytest.fixture
def team(tmp_path: Path, registry: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A studio that pat started: an approver who holds no plan."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    with serving(tmp_path, registry=str(registry)) as one:
        yield one


def history(registry: Path, *what: str) -> list[RecordedEvent]:
    """The events of these kinds; the whole record must be lawful and signed."""
    with Store(parse_store_address(registry)) as store:
        assert verify_registry(store, PROJECT).faults == ()
        return [event for event in Team(store, PROJECT).history() if event.what in what]


def answer_to(flow: dict[str, Any]) -> dict[str, Any]:
    """An answer to what a flow shows."""
    pack = flow["question_pack"]
    (question,) = pack["questions"]
    choices = {question["question_id"]: question["options"][-1]["option_id"]}
    return {"project": PROJECT, "checksum": pack["checksum"], "choices": choices}


@pytest.mark.req("AG-01")
def test_a_question_is_answered_in_the_studio(team: Served, registry: Path, told: Told) -> None:
    """Plans, flows and open questions are shown. An answer to what was shown is recorded under the name of the person who
    started the studio, once; an answer to another question, or to one that is closed, is refused and changes nothing."""
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
    said = answer_to(flow)
    path = f"/team/flows/{flow['id']}/answer"
    status, problem = team.refusal("POST", path, {**said, "checksum": "0" * 64})
    assert (status, "not 0000" in problem["what"]) == (409, True)
    assert team.refusal("POST", path, {**said, "choices": {}})[0] == 400
    assert team.refusal("POST", path, {**said, "project": "nobodys"})[0] == 404
    judged = team.post(path, said)
    assert (judged["state"], [one["node"] for one in judged["actions"]]) == ("judged", ["node_0001", "node_0002"])
    status, problem = team.refusal("POST", path, said)
    assert status == 409
    told(problem["what"])
    assert [(one.actor, one.body["choices"]) for one in history(registry, "answered")] == [("pat", said["choices"])]
    assert team.get(f"/team?project={PROJECT}")["flows"][0]["question_pack"] is None


@pytest.mark.parametrize("name", ["kim", "", " ", "\u200b"])
def test_nobody_says_who_they_are(team: Served, registry: Path, name: str) -> None:
    """An answer, an approval or a claim with a name in it is refused: who acts is who started the studio."""
    (flow,) = team.get("/team")["flows"]
    approval = {"project": PROJECT, "graph_hash": "0" * 64}
    claim = {"project": PROJECT, "plan": json.loads(document("cccccc", "c.py"))}
    for path, said in (
        (f"/team/flows/{flow['id']}/answer", answer_to(flow)),
        (f"/team/flows/{flow['id']}/approve", approval),
        ("/team/plans", claim),
    ):
        for key in ("by", "holder", "who"):
            assert team.refusal("POST", path, {**said, key: name})[0] == 400
    assert history(registry, "answered", "approved") == []


def test_everything_is_done_in_one_name_and_listed(team: Served, registry: Path, evening: Evening) -> None:
    """Answers, approvals, claims and forks carry the name of the person, are signed with their key where the registry signs, and
    are listed with their results, the newest first."""
    (flow,) = team.get("/team")["flows"]
    assert (flow["may"], team.get("/team")["me"]["role"]) == (["answer"], "approver")
    judged = team.post(f"/team/flows/{flow['id']}/answer", answer_to(flow))
    assert judged["may"] == ["approve"]
    path = f"/team/flows/{flow['id']}/approve"
    assert team.refusal("POST", path, {"project": PROJECT, "graph_hash": "0" * 64})[0] == 409
    approved = team.post(path, {"project": PROJECT, "graph_hash": judged["graph_hash"]})
    assert approved["state"] == "approved"
    claimed = team.post("/team/plans", {"project": PROJECT, "plan": json.loads(document("cccccc", "c.py"))})
    assert (claimed["outcome"], claimed["obstacles"]) == ("granted", [])
    assert claimed["token"] > 0
    evening.save(team.studio.store.folder / "volition-runs" / "evening")
    chosen = team.get("/runs/evening/decisions/58/victor")["decision"]["candidate"]
    forked = team.post("/runs/evening/forks", {"at": 58, "agent": "victor", "veto": chosen})
    assert forked["by"] == "pat"
    acts = team.get("/acts")["acts"]
    mine = [(one["who"], one["what"], one["about"]) for one in acts if one["who"] == "pat"]
    assert mine == [
        ("pat", "fork", "evening"),
        ("pat", "claim", "intent_cccccc"),
        ("pat", "approve", flow["id"]),
        ("pat", "answer", flow["id"]),
    ]
    assert acts[0]["result"] == forked["run"]
    assert [one["result"] for one in acts if one["who"] == "ann"] == ["granted"]
    signers = {one["signer"] for one in acts}
    assert signers == {event.signer for event in history(registry, "answered", "approved", "granted")}
    assert len(team.get("/acts?most=2")["acts"]) == 2
    assert [one.actor for one in history(registry, "answered", "approved")] == ["pat", "pat"]


def test_what_a_person_may_not_do_is_said_and_refused(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever holds a plan of a flow, has too low a role, is no member, or has another key than that of their name, is told so in
    the data and refused with 403; nothing is recorded."""
    with Store(parse_store_address(registry)) as store:
        Members(Team(store, PROJECT)).give_role("low", "member", "ann")
    cases = {"ann": ["answer", "approve", "claim"], "low": ["claim"], "stranger": ["claim"]}
    for name, may in cases.items():
        monkeypatch.setenv("VOLITION_HOLDER", name)
        with serving(tmp_path, registry=str(registry)) as studio:
            shown = studio.get("/team")
            (flow,) = shown["flows"]
            assert (sorted(shown["me"]["may"]), flow["may"]) == (may, [])
            assert studio.refusal("POST", f"/team/flows/{flow['id']}/answer", answer_to(flow))[0] == 403
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    monkeypatch.setenv("VOLITION_KEY", key_text(bytes(range(9, 41))))
    with serving(tmp_path, registry=str(registry)) as studio:
        me = studio.get("/team")["me"]
        assert (me["may"], "another key" in me["problem"]["what"]) == ([], True)
        assert studio.refusal("POST", f"/team/flows/{flow['id']}/answer", answer_to(flow))[0] == 403
    monkeypatch.undo()
    assert history(registry, "answered") == []


def test_without_a_key_the_studio_looks(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """A user without a key sees everything and does nothing; the data say how to get a key, and no key is made. With a key the
    next request acts."""
    file = tmp_path / "keys" / "key.pem"
    monkeypatch.setenv("VOLITION_HOLDER", "newcomer")
    monkeypatch.setenv("VOLITION_KEY", str(file))
    with serving(tmp_path, registry=str(registry)) as studio:
        shown = studio.get("/team")
        assert len(shown["plans"]) == 2
        assert shown["me"]["may"] == []
        told(shown["me"]["problem"]["remedy"])
        claim = {"project": PROJECT, "plan": json.loads(document("cccccc", "c.py"))}
        status, problem = studio.refusal("POST", "/team/plans", claim)
        assert (status, problem["what"]) == (403, "this user has no key to sign with")
        assert not file.exists()
        own_signer()
        assert studio.get("/team")["me"]["may"] == ["claim"]
        assert studio.post("/team/plans", claim)["outcome"] == "granted"


def test_a_locked_key_is_not_asked_for_by_a_request(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A locked key that nobody opened at the start lets the studio look; no request waits for a passphrase."""
    file = tmp_path / "key.pem"
    monkeypatch.setenv("VOLITION_KEY", str(file))
    own_signer()
    lock_key(file, "open sesame")
    signing._parse_key.cache_clear()
    with serving(tmp_path, registry=str(registry)) as studio:
        me = studio.get("/team")["me"]
        assert (me["may"], me["problem"]["what"]) == ([], "the key of this user is locked")
        monkeypatch.setenv("VOLITION_KEY_PASSPHRASE", "open sesame")
        studio.studio.actor.open_key()
        assert studio.get("/team")["me"]["problem"] is None


@pytest.mark.parametrize("name", [" ", "\u200b", "\u2800", "\u3164", "a\u202eb", "\x1b[2J", "pat "])
def test_a_blank_name_does_nothing(registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A name that cannot be read acts nowhere, and the data say so."""
    monkeypatch.setenv("VOLITION_HOLDER", name)
    with serving(tmp_path, registry=str(registry)) as studio:
        me = studio.get("/team")["me"]
        assert (me["name"], me["may"], me["problem"]["expected"]) == ("", [], "a name that can be read")
        claim = {"project": PROJECT, "plan": json.loads(document("cccccc", "c.py"))}
        assert studio.refusal("POST", "/team/plans", claim)[0] == 403


def test_a_studio_without_a_registry_says_so(served: Served, tmp_path: Path) -> None:
    """Nothing is shown and nothing can be answered where no registry is named; one that is not there is not made."""
    assert served.get("/team") == {
        "registry": None, "projects": [], "project": None, "me": None, "plans": [], "flows": [], "left_out": 0,
        "guarded": False, "refusals": [],
    }  # fmt: skip
    said = {"project": PROJECT, "checksum": "0" * 64, "choices": {}}
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
    assert flow["titles"] == {"intent_aaaaaa": "Plan of aaaaaa", "intent_bbbbbb": "Plan of bbbbbb"}
    assert shown["plans"] == []


def test_a_question_says_how_long_it_waits(team: Served, registry: Path) -> None:
    """An open question says until when it waits and how long that is; one that nobody answered in time is shown as expired, before
    and after anybody has noticed, and may not be answered."""
    (flow,) = team.get("/team")["flows"]
    week = 7 * 86400
    assert week - 3600 < flow["seconds_left"] <= week
    assert abs(flow["answer_until"] - time() - week) < 3600
    assert flow["expired"] is False
    with Store(parse_store_address(registry)) as store, store.write() as connection:
        connection.exec_driver_sql("UPDATE question SET expires_at = 1000")
    (late,) = team.get("/team")["flows"]
    assert (late["expired"], late["seconds_left"], late["answer_until"], late["may"]) == (True, None, 1.0, [])
    assert (late["state"], late["reason"], late["question_pack"]) == ("void", "nobody answered in time", None)
    assert team.refusal("POST", f"/team/flows/{flow['id']}/answer", answer_to(flow))[0] == 409
    with Store(parse_store_address(registry)) as store:
        Team(store, PROJECT).register(document("dddddd", "d.py"), "dan")  # whoever acts next notices
    (swept,) = team.get("/team")["flows"]
    assert (swept["expired"], swept["state"]) == (True, "void")


def test_plans_say_who_works_on_what_since_when(team: Served, registry: Path) -> None:
    """Each open plan says its person and the session of their agent, since when it is held or waits, also after a revision, what it
    claims by file and part, and behind whom it waits for what."""
    with Store(parse_store_address(registry)) as store:
        project = Team(store, PROJECT)
        project.register(document("cccccc", "src/cart.py#Cart.total", "docs"), "cat@7f3c/tester")
        begun = {event.subject: event.at / 1000 for event in project.history() if event.what in {"granted", "waiting"}}
        token = next(plan.token for plan in project.list() if plan.plan_id == "intent_cccccc")
        project.revise(document("cccccc", "src/cart.py#Cart.total", "docs", "more.py"), token)
    plans = {one["id"]: one for one in team.get("/team")["plans"]}
    assert {name: plan["since"] for name, plan in plans.items()} == begun
    mine = plans["intent_cccccc"]
    assert (mine["person"], mine["agent"], plans["intent_aaaaaa"]["agent"]) == ("cat", "7f3c/tester", "")
    assert [(one["place"], one["part"], one["does"]) for one in mine["claims"]] == [
        ("docs", "", "write"),
        ("more.py", "", "write"),
        ("src/cart.py", "Cart.total", "write"),
    ]
    waiting = plans["intent_bbbbbb"]
    assert (waiting["place"], plans["intent_aaaaaa"]["place"]) == (1, 0)
    assert waiting["behind"] == [
        {"plan": "intent_aaaaaa", "title": "Plan of aaaaaa", "holder": "ann", "resources": ["a.py"]}
    ]


def test_what_the_guard_refused_today_is_listed(tmp_path: Path) -> None:
    """The refusals of the repository that the folder is in are listed with the file and the reason, in a linked worktree too; what
    passed, what was refused yesterday, and lines that cannot be read are not."""
    home = tmp_path / "repository" / ".git" / "volition"
    home.mkdir(parents=True)
    now = int(time() * 1000)
    entry = {"client": "codex", "session": "7f3c", "tool": "shell", "tree": "/r", "targets": ["/r/a.py", "b.py"]}
    for at, what in ((now - 2 * 86_400_000, "deny"), (now, "pass"), (now, "deny"), (now, "failure")):
        append(str(home), {**entry, "at": at, "what": what, "reasons": [f"a.py is not in your plan ({what})"]})
    with (home / "journal.jsonl").open("ab") as file:
        file.write(b"{torn\n\xff\n[]\n")
    linked = tmp_path / "linked"
    (linked / "below").mkdir(parents=True)
    own = home.parent / "worktrees" / "linked"
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n", encoding="utf-8")
    (linked / ".git").write_text(f"gitdir: {own}\n", encoding="utf-8")
    for folder in (home.parents[1], linked / "below"):
        with serving(folder) as studio:
            shown = studio.get("/team")
        assert shown["guarded"]
        assert [(one["session"], one["files"], one["reasons"]) for one in shown["refusals"]] == [
            ("7f3c", ["a.py", "b.py"], ["a.py is not in your plan (failure)"]),
            ("7f3c", ["a.py", "b.py"], ["a.py is not in your plan (deny)"]),
        ]

"""`volition team`, the people: roles, settings, keys and rights, as people type them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import run, run_json
from tests.keys import VARIABLE
from tests.workflow.plans import document

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("WF-09")
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Path:
    """A registry in which ann, whose key is in a file, has registered a plan."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOLITION_REGISTRY", "team.db")
    monkeypatch.setenv("VOLITION_HOLDER", "ann")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "key.pem"))
    (tmp_path / "plan.json").write_bytes(document("aaaaaa", "a.py"))
    assert run(capsys, "team", "register", "plan.json").code == 0
    return tmp_path


def test_people_join_and_get_roles(capsys: Captured) -> None:
    """The keeper appoints, others join, and every command says who is there; what is not theirs to do exits with 3."""
    ended = run(capsys, "team", "members")
    assert (ended.code, ended.out.splitlines()[0].split()) == (0, ["name", "role", "key"])
    assert run_json(capsys, "team", "join", "--by", "bob")[1][1]["role"] == "approver"
    assert run(capsys, "team", "role", "bob", "keeper", "--by", "bob").code == 3
    code, people = run_json(capsys, "team", "role", "bob", "member")
    assert (code, [(each["name"], each["role"]) for each in people]) == (0, [("ann", "keeper"), ("bob", "member")])
    assert run(capsys, "team", "role", "bob", "boss").code == 2


def test_settings_are_printed_and_changed(capsys: Captured, told: Told) -> None:
    """Without an option the settings are printed; a keeper changes them, one by one."""
    assert run_json(capsys, "team", "settings") == (0, {"own_approval": "refuse", "newcomers": "approver"})
    code, found = run_json(capsys, "team", "settings", "--newcomers", "refused")
    assert (code, found) == (0, {"own_approval": "refuse", "newcomers": "refused"})
    ended = run(capsys, "team", "join", "--by", "bob")
    assert ended.code == 3
    told(ended.err)
    told(run(capsys, "team", "settings", "--own-approval", "allow").out)


@pytest.mark.parametrize("name", ["", " ", "ann "])
def test_a_blank_name_is_refused(capsys: Captured, name: str, told: Told) -> None:
    """A name that is given and blank is not replaced by another one: the line is refused."""
    for words in (
        ["team", "join", "--by", name],
        ["team", "register", "plan.json", "--holder", name],
        ["team", "role", "bob", "member", "--by", name],
        ["flow", "start", "--notify", "--by", name],
    ):
        ended = run(capsys, *words)
        assert ended.code == 2, words
        told(ended.err)


def test_an_own_key_is_rotated(capsys: Captured, desk: Path, told: Told) -> None:
    """A new key takes the place of the old one, which is kept; the same user goes on, and the record verifies with the first."""
    code, before = run_json(capsys, "team", "key")
    code, done = run_json(capsys, "team", "key", "rotate")
    assert (code, done["before"], done["names"]) == (0, before["public"], [{"project": "shop", "name": "ann"}])
    assert run_json(capsys, "team", "key")[1]["public"] == done["public"]
    assert (desk / f"key.pem.{before['public'][:16]}.old").exists()
    assert run(capsys, "team", "renew", "intent_aaaaaa", "--token", "3").code == 0
    assert run(capsys, "flow", "verify", "--key", "ann", before["public"]).code == 0
    ended = run(capsys, "flow", "verify", "--key", "ann", done["public"])
    assert ended.code == 3
    told(ended.out)


def test_a_keeper_revokes_and_gives_a_key(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, desk: Path, told: Told
) -> None:
    """A name whose key was revoked does nothing until a keeper gives it another one."""
    run(capsys, "team", "join", "--by", "bob")
    people = run_json(capsys, "team", "key", "revoke", "bob")[1]
    assert {each["name"]: each["key"] for each in people}["bob"] == "revoked"
    (desk / "b.json").write_bytes(document("bbbbbb", "b.py"))
    register = ("team", "register", "b.json", "--holder", "bob")
    ended = run(capsys, *register)
    assert ended.code == 3
    told(ended.err)
    with monkeypatch.context() as theirs:
        theirs.setenv(VARIABLE, str(desk / "bob.pem"))
        public = run_json(capsys, "team", "key")[1]["public"]
    assert run(capsys, "team", "key", "rotate", "--name", "bob", "--public", public).code == 0
    with monkeypatch.context() as theirs:
        theirs.setenv(VARIABLE, str(desk / "bob.pem"))
        assert run(capsys, *register).code == 0
    ended = run(capsys, "flow", "verify")
    assert (ended.code, f"bob was given the key {public[:16]}... by ann" in ended.out) == (0, True)
    assert run(capsys, "team", "key", "rotate", "--name", "bob").code == 2
    assert run(capsys, "team", "key", "rotate", "--name", "bob", "--public", "xyz").code == 2


def test_rights_are_printed(capsys: Captured, told: Told) -> None:
    """The SQL for a member's user lets events be appended and not changed; it needs no registry."""
    ended = run(capsys, "team", "grants", "--role", "ann")
    assert ended.code == 0
    told(ended.out)
    assert "DELETE" not in ended.out
    code, found = run_json(capsys, "team", "grants", "--role", "kim", "--keeper")
    assert (code, "DELETE" in found["statements"][-1]) == (0, True)
    assert run(capsys, "team", "grants", "--role", "").code == 2

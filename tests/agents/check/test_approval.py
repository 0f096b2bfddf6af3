"""Approvals: a person's signature makes a draft of the base count, and nothing that an agent or a branch can do does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.check.test_changes import put_base
from tests.agents.check.test_check import change
from tests.agents.desks import git
from tests.cli.lines import run, run_json
from volition.agents.check.approval import approval_fault
from volition.agents.guard.sessions import SESSION_VARIABLES
from volition.core.signing import own_signer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agents.desks import Desk
    from tests.sentences import Told

pytestmark = pytest.mark.req("AG-05")
CHECK = ("check", "main..HEAD", "--plans", "plans")


@pytest.fixture
def draft(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A draft in the base, with a policy that lists the key of this user, and a branch that does what it says."""
    monkeypatch.chdir(desk.repo)
    for name in SESSION_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VOLITION_KEY", str(desk.repo.parent / "ann.pem"))
    policy = f'[check.approvers]\nann = "{own_signer().public}"\n'
    file = put_base(desk.repo, policy, "src/free.py", status="draft")
    git(desk.repo, "checkout", "-qb", "work")
    change(desk.repo, "src/free.py")
    return file


def approve_on_main(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Approve the draft on main, and bring main back."""
    repo = draft.parent.parent
    git(repo, "checkout", "-q", "main")
    assert run(capsys, "check", "approve", str(draft)).code == 0
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "approved")
    git(repo, "checkout", "-q", "work")


def test_a_person_approves_a_draft(draft: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A draft approves nothing, and whoever names it is told so, and not what to type; once a person has signed it in the base it
    counts, and once it is changed it is a draft again."""
    assert run(capsys, *CHECK).code == 3
    done = run(capsys, *CHECK, "--plan", "intent_spelled")
    assert done.code == 2
    told(done.err)
    assert "check approve" not in done.err
    approve_on_main(draft, capsys)
    assert run_json(capsys, *CHECK)[1]["plans"] == ["intent_spelled"]
    assert run(capsys, *CHECK).code == 0
    repo = draft.parent.parent
    git(repo, "checkout", "-q", "main")
    put_base(repo, (repo / "plans" / "policy.toml").read_text(), "src/free.py", "src/theirs.py", status="draft")
    git(repo, "checkout", "-q", "work")
    assert run(capsys, *CHECK).code == 3
    told(run(capsys, *CHECK, "--plan", "intent_spelled").err)


def test_a_branch_cannot_bring_an_approval(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An approval that only the branch has does not count, even with the right key."""
    assert run(capsys, "check", "approve", str(draft)).code == 0
    git(draft.parent.parent, "add", "-A")
    git(draft.parent.parent, "commit", "-qm", "approved by the branch")
    code, data = run_json(capsys, *CHECK)
    assert (code, data["plans"]) == (3, [])


def test_a_key_that_the_policy_does_not_list(
    draft: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature with an unknown key does not approve anything, and the refusal says what is missing."""
    monkeypatch.setenv("VOLITION_KEY", str(draft.parent.parent.parent / "eve.pem"))
    approve_on_main(draft, capsys)
    assert run(capsys, *CHECK).code == 3
    assert "[check.approvers]" in run(capsys, *CHECK, "--plan", "intent_spelled").err


@pytest.mark.parametrize("name", SESSION_VARIABLES)
def test_an_agent_cannot_approve(
    draft: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the session of an agent nothing is signed, and a person is asked for."""
    monkeypatch.setenv(name, "session-1")
    done = run(capsys, "check", "approve", str(draft))
    assert (done.code, done.out, [*draft.parent.glob("*.approval.json")]) == (3, "", [])


def test_what_cannot_be_approved(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No plan, an approval itself, a plan that is approved already or rejected: each is refused, and nothing is written."""
    repo = draft.parent.parent
    (repo / "x.json").write_text("{}")
    for name in ("x.json", "nowhere.json", "src/free.py", "plans"):
        assert run(capsys, "check", "approve", name).code == 2
    for status in ("approved", "rejected", "superseded"):
        put_base(repo, "", "src/free.py", status=status)
        assert f"is {status}" in run(capsys, "check", "approve", str(draft)).err
    assert [*repo.rglob("*.approval.json")] == []


def test_every_forged_approval_is_named(draft: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever field of an approval is changed, dropped or of another type, the plan is not approved, and the reason is
    said."""
    assert run(capsys, "check", "approve", str(draft)).code == 0
    document = draft.read_bytes()
    made: dict[str, Any] = json.loads(draft.with_name("intent_spelled.approval.json").read_bytes())
    approvers = {"ann": made["key"]}
    assert approval_fault(json.dumps(made).encode(), "intent_spelled", document, approvers) == ""
    for key, value in made.items():
        others: tuple[Any, ...] = (None, 7, "", "0" * 64, "ff" * 64, [], f"{value}0")
        for other in others:
            forged = json.dumps({**made, key: other}).encode()
            assert approval_fault(forged, "intent_spelled", document, approvers), (key, other)
        without = json.dumps({name: said for name, said in made.items() if name != key}).encode()
        assert approval_fault(without, "intent_spelled", document, approvers)
    for broken in (b"", b"[]", b"\xff", b"{", b'{"format": 1}'):
        assert approval_fault(broken, "intent_spelled", document, approvers)
    assert approval_fault(json.dumps(made).encode(), "intent_other", document, approvers)
    assert approval_fault(json.dumps(made).encode(), "intent_spelled", document + b" ", approvers)
    assert approval_fault(json.dumps(made).encode(), "intent_spelled", document, {})

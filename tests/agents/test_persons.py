"""An agent's session cannot change what holds it: real processes try, below a client, with their traces removed."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.desks import MINE, SESSION, THEIRS, event
from tests.cli.lines import commands
from volition.agents import reserved
from volition.agents.persons import AgentSession, agent_around

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agents.desks import Desk
    from tests.sentences import Told

pytestmark = pytest.mark.req("AG-05")
TRY = """
import contextlib, io, json, sys
from volition.cli.main import main
found = []
for line in json.loads(sys.stdin.read()):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(line)
    found.append([code, out.getvalue() + err.getvalue()])
print(json.dumps(found))
"""
KEPT = ("PATH", "HOME", "VOLITION_KEY", "VOLITION_AGENT_KEY")


def below(desk: Desk, program: str, lines: list[list[str]], *before: str, **variables: str) -> list[tuple[int, str]]:
    """Run command lines of Volition in one process below a program of this name, which first runs other lines of shell;
    the process itself has an environment without a trace of a session."""
    bare = " ".join(f"{name}={shlex.quote(os.environ[name])}" for name in KEPT if name in os.environ)
    script = desk.repo.parent / program
    text = "\n".join(["#!/bin/sh", *before, f'env -i {bare} {sys.executable} -c "$1"', "exit $?", ""])
    script.write_text(text)
    script.chmod(0o700)
    done = subprocess.run(
        [str(script), TRY], cwd=desk.repo, env={**os.environ, **variables}, input=json.dumps(lines),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [(code, said) for code, said in json.loads(done.stdout)]


def attacks(desk: Desk) -> list[list[str]]:
    """What an agent could type to get out of what holds it."""
    at = ["--registry", str(desk.registry)]
    plan = desk.repo / "src" / "intent_draft.json"
    return [
        ["guard", "use", THEIRS],
        ["guard", "reset"],
        ["guard", "unreachable", "record"],
        ["agents", "uninstall"],
        ["agents", "install", "claude", *at],
        ["team", "withdraw", THEIRS, "--by", "bob", *at],
        ["team", "withdraw", THEIRS, *at],
        ["team", "finish", THEIRS, "--by", "bob", "--token", "2", *at],
        ["team", "release", THEIRS, "--reason", "x", "--by", "ann", *at],
        ["team", "role", "eve", "keeper", "--by", "ann", *at],
        ["team", "settings", "--own-approval", "allow", "--by", "ann", *at],
        ["team", "join", "--by", "ann", *at],
        ["team", "key", "revoke", "ann", "--by", "ann", *at],
        ["flow", "approve", "flow_1", "--by", "ann", *at],
        ["flow", "answer", "flow_1", "--choose", "question_0001=option_0001", *at],
        ["flow", "start", "--notify", "--by", "bob", *at],
        ["check", "approve", str(plan)],
        ["studio", *at],
    ]  # fmt: skip


def record(desk: Desk) -> Any:
    """The registry and the guard, as they are."""
    team = desk.team()
    events = [(each.what, each.subject) for each in team.history()]
    team.store.close()
    home = desk.repo / ".git" / "volition"
    kept = [home / "guard.json", *home.glob("sessions/*"), *home.glob("trees/*.plans.json")]
    return events, {str(path): path.read_text() for path in kept}, sorted(path.name for path in desk.repo.iterdir())


def hook(desk: Desk) -> str:
    """The line by which a client asks the guard before it runs a command."""
    said = desk.repo.parent / "event.json"
    said.write_text(json.dumps(event("claude", desk.repo, way="shell", command="python3 work.py")))
    return f"{sys.executable} -I -m volition.agents.guard {desk.setting.home} claude < {said} || exit 9"


@pytest.mark.parametrize("way", ["its call is running", "its variable was set", "its client is known"])
def test_an_agent_cannot_lift_what_holds_it(desk: Desk, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a client, however it is known and whatever its shell unsets, every way out is refused for want of a person, the
    registry and the guard stay as they are, and no refusal says what to type."""
    monkeypatch.delenv("VOLITION_SESSION", raising=False)
    before = record(desk)
    if way == "its call is running":
        tried = below(desk, "helper", attacks(desk), hook(desk))
    elif way == "its variable was set":
        tried = below(desk, "helper", attacks(desk), CODEX_SESSION_ID=SESSION)
    else:
        tried = below(desk, "codex", attacks(desk))
    assert [(code, said) for code, said in tried if code != 3] == []
    assert not [said for _, said in tried if "volition flow approve" in said or "check approve" in said]
    assert all("person" in said or "session" in said for _, said in tried)
    assert record(desk) == before


def test_a_person_can(desk: Desk) -> None:
    """The same commands in a person's shell are not refused for want of a person, and those that the law allows are done."""
    at = ["--registry", str(desk.registry)]
    lines = [line for line in attacks(desk) if line[0] not in {"agents", "studio"}]
    tried = below(desk, "helper", [*lines, ["team", "list", *at, "--json"]])
    assert not [said for _, said in tried if "session of an agent" in said]
    assert tried[0] == (0, f"{desk.repo} works on {THEIRS}\n")
    states = {plan["plan_id"]: plan["state"] for plan in json.loads(tried[-1][1])}
    assert states == {MINE: "active", THEIRS: "withdrawn"}


def test_an_agent_acts_in_its_own_name(desk: Desk, tmp_path: Path) -> None:
    """In a session the holder is the session's, without being named; it registers, renews and finishes its own plan under
    any name with its session, and nothing in the name of another session. What it records is signed with the agents' key, so it
    cannot act in a person's name, whatever it claims. Lists, plans and events show it the tokens of its own plans and of no
    others."""
    from tests.workflow.plans import document
    from volition.core.signing import agents_signer, own_signer

    plan = tmp_path / "intent_free.json"
    plan.write_bytes(document("free_one", "src/free.py"))
    mine = "intent_free_one"
    acts = [
        ["team", "register", str(plan)],
        ["team", "renew", mine, "--by", f"eve@{SESSION}"],
        ["team", "renew", mine],
        ["team", "renew", mine, "--by", "eve@other"],
    ]
    looks = [["show", mine], ["list"], ["show", THEIRS], ["history", THEIRS], ["why", THEIRS]]
    lines = [*acts, *(["team", *look, "--json"] for look in looks), ["team", "finish", mine]]
    at = ["--registry", str(desk.registry)]
    tried = below(desk, "helper", [[*line, *at] for line in lines], CODEX_SESSION_ID=SESSION)
    assert [code for code, _ in tried] == [0, 0, 0, 3, *[0] * len(looks), 0], tried
    own, listed, theirs, events, why = [said for _, said in tried[len(acts) : -1]]
    assert json.loads(own)["holder"].endswith(f"@{SESSION}")
    token = json.loads(own)["token"]
    assert token
    assert {one["plan_id"]: one["token"] for one in json.loads(listed)} == {MINE: None, THEIRS: None, mine: token}
    assert json.loads(theirs)["token"] is None
    assert '"token"' not in events + why
    team = desk.team()
    signers = {(each.actor.endswith(f"@{SESSION}"), each.signer) for each in team.history()}
    team.store.close()
    assert signers == {(False, own_signer().public), (True, agents_signer().public)}
    assert own_signer().public != agents_signer().public


def test_an_agent_is_not_told_what_to_type(desk: Desk, told: Told) -> None:
    """Where a flow waits for a person, a person reads the line to type, and an agent that a person is awaited; with its traces
    removed, approving is refused and the flow stays as it is. Who reported what in a flow is told to an agent without the
    token of the report; a person reads it."""
    from volition.workflow import NOTIFY_ALL, FlowDriver, Flows

    team = desk.team()
    flows = Flows(team)
    reported = flows.start(NOTIFY_ALL, "pat", plans=[THEIRS]).flow_id
    flows.approve(reported, "pat")
    FlowDriver(flows, "driver").drive(reported)
    node = next(each for each in flows.status(reported).nodes if each.plan_id == THEIRS)
    flows.report(reported, node.node_id, "done", team.show(THEIRS).token)
    waiting = flows.start(NOTIFY_ALL, "pat", plans=[MINE]).flow_id
    lines = [["show", waiting], ["approve", waiting, "--by", "pat"], ["why", reported, "--json"]]
    asked = [["flow", *line, "--registry", str(desk.registry)] for line in lines]
    (_, read), (code, _), (looked, why) = below(desk, "codex", asked)
    assert ("flow approve" in read, code) == (False, 3)
    told(read)
    assert flows.status(waiting).state == "judged"
    assert (looked, '"token"' in why) == (0, False)
    (_, read), _, (looked, why) = below(desk, "helper", asked)
    assert (f"flow approve {waiting}" in read, flows.status(waiting).state) == (True, "approved")
    assert (looked, '"token"' in why) == (0, True)
    team.store.close()


def test_a_plan_that_a_person_gave_to_a_session_is_its_own(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session acts on a plan that it was bound to, and on no other, whatever token it gives."""
    monkeypatch.setenv("VOLITION_AGENT_KEY", os.environ["VOLITION_KEY"])  # the launcher gave it the holder's key
    at = ["--registry", str(desk.registry)]
    lines = [["team", "renew", THEIRS, "--token", "4", *at], ["team", "renew", MINE, *at]]
    tried = below(desk, "helper", lines, CODEX_SESSION_ID=SESSION)
    assert [code for code, _ in tried] == [3, 0], tried


def test_a_scratch_registry_holds_nobody(desk: Desk) -> None:
    """A session that works elsewhere, and tries things out in a folder for temporary files, is not held by what it made
    there; the registry of its guard is another matter, by whatever name."""
    link = desk.repo.parent / "link.db"
    link.hardlink_to(desk.registry)
    ours = AgentSession("s", frozenset({"s"}), "", (desk.setting,))
    elsewhere = AgentSession("s", frozenset({"s"}), "")
    assert ours.holds_here(str(desk.registry))
    assert ours.holds_here(str(link))
    assert ours.holds_here(str(desk.repo / "src"))
    assert not elsewhere.holds_here(str(desk.registry))
    assert elsewhere.holds_here("/srv/team.db")
    assert elsewhere.holds_here("postgresql://server/team")


def test_a_shell_cannot_name_another_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session that a client's process names counts, and not what a shell below it says afterwards."""
    from volition.agents import persons
    from volition.agents.guard.processes import ProcessLook

    shell = ProcessLook(7, "sh", ("sh",), {"CODEX_SESSION_ID": "mine"}, "")
    forged = ProcessLook(8, "bash", ("bash",), {"CODEX_SESSION_ID": "anns", "VOLITION_SESSION": "anns"}, "")
    monkeypatch.setattr(persons, "look_above", lambda: [forged, shell])
    found = agent_around({"VOLITION_SESSION": "anns"})
    assert found is not None
    assert (found.id, found.ids) == ("mine", frozenset({"mine"}))
    assert found.is_own("eve@mine/sub")
    assert not found.is_own("eve@anns")
    assert not found.is_own("mine")


@pytest.mark.parametrize(
    ("name", "words", "is_client"),
    [
        ("claude", ("claude",), True),
        ("node", ("/usr/bin/node", "/usr/lib/node_modules/bin/gemini"), True),
        ("node", ("node", "/opt/x/codex.js"), True),
        ("codex-linux-san", ("codex-linux-sandbox",), True),
        ("cursor", ("/opt/cursor/cursor",), False),
        ("vim", ("vim", "codex"), False),
        ("bash", ("bash",), False),
        ("claudette", ("claudette",), False),
    ],
)
def test_clients_are_known_by_their_programs(name: str, words: tuple[str, ...], *, is_client: bool) -> None:
    """A client is known by its program, also where a runtime runs it; an editor's terminal is a person's."""
    from volition.agents.guard.processes import ProcessLook
    from volition.agents.persons import _client_in

    assert bool(_client_in(ProcessLook(7, name, words, {}, ""))) == is_client


def test_every_command_has_a_standing() -> None:
    """Every command of a group that holds agents is listed as one for people, for an agent's own plans, or free; and whatever
    takes a name to act in is not free. A new command cannot be forgotten."""
    listed = {*reserved.PEOPLE, *reserved.OWN, *reserved.FREE}
    found = {name.removeprefix("volition "): one for name, one in commands().items() if name != "volition"}
    grouped = {name for name in found if name.partition(" ")[0] in reserved.GROUPS}
    groups = {name for name in grouped if hasattr(found[name], "commands") and name != "team key"}
    assert (grouped | {"check approve", "mcp"}) - groups == listed
    assert not reserved.OWN & reserved.FREE
    assert not set(reserved.PEOPLE) & (reserved.OWN | reserved.FREE)
    acting = {name for name in grouped if {"by", "holder"} & {each.name for each in found[name].params}}
    assert acting - {"team settings"} <= {*reserved.PEOPLE, *reserved.OWN}

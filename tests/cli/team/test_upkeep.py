"""`volition team` for those who live with it: who am I, what is mine, a worker, backups, and being told."""

from __future__ import annotations

import json
import sys
import time
from contextlib import redirect_stdout
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.lines import run, run_json
from tests.processes import PATIENCE
from tests.workflow.killing import Site, kill, start
from tests.workflow.plans import PROJECT, document
from volition.cli.main import main
from volition.cli.show.workflow import shown_moment
from volition.workflow import Flows, Store, Team, parse_store_address
from volition.workflow.store.events import moment

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess
    from pathlib import Path

    from tests.sentences import Told

pytestmark = [pytest.mark.req("WF-10"), pytest.mark.usefixtures("desk")]


def test_a_holder_needs_no_token(capsys: pytest.CaptureFixture[str], team: Any, desk: Path, told: Told) -> None:
    """Without --token the newest grant of the holder counts, for every verb; another name is told whose plan it is, and with
    --token everything is as before."""
    team("register", "aaaaaa.json")
    assert team("renew", "intent_aaaaaa").code == 0
    ended = team("finish", "intent_aaaaaa", "--by", "bob")
    assert ended.code == 3
    told(ended.err)
    assert team("finish", "intent_aaaaaa", "--token", "999").code == 3
    (desk / "aaaaaa.json").write_bytes(document("aaaaaa", "b.py"))
    assert team("revise", "aaaaaa.json").code == 0
    assert team("withdraw", "intent_aaaaaa", "--why", "rain").code == 0
    assert team("register", "aaaaaa.json").code == 0
    _, flow = run_json(capsys, "flow", "start", "--notify")
    run(capsys, "flow", "approve", flow["flow_id"])
    team("worker", "--once")
    assert run(capsys, "flow", "report", flow["flow_id"], "node_0001", "done", "--by", "bob").code == 3
    code, flow = run_json(capsys, "flow", "report", flow["flow_id"], "node_0001", "done")
    assert (code, flow["state"]) == (0, "done")
    assert team("finish", "intent_aaaaaa").code == 0


def test_who_am_i(
    capsys: pytest.CaptureFixture[str], team: Any, monkeypatch: pytest.MonkeyPatch, desk: Path, told: Told
) -> None:
    """Name, role, key, registry and project; a name that has done nothing yet, and one that belongs to another key, are told so."""
    team("register", "aaaaaa.json")
    code, found = run_json(capsys, "team", "me")
    assert (code, found["name"], found["role"], found["project"]) == (0, "ann", "keeper", PROJECT)
    assert found["key"] == found["own_key"]
    assert found["registry"].endswith("team.db")
    told(team("me", "--by", "eve").out)
    monkeypatch.setenv("VOLITION_KEY", str(desk / "other.pem"))
    told(team("me").out)


def test_what_is_mine(capsys: pytest.CaptureFixture[str], team: Any, told: Told) -> None:
    """A holder sees plans, the time left, the place in line and who is before; an approver sees what to decide, and not what is the
    approver's own; a holder who was notified sees what to report."""
    team("register", "aaaaaa.json", "--lease", "3600")
    team("register", "bbbbbb.json", "--holder", "bob", "--wait", "--lease", "3600")
    _, flow = run_json(capsys, "flow", "start", "--notify", "--by", "pat")
    _, mine = run_json(capsys, "team", "work")
    assert [(plan["plan_id"], plan["state"], plan["place"]) for plan in mine["plans"]] == [
        ("intent_aaaaaa", "active", 0)
    ]
    assert 0 < mine["plans"][0]["left"] <= 3_600_000
    assert mine["decisions"] == []
    _, bobs = run_json(capsys, "team", "work", "--by", "bob")
    assert (bobs["plans"][0]["place"], bobs["plans"][0]["behind"]) == (
        1,
        [{"plan_id": "intent_aaaaaa", "holder": "ann"}],
    )
    _, pats = run_json(capsys, "team", "work", "--by", "pat")
    assert [(each["kind"], each["flow_id"]) for each in pats["decisions"]] == [("answer", flow["flow_id"])]
    assert "answer: flow_" in team("work", "--by", "pat").out
    (question,) = flow["questions"]
    choice = f"{question['question_id']}={max(question['options'])}"
    run(capsys, "flow", "answer", flow["flow_id"], "--choose", choice, "--by", "pat")
    assert "approve: flow_" in team("work", "--by", "pat").out
    run(capsys, "flow", "approve", flow["flow_id"], "--by", "pat")
    assert team("worker", "--once", "--by", "worker").code == 0
    both = [run_json(capsys, "team", "work", "--by", name)[1]["reports"] for name in ("ann", "bob")]
    assert sorted(len(each) for each in both) == [0, 1]
    text = team("work", "--by", "ann" if both[0] else "bob").out
    assert f"report: flow report {flow['flow_id']} node_0001 done" in text
    assert f"lasts as long as {flow['flow_id']}" in text
    told(team("work", "--by", "eve").out)


def test_a_keeper_releases_a_plan(capsys: pytest.CaptureFixture[str], team: Any, told: Told) -> None:
    """A keeper takes a plan from a holder who is gone, with a reason that stays in the record; others may not."""
    team("register", "aaaaaa.json", "--holder", "kim")
    team("register", "bbbbbb.json", "--holder", "bob", "--wait")
    ended = team("release", "intent_aaaaaa", "--reason", "on leave", "--by", "bob")
    assert ended.code == 3
    told(ended.err)
    assert team("release", "intent_aaaaaa", "--by", "kim").code == 2
    assert team("release", "intent_aaaaaa", "--reason", "on leave", "--by", "kim").code == 0
    assert "on leave" in team("why", "intent_aaaaaa").out
    assert run_json(capsys, "team", "show", "intent_bbbbbb")[1]["state"] == "active"


def test_times_are_local_on_a_terminal_and_utc_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal a time is that of the reader, with its offset; in a pipe or a file it is UTC."""
    at = 1_769_335_200_000
    assert shown_moment(at) == moment(at) == "2026-01-25T10:00:00Z"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert shown_moment(at) == "2026-01-25 15:30:00+05:30"
        assert datetime.fromisoformat(shown_moment(at)).astimezone(UTC) == datetime.fromtimestamp(at / 1000, UTC)
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


def test_a_registry_is_backed_up_and_restored(
    capsys: pytest.CaptureFixture[str], team: Any, desk: Path, told: Told
) -> None:
    """From one registry into another by two lines; what is there is not overwritten, and mistakes are explained."""
    team("register", "aaaaaa.json")
    code, made = run_json(capsys, "team", "backup", "monday.backup")
    assert (code, made["projects"][0]["project"], made["faults"]) == (0, PROJECT, [])
    assert f"shop: anchor {made['projects'][0]['events']}:" in team("backup", "again.backup").out
    assert team("backup", "monday.backup").code == 2
    team("register", "bbbbbb.json", "--holder", "bob", "--wait")
    assert team("restore", "monday.backup").code == 2
    assert team("restore", "monday.backup", "--by", "bob", "--registry", "new.db").code == 3
    code, found = run_json(capsys, "team", "restore", "monday.backup", "--registry", "new.db")
    assert (code, found[0]["project"], found[0]["differs"]) == (0, PROJECT, False)
    assert [plan["plan_id"] for plan in run_json(capsys, "team", "list", "--registry", "new.db")[1]] == [
        "intent_aaaaaa"
    ]
    assert run(capsys, "flow", "verify", "--registry", "new.db").out.startswith("intact")
    assert "epoch" in team("restore", "monday.backup", "--replace").out
    (desk / "bad").write_text("{}")
    told(team("restore", "bad", "--registry", "other.db").err)


def test_old_events_are_archived(capsys: pytest.CaptureFixture[str], team: Any, told: Told) -> None:
    """Events before a date leave for a file; whoever asks for them is told where they are, and the record verifies with the file, without
    it, and the file alone. Mistakes are explained."""
    team("register", "aaaaaa.json", "--lease", "3600")
    team("register", "bbbbbb.json", "--holder", "bob", "--wait", "--lease", "3600")
    told(team("archive", "spring.archive", "--before", "spring").err)
    assert team("archive", "spring.archive", "--before", "2020-01-01").code == 2
    assert team("archive", "spring.archive", "--before", "2999-01-01", "--by", "bob").code == 3
    code, made = run_json(capsys, "team", "archive", "spring.archive", "--before", "2999-01-01T10:00:00+02:00")
    assert (code, made["project"], made["after"]) == (0, PROJECT, 0)
    where = f"archived through event {made['through']} on "
    assert where in team("history").err
    assert where in team("show", "intent_aaaaaa").out
    assert where in run_json(capsys, "team", "show", "intent_aaaaaa")[1]["archived"]
    assert where in team("why", "intent_aaaaaa").err
    told(run(capsys, "flow", "verify").out)
    assert "look at" not in run(capsys, "flow", "verify", "--archive", "spring.archive").out
    code, found = run_json(capsys, "team", "verify-archive", "spring.archive")
    assert (code, found["intact"], found["count"]) == (0, True, made["through"])
    assert team("verify-archive", "aaaaaa.json", "spring.archive").code == 2


def test_migrating_says_the_versions(capsys: pytest.CaptureFixture[str], team: Any) -> None:
    """A registry of this version is left as it is."""
    team("register", "aaaaaa.json")
    code, found = run_json(capsys, "team", "migrate")
    assert (code, found["before"]) == (0, found["after"])
    assert "already" in team("migrate").out
    assert team("migrate", "--registry", "none.db").code == 2


def test_a_worker_ends_with_4_where_an_executor_is_missing(
    capsys: pytest.CaptureFixture[str], team: Any, desk: Path
) -> None:
    """What cannot go on is said, with the time until it would be tried again."""
    (desk / "far.toml").write_text('[[bind]]\nname = "x"\nexecutor = "tcp://127.0.0.1:1"\nintent = "JUMP"\n')
    team("register", "aaaaaa.json")
    _, flow = run_json(capsys, "flow", "start", "--bindings", "far.toml")
    run(capsys, "flow", "approve", flow["flow_id"])
    ended = team("worker", "--once", "--json")
    said = json.loads(ended.out)
    assert (ended.code, said["outcome"], said["flow_id"]) == (4, "failed", flow["flow_id"])
    assert said["pause"] > 0
    assert "again in" in team("worker", "--once").out


def test_a_command_is_told_once(capsys: pytest.CaptureFixture[str], team: Any, desk: Path, told: Told) -> None:
    """A command of the user hears of a flow's end from the worker that brought it about, and nothing twice from the next one."""
    program = "import sys; open('heard', 'a').write(sys.stdin.read() + chr(10))"
    hearing = ("--notify-command", f'{sys.executable} -c "{program}"')
    team("register", "aaaaaa.json")
    assert team("worker", "--once", *hearing).code == 0
    _, flow = run_json(capsys, "flow", "start", "--notify")
    run(capsys, "flow", "approve", flow["flow_id"])
    for _ in range(3):
        assert team("worker", "--once", *hearing).code == 0
    run(capsys, "flow", "report", flow["flow_id"], "node_0001", "done")
    team("worker", "--once", *hearing)
    heard = [json.loads(line) for line in (desk / "heard").read_text().splitlines()]
    assert [each["kind"] for each in heard] == ["permit wanted", "done"]
    ended = team("worker", "--once", "--notify-url", "ftp://127.0.0.1/")
    assert ended.code == 2
    told(ended.err)


def work_until_told(said: Path) -> None:
    """Run `volition team worker` in this process, and write what it prints to a file."""
    with said.open("w") as out, redirect_stdout(out):
        sys.exit(main(["team", "worker", "--by", "worker", "--poll", "0.05", "--json"]))


def test_a_worker_that_is_killed_is_replaced_and_one_that_is_told_ends(desk: Path) -> None:
    """Real processes: a worker killed with SIGKILL leaves its flows to the next one, which finishes them and ends with 0 on SIGTERM."""
    site = Site(str(desk / "team.db"), desk)
    site.prepare(2)
    executor = start(site.serve)
    said = desk / "said"
    workers: list[ForkProcess] = []
    try:
        workers.append(start(work_until_told, said))
        until = time.monotonic() + PATIENCE
        while not site.effects() and time.monotonic() < until:
            time.sleep(0.005)
        kill(workers[0])
        workers.append(start(work_until_told, said))
        with Store(parse_store_address("team.db")) as store:
            flows = Flows(Team(store, PROJECT))
            while {flow.state for flow in flows.list()} != {"done"} and time.monotonic() < until:
                time.sleep(0.05)
        workers[1].terminate()
        workers[1].join(PATIENCE)
        assert workers[1].exitcode == 0
        assert all(
            json.loads(each)["outcome"] in {"driven", "lost", "failed"} for each in said.read_text().splitlines()
        )
    finally:
        for each in (*workers, executor):
            kill(each)
    assert sorted(site.effects()) == site.requests()

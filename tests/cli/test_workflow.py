"""`volition team` and `volition flow`, as people type them one after the other."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.lines import run, run_json
from tests.workflow.plans import PROJECT, document
from volition.workflow import Store, Team, parse_store_address

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.usefixtures("desk")


def test_from_two_terminals_to_done(capsys: pytest.CaptureFixture[str], team: Any, told: Told) -> None:
    """Two plans collide; the second waits; a person answers and approves; both holders are notified, and report."""
    assert team("register", "aaaaaa.json").code == 0
    assert team("register", "bbbbbb.json", "--holder", "bob").code == 3
    ended = team("register", "bbbbbb.json", "--holder", "bob", "--wait")
    assert (ended.code, "waiting: intent_bbbbbb" in ended.out) == (3, True)
    code, flow = run_json(capsys, "flow", "start", "--notify", "--by", "pat")
    assert (code, flow["state"]) == (3, "asked")
    name = flow["flow_id"]
    (question,) = flow["questions"]
    last = max(question["options"])
    choice = ("flow", "answer", name, "--choose", f"{question['question_id']}={last}")
    assert run(capsys, *choice, "--by", "pat", "--exactly", "00000000").code == 3
    ended = run(capsys, *choice)
    assert ended.code == 3
    told(ended.err)
    code, flow = run_json(capsys, *choice, "--by", "pat", "--exactly", flow["question_checksum"][:12])
    assert (code, flow["state"]) == (3, "judged")
    assert "intent_aaaaaa" in run(capsys, "flow", "graph", name).out
    assert run(capsys, "flow", "approve", name, "--by", "pat", "--exactly", "00000000").code == 3
    assert run(capsys, "flow", "approve", name).code == run(capsys, "flow", "approve", name, "--by", "nobody").code == 3
    code, flow = run_json(capsys, "flow", "approve", name, "--by", "pat", "--exactly", flow["graph_hash"][:12])
    assert flow["state"] == "approved"
    code, flow = run_json(capsys, "flow", "resume", name, "--journal", "doors")
    assert (code, [node["state"] for node in flow["nodes"]]) == (3, ["sent", "blocked"])
    assert f"flow report {name} node_0001 done" in run(capsys, "flow", "status", name).out
    plans = {plan["plan_id"]: plan for plan in run_json(capsys, "team", "list")[1]}
    for node in flow["nodes"]:
        holder = plans[node["plan_id"]]["holder"]
        code, flow = run_json(capsys, "flow", "report", name, node["node_id"], "done", "--by", holder)
    assert (code, flow["state"]) == (0, "done")
    why = run(capsys, "flow", "why", name).out
    assert "node reported" in why
    assert "node_0002: done" in why
    assert run(capsys, "flow", "verify", "--journal", "doors").out.startswith("intact")
    ended = run(capsys, "flow", "verify", "--journal", "nowhere")
    assert ended.code == 3
    told(ended.out)
    assert "done" in run(capsys, "flow", "status").out


@pytest.mark.req("WF-06")
def test_the_key_of_a_user_signs_and_is_printed(
    capsys: pytest.CaptureFixture[str], team: Any, monkeypatch: pytest.MonkeyPatch, desk: Path, told: Told
) -> None:
    """What a person does is signed by the key that `team key` prints; with another key nobody acts in that name, and a key
    that is known from elsewhere tells whether it is theirs."""
    assert team("register", "aaaaaa.json").code == 0
    code, mine = run_json(capsys, "team", "key")
    assert (code, mine["private"], team("key").out.split()[0]) == (0, "VOLITION_KEY", mine["public"])
    ended = run(capsys, "flow", "verify", "--key", "ann", mine["public"])
    assert (ended.code, f"3 signed with {mine['public'][:16]}... in the name of ann" in ended.out) == (0, True)
    monkeypatch.setenv("VOLITION_KEY", str(desk / "other.pem"))
    _, other = run_json(capsys, "team", "key")
    assert run(capsys, "flow", "verify", "--key", "ann", other["public"]).code == 3
    ended = team("withdraw", "intent_aaaaaa", "--token", "3")
    assert ended.code == 3
    told(ended.err)


def test_a_holder_renews_revises_and_ends(team: Any, desk: Path) -> None:
    """Every verb of a holder takes the token and says what happened; a wrong token ends with 3."""
    team("register", "aaaaaa.json")
    assert "granted" in team("renew", "intent_aaaaaa", "--token", "3", "--lease", "60").out
    assert team("finish", "intent_aaaaaa", "--token", "6").code == 3
    (desk / "aaaaaa.json").write_bytes(document("aaaaaa", "b.py"))
    assert "token 5" in team("revise", "aaaaaa.json", "--token", "3").out
    ended = team("withdraw", "intent_aaaaaa", "--token", "5", "--why", "rain", "--json")
    assert (ended.code, json.loads(ended.out)["state"]) == (0, "withdrawn")
    assert "rain" in team("why", "intent_aaaaaa").out
    assert "withdrawn" in team("show", "intent_aaaaaa").out
    assert team("list", "--state", "active").out.count("\n") == 1
    assert [json.loads(line)["what"] for line in team("history", "--json").out.splitlines()] == [
        "role", "rules", "granted", "renewed", "granted", "withdrawn",
    ]  # fmt: skip
    assert team("register", "aaaaaa.json").code == 0
    assert team("finish", "intent_aaaaaa", "--token", "7").code == 0


def test_a_person_skips_settles_and_gives_up(capsys: pytest.CaptureFixture[str], team: Any) -> None:
    """What was sent is settled by a person's word, what was not is skipped, and a flow is given up with a reason."""
    team("register", "aaaaaa.json")
    _, flow = run_json(capsys, "flow", "start", "--notify")
    name = flow["flow_id"]
    run(capsys, "flow", "approve", name)
    assert run(capsys, "flow", "settle", name, "node_0001", "done").code == 2
    run(capsys, "flow", "resume", name)
    code, flow = run_json(capsys, "flow", "settle", name, "node_0001", "done", "--why", "I looked")
    assert (code, flow["state"], flow["nodes"][0]["detail"]) == (0, "done", "I looked")
    _, flow = run_json(capsys, "flow", "start", "--notify")
    run(capsys, "flow", "approve", flow["flow_id"])
    code, flow = run_json(capsys, "flow", "skip", flow["flow_id"], "node_0001", "--why", "rain")
    assert (code, flow["state"], flow["nodes"][0]["state"]) == (0, "done", "skipped")
    _, flow = run_json(capsys, "flow", "start", "--notify")
    code, flow = run_json(capsys, "flow", "abandon", flow["flow_id"], "--why", "snow")
    assert (code, flow["state"], flow["reason"]) == (0, "abandoned", "snow")


def test_events_are_watched_until_interrupted(team: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events are printed as they happen, each once, until Ctrl-C."""
    team("register", "aaaaaa.json")
    looks = iter(["a change", "none"])

    def sleep(_seconds: float) -> None:
        if (look := next(looks, None)) is None:
            raise KeyboardInterrupt
        if look == "a change":
            with Store(parse_store_address("team.db")) as store:
                Team(store, PROJECT).withdraw("intent_aaaaaa", 3)

    monkeypatch.setattr(time, "sleep", sleep)
    ended = team("watch", "--after", "2", "--json")
    said = [json.loads(line)["what"] for line in ended.out.splitlines()]
    assert (ended.code, said) == (130, ["granted", "withdrawn"])


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (["team", "list", "--registry", "none.db"], 2, "there is no registry"),
        (["team", "list", "--registry", "postgresql://127.0.0.1:1/team"], 4, "cannot be reached"),
        (["team", "register", "none.json"], 2, "there is no such file"),
        (["team", "show", "intent_nobody"], 2, "there is no plan"),
        (["team", "list", "--project", "bakery"], 2, "there is no project 'bakery'"),
        (["flow", "start"], 2, "either --bindings FILE or --notify"),
        (["flow", "start", "--bindings", "none.toml"], 2, "cannot be read"),
        (["flow", "start", "intent_nobody", "--notify"], 2, "intent_nobody is not open"),
        (["flow", "status", "flow_0"], 2, "there is no flow"),
    ],
)
def test_mistakes_are_explained(
    capsys: pytest.CaptureFixture[str], team: Any, words: list[str], code: int, what: str
) -> None:
    """Each mistake ends with its code, and with a text that says what to do."""
    team("register", "aaaaaa.json")
    ended = run(capsys, *words)
    assert (ended.code, what in ended.err) == (code, True), ended.err


def test_without_a_registry_nothing_is_guessed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No default file is made: agents in different folders would not see each other."""
    monkeypatch.delenv("VOLITION_REGISTRY")
    ended = run(capsys, "team", "list")
    assert (ended.code, "VOLITION_REGISTRY" in ended.err) == (2, True)

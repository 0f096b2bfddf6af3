"""`volition flow` for people who decide: what is approved, what changed, what was chosen, and what nobody knows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.lines import run, run_json
from tests.sentences import lines_about
from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from volition.workflow import FlowDriver, Flows, Store, Team, parse_store_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told

BINDINGS = """
[[bind]]
name = "look"
command = "look_*"
executor = "tcp://127.0.0.1:1"
intent = "MOVE"
parameters = {vector = [1, 0, 0]}
retries = 1

[[bind]]
name = "rest"
action = "notify"
"""
COMMANDS = ("look_first: read: look", "change_it: write: change it")


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two plans that collide, bindings, and a registry named in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOLITION_REGISTRY", "team.db")
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    (tmp_path / "bindings.toml").write_text(BINDINGS, encoding="utf-8")
    for name in ("aaaaaa", "bbbbbb"):
        (tmp_path / f"{name}.json").write_bytes(document(name, "a.py", commands=COMMANDS))
    return tmp_path


@pytest.fixture
def flows() -> Iterator[Flows]:
    with Store(parse_store_address("team.db")) as store:
        yield Flows(Team(store, PROJECT))


LOOK = "MOVE to tcp://127.0.0.1:1 with vector [1, 0, 0], deadline 5 s, tried once more if it fails"


@pytest.mark.req("WF-09")
def test_from_question_to_permit_everything_is_shown(capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Who answers sees what every command is bound to, who approves sees what is done; the tokens of what was granted are told;
    and `why` names who chose which option, by its label."""
    run(capsys, "team", "register", "aaaaaa.json", "--holder", "ann")
    run(capsys, "team", "register", "bbbbbb.json", "--holder", "bob", "--wait")
    asked = run(capsys, "flow", "start", "--bindings", "bindings.toml")
    assert asked.code == 3
    assert f"look_first of intent_bbbbbb (Plan of bbbbbb)\n    {LOOK}\n" in asked.out
    code, flow = run_json(capsys, "flow", "status")
    assert code == 0
    name = flow[0]["flow_id"]
    assert [one["words"] for one in flow[0]["actions"]] == [LOOK, "left to the holder of the plan"] * 2
    ((question, options),) = ((one["question_id"], one["options"]) for one in flow[0]["questions"])
    chosen, label = next((key, text) for key, text in options.items() if "bbbbbb then" in text)
    judged = run(capsys, "flow", "answer", name, "--choose", f"{question}={chosen}")
    assert judged.code == 3
    shown, graph = run(capsys, "flow", "show", name), run(capsys, "flow", "graph", name)
    assert shown.code == graph.code == 0
    for text in (judged.out, shown.out, graph.out):
        assert text.count(LOOK) == 2
    code, data = run_json(capsys, "flow", "graph", name)
    assert data["actions"][0]["action"]["parameters"] == {"vector": [1, 0, 0]}
    permitted = run(capsys, "flow", "approve", name)
    told(*lines_about(permitted.out, "was granted"))
    assert f"pat chose {label} ({question}={chosen})" in run(capsys, "flow", "why", name).out
    (answered,) = (one for one in run_json(capsys, "flow", "why", name)[1] if one["what"] == "answered")
    assert [(one["option_id"], one["label"]) for one in answered["chosen"]] == [(chosen, label)]


@pytest.mark.req("WF-09")
def test_what_changed_since_the_last_permit_is_shown(
    capsys: pytest.CaptureFixture[str], desk: Path, told: Told
) -> None:
    """Before a second permit for the same plan, old and new values are listed, for people and as JSON."""
    run(capsys, "team", "register", "aaaaaa.json", "--holder", "ann")
    code, first = run_json(capsys, "flow", "start", "--bindings", "bindings.toml")
    assert (code, first["since_permit"]) == (3, None)
    run(capsys, "flow", "approve", first["flow_id"])
    run(capsys, "flow", "abandon", first["flow_id"])
    (desk / "bindings.toml").write_text(BINDINGS.replace("[1, 0, 0]", "[2, 0, 0]"), encoding="utf-8")
    started = run(capsys, "flow", "start", "--bindings", "bindings.toml")
    assert f"since pat permitted {first['flow_id']} at " in started.out
    told(*lines_about(started.out, "changed:"))
    name = run_json(capsys, "flow", "status")[1][1]["flow_id"]
    code, data = run_json(capsys, "flow", "show", name)
    assert data["since_permit"]["changes"][0]["fields"] == {"parameters.vector": {"was": [1, 0, 0], "is": [2, 0, 0]}}


@pytest.fixture
def silent(capsys: pytest.CaptureFixture[str], flows: Flows) -> str:
    """A flow whose first node was sent, and of which nobody knows what became of it."""
    run(capsys, "team", "register", "aaaaaa.json", "--holder", "ann")
    name: str = run_json(capsys, "flow", "start", "--bindings", "bindings.toml")[1]["flow_id"]
    run(capsys, "flow", "approve", name)
    body = Body(remembers=False, claims_to=False, silent={"MOVE"})
    assert FlowDriver(flows, "driver", open_door=body.door).drive(name).state == "held"
    return name


@pytest.mark.req("WF-05")
def test_an_unknown_node_is_told_and_left_to_a_person(
    capsys: pytest.CaptureFixture[str], silent: str, told: Told
) -> None:
    """Piped, `resume --node` on an unknown node changes nothing and ends with 3: when it was sent, by whom, under which
    request, what came instead of an answer, and the very commands that settle it; the same as JSON."""
    code, flow = run_json(capsys, "flow", "resume", silent, "--node", "node_0001")
    assert code == 3
    (node,) = flow["unanswered"]
    assert (node["sent_by"], node["silence"], node["words"]) == ("driver", "no answer in time", LOOK)
    assert node["request"] == flow["nodes"][0]["request"]
    before = run_json(capsys, "flow", "why", silent)[1]
    ended = run(capsys, "flow", "resume", silent, "--node", "node_0001")
    assert ended.code == 3
    assert f"nobody knows what became of node_0001: {LOOK}\n  sent at " in ended.out
    assert f" by driver under request {node['request']}\n" in ended.out
    told(*lines_about(ended.out, ": no answer"))
    for word in ("done", "failed"):
        assert f"volition flow settle {silent} node_0001 {word}  #" in ended.out
    assert run_json(capsys, "flow", "why", silent)[1] == before
    assert f"volition flow settle {silent} node_0001 done" in run(capsys, "flow", "status", silent).out
    code, flow = run_json(capsys, "flow", "settle", silent, "node_0001", "done")
    assert flow["unanswered"] == []


@pytest.mark.req("WF-05")
def test_resume_without_a_node_drives(
    capsys: pytest.CaptureFixture[str], silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a node, executors that remember are asked again for what is unknown; one that does not leaves it unknown."""
    forgetful, remembering = Body(remembers=False, claims_to=False), Body()
    for body, states in ((forgetful, ["unknown", "blocked"]), (remembering, ["done", "sent"])):
        monkeypatch.setattr("volition.workflow.open_bridge_door", body.door, raising=False)
        code, flow = run_json(capsys, "flow", "resume", silent)
        assert (code, [node["state"] for node in flow["nodes"]]) == (3, states)
        assert bool(flow["unanswered"]) == (states[0] == "unknown")
    assert [order.intent for order in remembering.orders] == ["MOVE"]
    assert forgetful.orders == []


class Keyboard:
    """A terminal at which somebody types."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    def isatty(self) -> bool:
        return True

    def readline(self, *_: Any) -> str:
        return self._lines.pop(0) + "\n"


@pytest.mark.req("WF-05")
@pytest.mark.parametrize(
    ("typed", "states", "sent"),
    [(["yes"], ["done", "sent"], 0), (["no"], ["done", "sent"], 1), (["maybe", "leave"], ["unknown", "blocked"], 0)],
)
def test_on_a_terminal_a_person_is_asked(
    capsys: pytest.CaptureFixture[str],
    silent: str,
    monkeypatch: pytest.MonkeyPatch,
    flows: Flows,
    typed: list[str],
    states: list[str],
    sent: int,
) -> None:
    """`Did it happen?` Yes settles it and goes on, no tries it again under another request, leave changes nothing; anything else
    is asked again."""
    body = Body()
    monkeypatch.setattr("volition.workflow.open_bridge_door", body.door, raising=False)
    monkeypatch.setattr(sys, "stdin", Keyboard(*typed))
    ended = run(capsys, "flow", "resume", silent, "--node", "node_0001")
    assert ended.code == 3
    assert f"nobody knows what became of node_0001: {LOOK}" in ended.err
    assert ended.err.count("Did it happen?") == len(typed)
    assert [node.state for node in flows.status(silent).nodes] == states
    assert len(body.orders) == sent
    said = [event.body["detail"] for event in flows.team.history(silent) if event.what == "node settled"]
    assert said == ([] if "leave" in typed else [f"pat has looked: {typed[0]}"])


@pytest.mark.req("WF-09")
def test_resume_acts_in_the_name_of_a_person(capsys: pytest.CaptureFixture[str], silent: str, flows: Flows) -> None:
    """The driver of the command line drives in the name of who typed it: no process joins the team."""
    run(capsys, "flow", "settle", silent, "node_0001", "done")
    run(capsys, "flow", "resume", silent)
    assert {event.actor for event in flows.team.history()} == {"ann", "pat", "driver"}


@pytest.mark.req("WF-10")
def test_what_is_over_is_void_in_every_list(capsys: pytest.CaptureFixture[str], flows: Flows, told: Told) -> None:
    """A flow whose plan has expired is shown as void with the reason, though nobody has swept it: in the list, alone, and to
    whoever asks why."""
    run(capsys, "team", "register", "aaaaaa.json", "--holder", "ann")
    name = run_json(capsys, "flow", "start", "--notify")[1]["flow_id"]
    with flows.team.store.write() as connection:
        connection.exec_driver_sql("UPDATE plan SET lease_until = 1")
    for words in (["status"], ["status", name], ["show", name], ["why", name]):
        ended = run(capsys, "flow", *words)
        assert ended.code == 0
        assert "void" in ended.out
        told(*lines_about(ended.out, "expired"))
        assert "next:" not in ended.out

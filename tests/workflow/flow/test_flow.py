"""Flows: from plans over a question and a permit to nodes that are done, failed, retried, skipped or undone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, drive, flows_of, states
from volition.core.errors import InvalidInput, NotPossible
from volition.workflow import (
    NOTIFY_ALL,
    FlowDriver,
    Flows,
    LostFlow,
    Members,
    Store,
    Team,
    WorkResult,
    WorldMoved,
    parse_store_address,
)
from volition.workflow.flow import judging
from volition.workflow.law import judgement
from volition.workflow.law.plans import NotHeld
from volition.workflow.law.states import NEXT_OF_FLOW, NEXT_OF_NODE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told
    from volition.workflow.flow.status import FlowStatus


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def flows(place: str, clock: HandClock) -> Iterator[Flows]:
    with Store(parse_store_address(place), clock=clock) as store:
        yield flows_of(store)


@pytest.fixture
def quick(tmp_path_factory: pytest.TempPathFactory, clock: HandClock) -> Iterator[Flows]:
    """Flows in a file, for laws that do not depend on the database."""
    with Store(parse_store_address(tmp_path_factory.mktemp("quick") / "team.db"), clock=clock) as store:
        yield flows_of(store)


def contested(flows: Flows) -> FlowStatus:
    """Two plans that collide, the second in line, and the question about them."""
    assert flows.team.register(document("aaaaaa", "a.py", commands=STEPS[1:]), "ann", lease=1000).grant
    assert flows.team.register(document("bbbbbb", "a.py", commands=STEPS), "bob", lease=1000, wait=True).place
    return flows.start(BINDINGS, "pat")


def option(flow: FlowStatus, words: str) -> dict[str, str]:
    """The choice whose label contains these words."""
    assert flow.pack is not None
    (question,) = flow.pack.questions
    return {question.question_id: next(o.option_id for o in question.options if words in o.label)}


def test_from_a_question_to_done(flows: Flows) -> None:
    """Plans that collide are asked about, united by an answer, permitted, and carried out in the order of the graph."""
    flow = contested(flows)
    assert flow.state == "asked"
    flow = flows.answer(flow.flow_id, option(flow, "One after the other"), "pat")
    assert (flow.state, set(flow.plans.values())) == ("judged", {"kept"})
    assert flows.team.show("intent_bbbbbb").state == "waiting"
    flow = flows.approve(flow.flow_id, "pat", exactly=flow.graph_hash[:12])
    assert flows.team.show("intent_bbbbbb").state == "active"
    body = Body()
    flow = drive(flows, flow.flow_id, body)
    assert (flow.state, states(flow)) == ("done", ["done"] * 3)
    assert [order.request for order in body.orders] == [node.request for node in flow.nodes]
    claims = [event.seq for event in flows.team.history(flow.flow_id) if event.what == "claimed"]
    assert [{order.token} for order in body.orders] == [set(claims)] * 3
    assert body.fences == {f"shop/{flow.flow_id}/actor": claims[0]}


def test_a_plan_that_gives_way_is_superseded(flows: Flows) -> None:
    """Where an answer keeps one of two, the other is superseded when that is approved, and not before."""
    flow = contested(flows)
    flow = flows.answer(flow.flow_id, option(flow, "Keep intent_bbbbbb"), "pat")
    assert flow.plans == {"intent_aaaaaa": "superseded", "intent_bbbbbb": "kept"}
    assert flows.team.show("intent_aaaaaa").state == "active"
    flow = flows.approve(flow.flow_id, "pat")
    assert flows.team.show("intent_aaaaaa").state == "superseded"
    assert drive(flows, flow.flow_id, Body()).state == "done"


@pytest.mark.req("WF-03")
def test_a_question_is_answered_once(flows: Flows, told: Told) -> None:
    """A second answer, the same or another, is refused, and the first one counts."""
    flow = contested(flows)
    Members(flows.team).join("quin")
    first = flows.answer(flow.flow_id, option(flow, "Keep intent_bbbbbb"), "pat")
    for words in ("Keep intent_bbbbbb", "Keep intent_aaaaaa"):
        with told.raises(NotPossible):
            flows.answer(flow.flow_id, option(flow, words), "quin")
    assert flows.status(flow.flow_id).graph_hash == first.graph_hash


@pytest.mark.req("WF-03")
def test_of_two_people_who_answer_at_once_one_is_heard(
    flows: Flows, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Both have seen the question open, and each has thought about it. The second to write is refused; one answer counts."""
    flow = contested(flows)
    Members(flows.team).join("quin")
    judge, others = judgement.judge_together, [option(flow, "Keep intent_aaaaaa")]

    def think(*seen: Any, **known: Any) -> Any:
        while others:
            flows.answer(flow.flow_id, others.pop(), "quin")
        return judge(*seen, **known)

    monkeypatch.setattr(judging, "judge_together", think)
    with told.raises(NotPossible):
        flows.answer(flow.flow_id, option(flow, "Keep intent_bbbbbb"), "pat")
    assert flows.status(flow.flow_id).plans == {"intent_aaaaaa": "kept", "intent_bbbbbb": "superseded"}
    assert [event.actor for event in flows.team.history(flow.flow_id) if event.what == "answered"] == ["quin"]


def test_an_answer_may_name_what_was_seen(quick: Flows, told: Told) -> None:
    """An answer to another pack than the one that is open is refused, and leaves the question as it is."""
    flow = contested(quick)
    assert flow.pack is not None
    with told.raises(WorldMoved):
        quick.answer(flow.flow_id, option(flow, "Keep intent_bbbbbb"), "pat", exactly="0123456789")
    assert (
        quick.answer(flow.flow_id, option(flow, "Keep intent_bbbbbb"), "pat", exactly=flow.pack.checksum[:12]).state
        == "judged"
    )


@pytest.mark.req("WF-03")
@pytest.mark.parametrize("verb", ["withdraw", "revise", "expire"])
def test_an_answer_to_a_world_that_moved_on_is_refused(flows: Flows, clock: HandClock, verb: str) -> None:
    """Once a plan of the question was withdrawn, revised or has expired, the flow is void and takes no answer."""
    flow = contested(flows)
    token = flows.team.show("intent_aaaaaa").token
    if verb == "withdraw":
        flows.team.withdraw("intent_aaaaaa", token)
    elif verb == "revise":
        flows.team.revise(document("aaaaaa", "b.py"), token)
    else:
        clock.now += 1_000_001
    with pytest.raises(NotPossible, match="void"):
        flows.answer(flow.flow_id, option(flow, "One after the other"), "pat")
    assert flows.status(flow.flow_id).state == "void"


def test_a_question_and_a_permit_end(quick: Flows, clock: HandClock, told: Told) -> None:
    """Nobody answers or acts after the time: the flow is void, with the reason."""
    flow = contested(quick)
    quick.team.renew("intent_aaaaaa", quick.team.show("intent_aaaaaa").token, lease=10**6)
    quick.team.renew("intent_bbbbbb", quick.team.show("intent_bbbbbb").token, lease=10**6)
    clock.now += 604_800_000
    with told.raises(NotPossible):
        quick.answer(flow.flow_id, option(flow, "Keep intent_aaaaaa"), "pat")
    again = quick.start(BINDINGS, "pat")
    again = quick.answer(again.flow_id, option(again, "Keep intent_aaaaaa"), "pat")
    quick.approve(again.flow_id, "pat", patience=1)
    clock.now += 1000
    body = Body()
    with told.raises(NotPossible):
        drive(quick, again.flow_id, body)
    assert body.orders == []


def test_a_plan_in_an_open_flow_is_in_no_other(quick: Flows) -> None:
    """Two flows would carry out the same commands, so the second is refused until the first is over."""
    flow = approved(quick)
    with pytest.raises(InvalidInput, match=f"is in {flow.flow_id}"):
        quick.start(BINDINGS, "pat")
    quick.abandon(flow.flow_id, "pat")
    assert quick.start(BINDINGS, "pat").state == "judged"


@pytest.mark.req("WF-04")
def test_what_is_not_bound_is_refused(quick: Flows) -> None:
    """A command without a binding stops the flow before it exists, and all such commands are named at once."""
    commands = (*STEPS, "erase_all: delete: erase it", "sell_it: network: sell it")
    quick.team.register(document("walker", "a.py", commands=commands), "ann")
    with pytest.raises(InvalidInput) as error:
        quick.start(BINDINGS, "pat")
    assert [problem.what.split()[2] for problem in error.value.problems] == ["erase_all", "sell_it"]
    assert quick.list() == ()


def test_a_definite_failure_is_tried_again_as_often_as_bound(quick: Flows) -> None:
    """After a definite failure the next attempt has another request id; when none is left, a person decides."""
    body = Body(fails={"JUMP": 2})
    flow = approved(quick, bindings=BINDINGS.replace('intent = "JUMP"', 'intent = "JUMP"\nretries = 1'))
    flow = drive(quick, flow.flow_id, body)
    assert (flow.state, states(flow)) == ("held", ["done", "failed"])
    assert "node_0002 failed" in flow.reason
    assert len({order.request for order in body.orders}) == 3
    flow = quick.resume(flow.flow_id, "pat")
    assert drive(quick, flow.flow_id, body).state == "done"
    assert [intent for _, intent in body.effects] == ["HOLD", "JUMP"]


def test_what_hangs_on_a_failure_waits_and_the_rest_goes_on(quick: Flows) -> None:
    """A failed node holds up those behind it, not the others; skipped, it lets them go on."""
    body = Body(fails={"HOLD": 9})
    commands = ("look_first: read: look", "jump_over: write: jump over it")
    plans = [document(f"walker_{n}", f"{n}.py", commands=commands if n else commands[1:]) for n in range(2)]
    flow = drive(quick, approved(quick, *plans).flow_id, body)
    by_plan = {(node.plan_id, node.state) for node in flow.nodes}
    assert by_plan == {("intent_walker_0", "done"), ("intent_walker_1", "failed"), ("intent_walker_1", "blocked")}
    failed = next(node.node_id for node in flow.nodes if node.state == "failed")
    flow = quick.skip(flow.flow_id, failed, "pat", why="seen from here")
    assert drive(quick, flow.flow_id, body).state == "done"
    assert [intent for _, intent in body.effects] == ["JUMP", "JUMP"]


def test_a_failure_can_be_ignored(quick: Flows) -> None:
    """Where the binding says so, a failure does not hold up what waits for the node."""
    body = Body(fails={"HOLD": 9})
    bindings = BINDINGS.replace('intent = "HOLD"', 'intent = "HOLD"\nfailure = "ignore"')
    flow = drive(quick, approved(quick, bindings=bindings).flow_id, body)
    assert (flow.state, states(flow)) == ("done", ["failed", "done"])


UNDOING = """
[[bind]]
name = "look"
command = "look_*"
executor = "embedded"
intent = "HOLD"
compensation = "let go"

[[bind]]
name = "let go"
only_compensates = true
executor = "embedded"
intent = "RELEASE"

[[bind]]
name = "jump"
command = "jump_*"
executor = "embedded"
intent = "JUMP"
compensation = "stop"

[[bind]]
name = "stop"
only_compensates = true
executor = "embedded"
intent = "STOP"

[[bind]]
name = "strike"
command = "strike_*"
executor = "embedded"
intent = "PRIMARY_ATTACK"
failure = "compensate"
"""


def test_a_failure_can_undo_what_its_plan_did(quick: Flows) -> None:
    """With `compensate`, what the plan has done is undone newest first, and the rest of it is skipped; another plan is
    left alone."""
    commands = ("look_first: read: look", "jump_over: write: jump", "strike_it: deploy: strike")
    other = document("bystander", "b.py", commands=("jump_too: write: jump",))
    body = Body(fails={"PRIMARY_ATTACK": 9})
    flow = approved(quick, document("walker", "a.py", commands=commands, phases=["analysis", "implementation", "release"]), other, bindings=UNDOING)  # fmt: skip
    flow = drive(quick, flow.flow_id, body)
    done = [order.intent for order in body.orders]
    assert done[-2:] == ["STOP", "RELEASE"]
    assert sorted(done) == ["HOLD", "JUMP", "JUMP", "PRIMARY_ATTACK", "RELEASE", "STOP"]
    assert flow.state == "held"
    assert {node.kind for node in flow.nodes if node.node_id.endswith("_undo")} == {"undo"}


@pytest.mark.req("WF-05")
def test_silence_is_not_failure(quick: Flows, told: Told) -> None:
    """Without an answer a node is unknown: it is not sent again, not even on resume, unless a person names it."""
    body = Body(remembers=False, claims_to=False, silent={"HOLD"})
    flow = drive(quick, approved(quick).flow_id, body)
    assert (flow.state, states(flow)) == ("held", ["unknown", "blocked"])
    with told.raises(InvalidInput):
        quick.resume(flow.flow_id, "pat")
    flow = quick.settle(flow.flow_id, "node_0001", "done", "pat")
    assert drive(quick, flow.flow_id, body).state == "done"
    assert [intent for _, intent in body.effects] == ["HOLD", "JUMP"]


@pytest.mark.req("WF-05")
def test_an_executor_that_remembers_is_asked_again(quick: Flows) -> None:
    """After silence the same request is sent again, and answered with the result that it had: one effect."""
    body = Body(silent={"HOLD"})
    flow = drive(quick, approved(quick).flow_id, body)
    assert flow.state == "done"
    assert [order.intent for order in body.orders] == ["HOLD", "HOLD", "JUMP"]
    assert [intent for _, intent in body.effects] == ["HOLD", "JUMP"]


def test_one_driver_at_a_time(quick: Flows, clock: HandClock, told: Told) -> None:
    """While one drives, another is refused; when the lease is over, it takes over, and the first one stops."""
    flow = approved(quick)
    first = FlowDriver(quick, "first", open_door=Body().door)
    claim = first.claim(flow.flow_id)
    second = FlowDriver(quick, "second", open_door=Body().door)
    with told.raises(LostFlow):
        second.drive(flow.flow_id)
    clock.now += 60_000
    assert second.drive(flow.flow_id).state == "done"
    with told.raises(NotPossible):
        first.claim(flow.flow_id)
    assert first.step(claim) == []


def test_a_clock_that_goes_back_keeps_no_flow(quick: Flows, clock: HandClock, told: Told) -> None:
    """However far the clock is set back, a driver that is gone does not hold up a flow for long."""
    flow = approved(quick)
    FlowDriver(quick, "first").claim(flow.flow_id)
    clock.now -= 10**9
    assert quick.team.renew("intent_walker", quick.team.show("intent_walker").token).grant
    with told.raises(LostFlow):
        drive(quick, flow.flow_id, Body())
    clock.now += 15_000
    assert drive(quick, flow.flow_id, Body()).state == "done"


def test_what_was_unknown_may_become_known(quick: Flows, clock: HandClock) -> None:
    """A driver that was taken over still says what became of the node that it had sent: that is the truth about it."""
    flow = approved(quick)
    body = Body(remembers=False, claims_to=False)
    slow = FlowDriver(quick, "slow", open_door=body.door)
    claim = slow.claim(flow.flow_id)
    (sent,) = slow.step(claim)
    node, order = sent.node, sent.order
    result = body.act(order)
    clock.now += 60_000
    assert states(drive(quick, flow.flow_id, body)) == ["unknown", "blocked"]
    for late in (WorkResult("unsent", None, "not sent"), WorkResult("unknown", None, "no answer"), result):
        with pytest.raises(LostFlow):
            slow.step(claim, [(node, late)])
    assert drive(quick, flow.flow_id, body).state == "done"
    assert [intent for _, intent in body.effects] == ["HOLD", "JUMP"]


def test_holders_are_notified_and_report(flows: Flows, told: Told) -> None:
    """With `notify` the graph orders the holders: each is notified when its turn comes, and reports with its token."""
    flows.team.register(document("aaaaaa", "a.py"), "ann", lease=1000)
    flows.team.register(document("bbbbbb", "b.py", depends_on=["intent_aaaaaa"]), "bob", lease=1000)
    flow = flows.approve(flows.start(NOTIFY_ALL, "pat").flow_id, "pat")
    flow = FlowDriver(flows, "driver").drive(flow.flow_id)
    assert (flow.state, states(flow)) == ("running", ["sent", "blocked"])
    ann, bob = (plan.token for plan in flows.team.list())
    with pytest.raises(NotHeld):
        flows.report(flow.flow_id, "node_0001", "done", bob)
    with told.raises(InvalidInput):
        flows.report(flow.flow_id, "node_0002", "done", bob)
    flow = flows.report(flow.flow_id, "node_0001", "done", ann)
    assert states(flow) == ["done", "sent"]
    assert states(flows.report(flow.flow_id, "node_0001", "done", ann)) == ["done", "sent"]
    flow = flows.report(flow.flow_id, "node_0002", "done", bob)
    assert flow.state == "done"


def test_an_abandoned_flow_sends_nothing_more(quick: Flows) -> None:
    """What was done stays done, the rest is skipped, and the plans keep their grants."""
    body = Body(fails={"JUMP": 1})
    flow = drive(quick, approved(quick).flow_id, body)
    flow = quick.abandon(flow.flow_id, "pat", why="rain")
    assert (flow.state, flow.reason) == ("abandoned", "rain")
    with pytest.raises(NotPossible, match=r"abandoned \(rain\)"):
        drive(quick, flow.flow_id, body)
    assert quick.team.show("intent_walker").state == "active"


def test_a_merge_of_nothing_is_refused(quick: Flows) -> None:
    """Where the answer is to merge nothing, there is nothing to approve."""
    budget = {"max_files": 400}
    for number in range(2):
        quick.team.register(document(f"walker_{number}", f"{number}.py", commands=STEPS, budgets=budget), "ann")
    flow = quick.start(BINDINGS, "pat")
    flow = quick.answer(flow.flow_id, option(flow, "Merge nothing"), "pat")
    assert flow.state == "refused"
    with pytest.raises(NotPossible, match="refused"):
        quick.approve(flow.flow_id, "pat")


def test_an_unknown_flow_is_named_with_those_that_exist(quick: Flows, told: Told) -> None:
    """A flow may be named by the beginning of its id; one that does not exist is refused."""
    flow = approved(quick)
    assert quick.status(flow.flow_id[:9]).flow_id == flow.flow_id
    with told.raises(InvalidInput):
        quick.status("flow_zzz")


def test_a_plan_that_waits_for_others_is_not_granted_by_a_flow(quick: Flows, told: Told) -> None:
    """A person's answer settles collisions among the plans of the flow; a collision with another active plan remains."""
    team = quick.team
    team.register(document("aaaaaa", "a.py", commands=STEPS[1:]), "ann")
    team.register(document("cccccc", "c.py", commands=STEPS[1:]), "cyd")
    team.register(document("bbbbbb", "a.py", "c.py", commands=STEPS[1:]), "bob", wait=True)
    flow = quick.start(BINDINGS, "pat", plans=["intent_aaaaaa", "intent_bbbbbb"])
    flow = quick.answer(flow.flow_id, option(flow, "One after the other"), "pat")
    with told.raises(WorldMoved):
        quick.approve(flow.flow_id, "pat")
    assert team.show("intent_bbbbbb").state == "waiting"


def test_a_project_without_plans_has_no_flow(store: Store, told: Told) -> None:
    """Without an open plan there is nothing to judge."""
    with told.raises(InvalidInput):
        Flows(Team(store, PROJECT)).start(BINDINGS, "pat")


@pytest.mark.parametrize(("table", "heading"), [(NEXT_OF_FLOW, "## Flows"), (NEXT_OF_NODE, "## Carrying out")])
def test_the_documented_states_are_those_of_the_code(table: dict[str, frozenset[str]], heading: str) -> None:
    """The page lists every state, and what may follow it."""
    text = (Path(__file__).parents[3] / "docs" / "workflow.md").read_text(encoding="utf-8").partition(heading)[2]
    rows = [line.split("|") for line in text.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    said = {row[1].strip(" `"): frozenset(row[3].replace("`", "").replace(",", " ").split()) for row in rows}
    assert said == table

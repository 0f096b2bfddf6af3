"""Forged flows and nodes: whatever a member with the right to write to the database, and with a key, does against the law is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.lived import BEGIN, check_named
from tests.workflow.scenes import BINDINGS, flows_of
from volition.workflow.law.flows import LONGEST_WAIT
from volition.workflow.law.permit import hash_of_actions

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.workflow.lived import Lived
    from volition.workflow import Flows

pytestmark = pytest.mark.req("WF-08")
DAY = 86_400_000


# Flows.


def approves_without_the_role(lived: Lived) -> None:
    flow = lived.flows["judged"]
    hash = flows_of(lived.store).status(flow).graph_hash
    lived.eve.append("approved", flow, "eve", graph_hash=hash, expires_at=BEGIN + DAY)


def approves_an_own_plan(lived: Lived) -> None:
    hash = flows_of(lived.store).status(lived.flows["judged"]).graph_hash
    lived.insider.append("approved", lived.flows["judged"], "ann", graph_hash=hash, expires_at=BEGIN + DAY)


def approves_something_else(lived: Lived) -> None:
    lived.insider.append("approved", lived.flows["judged"], "pat", graph_hash="0" * 64, expires_at=BEGIN + DAY)


def approves_for_ever(lived: Lived) -> None:
    hash = flows_of(lived.store).status(lived.flows["judged"]).graph_hash
    lived.insider.append("approved", lived.flows["judged"], "pat", graph_hash=hash, expires_at=BEGIN + LONGEST_WAIT + 1)


def replaces_a_permit(lived: Lived) -> None:
    hash = flows_of(lived.store).status(lived.flows["running"]).graph_hash
    lived.eve.append("approved", lived.flows["running"], "eve", graph_hash=hash, expires_at=BEGIN + DAY)
    lived.eve.run("UPDATE permit SET actor = 'eve' WHERE flow_id = ?", lived.flows["running"])


def ends_a_flow_early(lived: Lived) -> None:
    lived.eve.append("done", lived.flows["running"], "eve")


def holds_a_flow_that_goes_on(lived: Lived) -> None:
    lived.eve.append("held", lived.flows["running"], "eve", why="I say so")


def voids_a_flow(lived: Lived) -> None:
    lived.eve.append("void", lived.flows["judged"], "eve", why="intent_own_plan was revised")


def abandons_a_flow(lived: Lived) -> None:
    lived.eve.append("abandoned", lived.flows["running"], "eve", why="")


def runs_a_flow_without_a_claim(lived: Lived) -> None:
    hash = flows_of(lived.store).status(lived.flows["judged"]).graph_hash
    lived.insider.append("approved", lived.flows["judged"], "pat", graph_hash=hash, expires_at=BEGIN + DAY)
    lived.eve.append("running", lived.flows["judged"], "eve")


def choose(option: int) -> Callable[[Flows], object]:
    def answer(flows: Flows) -> object:
        (flow,) = flows.list(state="asked")
        assert flow.pack is not None
        return flows.answer(flow.flow_id, {"question_0001": flow.pack.questions[0].options[option].option_id}, "pat")

    return answer


def answers_without_the_role(lived: Lived) -> None:
    (answered, _) = lived.rehearse(choose(0))
    lived.eve.append("answered", answered.subject, "eve", **answered.body)


def answers_for_an_own_plan(lived: Lived) -> None:
    (answered, _) = lived.rehearse(choose(0))
    lived.insider.append("answered", answered.subject, "ann", **answered.body)


def says_that_something_else_was_answered(lived: Lived) -> None:
    (answered, _) = lived.rehearse(choose(0))
    lived.insider.repeat(answered, choices={"question_0001": "nothing"})


def lets_the_other_plan_win(lived: Lived) -> None:
    answered, judged = lived.rehearse(choose(0))
    fates = {"kept": "superseded", "superseded": "kept"}
    lived.insider.repeat(answered)
    lived.insider.repeat(judged, plans={name: fates[fate] for name, fate in judged.body["plans"].items()})


def judges_before_the_answer(lived: Lived) -> None:
    _, judged = lived.rehearse(choose(0))
    lived.insider.repeat(judged)


def starts_with_a_graph_of_her_own(lived: Lived) -> None:
    started, judged = lived.rehearse(lambda flows: flows.start(BINDINGS, "kim", plans=["intent_idle_plan"]))
    graph = judged.body["graph"]
    changed = graph.replace('"edges":[{', '"edges":[],"left_out":[{')
    assert changed != graph
    hash = hash_of_actions(changed, BINDINGS, "", "local")
    lived.insider.repeat(started)
    lived.insider.repeat(judged, graph=changed, graph_hash=hash)


def starts_with_another_hash(lived: Lived) -> None:
    started, judged = lived.rehearse(lambda flows: flows.start(BINDINGS, "kim", plans=["intent_idle_plan"]))
    lived.insider.repeat(started)
    lived.insider.repeat(judged, graph_hash="0" * 64)


def starts_with_other_bindings(lived: Lived) -> None:
    started, _ = lived.rehearse(lambda flows: flows.start(BINDINGS, "kim", plans=["intent_idle_plan"]))
    lived.insider.repeat(started, bindings=BINDINGS.replace('"JUMP"', '"HOLD"'))


def asks_for_ever(lived: Lived) -> None:
    lived.insider.append("abandoned", lived.flows["asked"], "pat", why="again")
    lived.insider.run("UPDATE flow SET state = 'abandoned' WHERE flow_id = ?", lived.flows["asked"])
    plans = ["intent_left_plan", "intent_right_plan"]
    started, asked = lived.rehearse(lambda flows: flows.start(BINDINGS, "kim", plans=plans))
    lived.insider.repeat(started)
    lived.insider.repeat(asked, expires_at=BEGIN + LONGEST_WAIT + 1)


def lets_nothing_give_way(lived: Lived) -> None:
    def settle(flows: Flows) -> None:
        choose(0)(flows)
        flows.approve(lived.flows["asked"], "pat")

    events = lived.rehearse(settle)
    assert any(event.what == "superseded" for event in events)
    for event in events:
        if event.what not in {"superseded", "granted"}:
            lived.insider.repeat(event)
    token = len(lived.team.history()) + 1
    said: dict[str, Any] = {"fence": token, "driver": "x", "lease_until": BEGIN + 1000}
    lived.insider.append("claimed", lived.flows["asked"], "driver", **said)
    lived.insider.append("running", lived.flows["asked"], "driver")


# Driving.


def says_done_what_was_never_sent(lived: Lived) -> None:
    said = lived.node("running", "node_0002") | {"fence": lived.fence("running"), "detail": ""}
    lived.insider.append("node done", lived.flows["running"], "driver", result="", retry=False, **said)


def says_done_what_another_sent(lived: Lived) -> None:
    said = lived.node("running", "node_0001") | {"fence": lived.fence("running"), "detail": ""}
    lived.eve.append("node done", lived.flows["running"], "eve", result="", retry=False, **said)


def answers_with_what_nobody_can_read(lived: Lived) -> None:
    said = lived.node("running", "node_0001") | {"fence": lived.fence("running"), "detail": ""}
    lived.insider.append("node done", lived.flows["running"], "driver", result="{", retry=False, **said)


def claims_what_is_driven(lived: Lived) -> None:
    token = len(lived.team.history()) + 1
    lived.eve.append("claimed", lived.flows["running"], "eve", fence=token, driver="hers", lease_until=BEGIN + 15_000)


def claims_for_ever(lived: Lived) -> None:
    lived.clock.now += 30_000
    token = len(lived.team.history()) + 1
    lived.eve.append("claimed", lived.flows["running"], "eve", fence=token, driver="hers", lease_until=BEGIN + 9 * DAY)


def claims_with_a_higher_fence(lived: Lived) -> None:
    lived.clock.now += 30_000
    lived.eve.append("claimed", lived.flows["running"], "eve", fence=10**12, driver="hers", lease_until=BEGIN + 40_000)


def doubts_without_a_claim(lived: Lived) -> None:
    said = lived.node("running", "node_0001") | {"fence": lived.fence("running"), "detail": ""}
    lived.eve.append("node unknown", lived.flows["running"], "eve", **said)


def sends_out_of_order(lived: Lived) -> None:
    lived.eve.run("UPDATE node SET state = 'ready' WHERE node_id = 'node_0002'")
    said = lived.node("running", "node_0002") | {"fence": lived.fence("running"), "lease_until": BEGIN + 9}
    lived.insider.append("node sent", lived.flows["running"], "driver", **said)


def asks_for_a_holders_node(lived: Lived) -> None:
    flow = lived.flows["notified"]
    fence = len(lived.team.history()) + 1
    lived.insider.append("claimed", flow, "driver", fence=fence, driver="x", lease_until=BEGIN + 9000)
    said = lived.node("notified", "node_0001") | {"fence": fence, "lease_until": BEGIN + 9000}
    lived.insider.append("node asked", flow, "driver", **said)


def doubts_a_holders_node(lived: Lived) -> None:
    flow = lived.flows["notified"]
    fence = len(lived.team.history()) + 1
    lived.insider.append("claimed", flow, "driver", fence=fence, driver="x", lease_until=BEGIN + 9000)
    said = lived.node("notified", "node_0001") | {"fence": fence, "detail": ""}
    lived.insider.append("node unknown", flow, "driver", **said)


def reports_for_another(lived: Lived) -> None:
    said = lived.node("notified", "node_0001") | {"token": lived.token("noted"), "outcome": "done", "detail": ""}
    lived.eve.append("node reported", lived.flows["notified"], "eve", **said)


def settles_what_is_under_way(lived: Lived) -> None:
    said = lived.node("running", "node_0001") | {"outcome": "failed", "detail": ""}
    lived.insider.append("node settled", lived.flows["running"], "pat", **said)


def skips_without_the_role(lived: Lived) -> None:
    lived.eve.append("node skipped", lived.flows["running"], "eve", node="node_0002", why="")


def tries_again_what_was_sent(lived: Lived) -> None:
    said = lived.node("running", "node_0001") | {"attempt": 2}
    lived.insider.append("node ready", lived.flows["running"], "pat", **said)


# What is no event at all.


def says_what_there_is_no_word_for(lived: Lived) -> None:
    lived.eve.append("blessed", "intent_idle_plan", "eve")


def leaves_details_out(lived: Lived) -> None:
    lived.eve.append("withdrawn", "intent_eve_plan", "eve")


def adds_details(lived: Lived) -> None:
    lived.eve.append("finished", "intent_eve_plan", "eve", token=lived.token("eve"), junk="x" * 1000)


def gives_a_text_for_a_number(lived: Lived) -> None:
    lived.eve.append("finished", "intent_eve_plan", "eve", token=str(lived.token("eve")))


def gives_a_list_for_details(lived: Lived) -> None:
    lived.eve.append("finished", "intent_eve_plan", "eve", raw="[1]")


def gives_no_json(lived: Lived) -> None:
    lived.eve.append("finished", "intent_eve_plan", "eve", raw="{")


def gives_a_binding_that_is_none(lived: Lived) -> None:
    started, _ = lived.rehearse(lambda flows: flows.start(BINDINGS, "kim", plans=["intent_idle_plan"]))
    lived.insider.repeat(started, bindings="[[")


Forgery = tuple["Callable[[Lived], None]", str]
FORGERIES: list[Forgery] = [
    (approves_without_the_role, "eve is a member in the project, and this takes an approver"),
    (approves_an_own_plan, "ann holds a plan of this flow, and nobody approves their own plan"),
    (approves_something_else, "the hash of what is stored is another one"),
    (approves_for_ever, "it would be over 31622400001 ms after"),
    (replaces_a_permit, "the flow is running, so it cannot be approved"),
    (ends_a_flow_early, "not every node has passed"),
    (holds_a_flow_that_goes_on, "something of it goes on"),
    (voids_a_flow, "nothing that it relies on has changed"),
    (abandons_a_flow, "this takes an approver"),
    (runs_a_flow_without_a_claim, "eve does not drive it"),
    (answers_without_the_role, "this takes an approver"),
    (answers_for_an_own_plan, "nobody answers for their own plan"),
    (says_that_something_else_was_answered, "it says something else than the answer"),
    (lets_the_other_plan_win, "the fates of its plans are"),
    (judges_before_the_answer, "its question is open"),
    (starts_with_a_graph_of_her_own, "its plans lead to another graph"),
    (starts_with_another_hash, "its hash is 0000000000000000..."),
    (starts_with_other_bindings, "the id is not that of its content"),
    (asks_for_ever, "it would be over"),
    (lets_nothing_give_way, "was to give way, and is"),
    (says_done_what_was_never_sent, "node_0002 is blocked"),
    (says_done_what_another_sent, "eve did not ask under"),
    (answers_with_what_nobody_can_read, "not JSON"),
    (claims_what_is_driven, "driver drives it"),
    (claims_for_ever, "the claim would last"),
    (claims_with_a_higher_fence, "the fence is 1000000000000"),
    (doubts_without_a_claim, "driver drives it"),
    (sends_out_of_order, "node_0002 is blocked"),
    (asks_for_a_holders_node, "node_0001 is done by the holder of its plan"),
    (doubts_a_holders_node, "node_0001 is done by the holder of its plan"),
    (reports_for_another, "the plan is held by bob"),
    (settles_what_is_under_way, "node_0001 is sent, and its driver is running"),
    (skips_without_the_role, "this takes an approver"),
    (tries_again_what_was_sent, "node_0001 is sent"),
    (says_what_there_is_no_word_for, "'blessed' is not a kind of event"),
    (leaves_details_out, "its details cannot be read"),
    (adds_details, "its details cannot be read: Object contains unknown field `junk`"),
    (gives_a_text_for_a_number, "its details cannot be read: Expected `int`, got `str`"),
    (gives_a_list_for_details, "its details cannot be read"),
    (gives_no_json, "not JSON"),
    (gives_a_binding_that_is_none, "not TOML"),
]


@pytest.mark.parametrize(("forge", "named"), FORGERIES, ids=lambda given: getattr(given, "__name__", ""))
def test_every_forgery_is_named(lived: Lived, forge: Callable[[Lived], None], named: str) -> None:
    """What a member appends against the law about flows and nodes, or what is no event, is named: what, who, when, and what was expected."""
    forge(lived)
    check_named(lived, named)

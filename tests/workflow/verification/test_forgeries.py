"""Forgeries: whatever a member with the right to write to the database, and with a key, does against the law is named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.lived import BEGIN
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, flows_of
from volition.governance import read_intent
from volition.workflow.law.flows import LONGEST_WAIT
from volition.workflow.law.permit import hash_of_actions
from volition.workflow.store.events import CLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.workflow.forging import Forger
    from tests.workflow.lived import Lived
    from volition.workflow import Flows

pytestmark = pytest.mark.req("WF-08")
DAY = 86_400_000


def grant(name: str, *files: str, **changed: Any) -> dict[str, Any]:
    """The details of a grant that nobody judged."""
    text = document(f"{name}_plan", *files, commands=STEPS)
    said = {
        "document": text.decode(), "checksum": read_intent(text).document.audit.checksum, "token": 0, "lease_ms": 900_000,
        "lease_until": BEGIN + 900_000, "judgement": "1", "collisions": [],
    }  # fmt: skip
    return said | changed


def take(lived: Lived, forger: Forger, by: str, name: str, *files: str, what: str = "granted", **changed: Any) -> None:
    """Grant a plan to somebody without judging it, under the right token."""
    token = len(lived.team.history()) + 1
    forger.append(what, f"intent_{name}_plan", by, **grant(name, *files, **{"token": token, **changed}))


def clash(plans: tuple[str, ...] = ("intent_idle_plan",)) -> list[dict[str, Any]]:
    return [{"rule": "resource_write_write", "severity": "high", "resource": "idle.py", "plans": list(plans)}]


# Plans of others.


def withdraws_anothers_plan(lived: Lived) -> None:
    lived.eve.append("withdrawn", "intent_idle_plan", "eve", token=lived.token("idle"), why="mine now")
    lived.eve.run("UPDATE plan SET state = 'withdrawn' WHERE plan_id = 'intent_idle_plan'")


def finishes_anothers_plan(lived: Lived) -> None:
    lived.eve.append("finished", "intent_idle_plan", "eve", token=lived.token("idle"))


def takes_a_plan_over(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "idle", "idle.py", revises=lived.token("idle"))


def renews_anothers_lease(lived: Lived) -> None:
    said = {"token": lived.token("idle"), "lease_ms": 1, "lease_until": BEGIN + 1}
    lived.eve.append("renewed", "intent_idle_plan", "eve", **said)


def releases_without_being_keeper(lived: Lived) -> None:
    lived.eve.append("released", "intent_idle_plan", "eve", why="in my way")


def says_that_anothers_plan_was_refused(lived: Lived) -> None:
    lived.eve.append("refused", "intent_idle_plan", "eve", checksum="", collisions=clash())


def refuses_without_a_reason(lived: Lived) -> None:
    lived.eve.append("refused", "intent_new_plan", "eve", checksum="", collisions=[])


def grants_a_collision(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "second", "idle.py")


def grants_by_a_version_that_nobody_knows(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "second", "idle.py", judgement="0")


def hides_a_mild_collision(lived: Lived) -> None:
    (event,) = lived.rehearse(
        lambda flows: flows.team.register(document("look_plan", "idle.py", commands=("a_look: read: look",)), "ann")
    )
    lived.insider.repeat(event, collisions=[])  # fmt: skip


def invents_a_collision(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "second", "free.py", what="waiting", collisions=clash())


def jumps_the_line(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "late", "right.py")


def ends_anothers_wait_with_a_short_lease(lived: Lived) -> None:
    lived.insider.append("withdrawn", "intent_left_plan", "ann", token=lived.token("left"), why="")
    token = len(lived.team.history()) + 1
    said = {"checksum": lived.team.show("intent_right_plan").checksum, "judgement": "1", "collisions": []}
    lived.eve.append("granted", "intent_right_plan", "eve", token=token, lease_ms=1, lease_until=BEGIN + 1, **said)


def takes_the_lease_of_a_century(lived: Lived) -> None:
    long = 100 * 365 * DAY
    lived.eve.append(
        "renewed", "intent_eve_plan", "eve", token=lived.token("eve"), lease_ms=long, lease_until=BEGIN + long
    )


def takes_a_longer_lease_than_it_says(lived: Lived) -> None:
    lived.eve.append(
        "renewed", "intent_eve_plan", "eve", token=lived.token("eve"), lease_ms=1000, lease_until=BEGIN + 900_000
    )


def renews_what_is_over(lived: Lived) -> None:
    lived.clock.now += 901_000
    said = {"token": lived.token("eve"), "lease_ms": 900_000, "lease_until": lived.clock.now + 900_000}
    lived.eve.append("renewed", "intent_eve_plan", "eve", **said)


def revises_what_never_was(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "new", "new.py", revises=3)


def guesses_a_token(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "new", "new.py", token=99)


def registers_in_another_project(lived: Lived) -> None:
    other = document("new_plan", "new.py").replace(b'"shop"', b'"bank"')
    take(lived, lived.eve, "eve", "new", "new.py", document=other.decode())


# The clock.


def lets_the_clock_expire_early(lived: Lived) -> None:
    lived.eve.append("expired", "intent_idle_plan", CLOCK)
    lived.eve.run("UPDATE plan SET state = 'expired', seq = seq + 100 WHERE plan_id = 'intent_idle_plan'")


def lets_the_clock_expire_in_the_future(lived: Lived) -> None:
    lived.eve.append("expired", "intent_idle_plan", CLOCK, at=BEGIN + DAY)


def expires_what_a_flow_keeps(lived: Lived) -> None:
    lived.clock.now += 901_000
    lived.eve.append("expired", "intent_walker_plan", CLOCK)


def expires_in_an_own_name(lived: Lived) -> None:
    lived.clock.now += 901_000
    lived.eve.append("expired", "intent_eve_plan", "eve")


def lets_the_clock_register(lived: Lived) -> None:
    take(lived, lived.eve, CLOCK, "new", "new.py")


def sets_the_clock_back_by_hand(lived: Lived) -> None:
    lived.eve.append("set back", PROJECT, "eve", at=BEGIN - DAY)


def sets_the_clock_back_to_now(lived: Lived) -> None:
    lived.eve.append("set back", PROJECT, CLOCK)


def writes_into_the_past(lived: Lived) -> None:
    lived.eve.append(
        "renewed", "intent_eve_plan", "eve", at=BEGIN - DAY, token=1, lease_ms=1, lease_until=BEGIN - DAY + 1
    )


def lets_the_clock_void_a_flow(lived: Lived) -> None:
    lived.eve.append("void", lived.flows["running"], CLOCK, why="the permit is over")


# People, keys and rules.


def appoints_herself(lived: Lived) -> None:
    lived.eve.append("role", "eve", "eve", role="approver")


def joins_as_keeper(lived: Lived) -> None:
    lived.eve.append("role", "mallory", "mallory", role="keeper")


def gives_anothers_name_her_key(lived: Lived) -> None:
    lived.eve.append("key", "ann", "eve", key=lived.eve.signer.public)
    lived.eve.run("UPDATE member SET public_key = ? WHERE name = 'ann'", lived.eve.signer.public)


def revokes_anothers_key(lived: Lived) -> None:
    lived.eve.append("key revoked", "ann", "eve")


def changes_the_settings(lived: Lived) -> None:
    lived.eve.append("settings", PROJECT, "eve", own_approval="allow", newcomers="approver")


def changes_the_rules(lived: Lived) -> None:
    lived.eve.append("rules", PROJECT, "eve", policy="", env="prod")


def begins_an_epoch(lived: Lived) -> None:
    lived.eve.append("restored", PROJECT, "eve", epoch=1)


def begins_an_epoch_that_no_database_can_hold(lived: Lived) -> None:
    lived.insider.append("restored", PROJECT, "kim", epoch=10**15)


def speaks_of_another_project(lived: Lived) -> None:
    lived.insider.append("settings", "bank", "kim", own_approval="allow", newcomers="approver")


def signs_in_anothers_name(lived: Lived) -> None:
    lived.eve.append("withdrawn", "intent_idle_plan", "ann", token=lived.token("idle"), why="")


def acts_in_no_name(lived: Lived) -> None:
    lived.eve.append("role", " ", " ", role="member")


def acts_as_a_stranger(lived: Lived) -> None:
    lived.eve.append("claimed", lived.flows["running"], "nobody", fence=1, driver="x", lease_until=BEGIN + 1)


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
    said = {"fence": token, "driver": "x", "lease_until": BEGIN + 1000}
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


FORGERIES: list[tuple[Callable[[Lived], None], str]] = [
    (withdraws_anothers_plan, "the plan is held by ann"),
    (finishes_anothers_plan, "the plan is held by ann"),
    (takes_a_plan_over, "the plan is held by ann"),
    (renews_anothers_lease, "the plan is held by ann"),
    (releases_without_being_keeper, "eve is a member in the project, and this takes a keeper"),
    (says_that_anothers_plan_was_refused, "the plan is held by ann"),
    (refuses_without_a_reason, "nothing is in its way"),
    (grants_a_collision, "it collides gravely with intent_idle_plan"),
    (grants_by_a_version_that_nobody_knows, "version '0' of the rules"),
    (hides_a_mild_collision, "on idle.py, and others are recorded"),
    (invents_a_collision, "its collisions are none, and others are recorded"),
    (jumps_the_line, "it collides gravely with intent_right_plan"),
    (ends_anothers_wait_with_a_short_lease, "900000 ms that its holder asked for"),
    (takes_the_lease_of_a_century, "the lease is 3153600000000 ms"),
    (takes_a_longer_lease_than_it_says, "1000 ms after it began"),
    (renews_what_is_over, "was over at 2026-01-25T10:15:00Z, and no event says so"),
    (revises_what_never_was, "there is no open plan to revise"),
    (guesses_a_token, "the token is 99"),
    (registers_in_another_project, "checksum"),
    (lets_the_clock_expire_early, "intent_idle_plan cannot expire yet"),
    (lets_the_clock_expire_in_the_future, "it is in the future"),
    (expires_what_a_flow_keeps, "intent_walker_plan cannot expire yet"),
    (expires_in_an_own_name, "was over at"),
    (lets_the_clock_register, "nobody registers it"),
    (sets_the_clock_back_by_hand, "eve sets the clock back"),
    (sets_the_clock_back_to_now, "the clock was not set back"),
    (writes_into_the_past, "it is earlier than the event before it"),
    (lets_the_clock_void_a_flow, "nothing that it relies on has changed"),
    (appoints_herself, "eve is a member in the project, and this takes a keeper"),
    (joins_as_keeper, "'mallory' joins as keeper; expected member"),
    (gives_anothers_name_her_key, "this takes a keeper"),
    (revokes_anothers_key, "this takes a keeper"),
    (changes_the_settings, "this takes a keeper"),
    (changes_the_rules, "open plans of shop are judged by other rules"),
    (begins_an_epoch, "this takes a keeper"),
    (begins_an_epoch_that_no_database_can_hold, "epoch 1000000000000000"),
    (speaks_of_another_project, "expected an event about the project 'shop'"),
    (signs_in_anothers_name, "the name 'ann' belongs to the key"),
    (acts_in_no_name, "' ' is nobody's name"),
    (acts_as_a_stranger, "'nobody' is not a member of the project"),
    (approves_without_the_role, "eve is a member in the project, and this takes an approver"),
    (approves_an_own_plan, "ann holds a plan of this flow, and nobody approves what is their own"),
    (approves_something_else, "the hash of what is stored is another one"),
    (approves_for_ever, "it would be over 31622400001 ms after"),
    (replaces_a_permit, "the flow is running, so it cannot be approved"),
    (ends_a_flow_early, "not every node has passed"),
    (holds_a_flow_that_goes_on, "something of it goes on"),
    (voids_a_flow, "nothing that it relies on has changed"),
    (abandons_a_flow, "this takes an approver"),
    (runs_a_flow_without_a_claim, "eve does not drive it"),
    (answers_without_the_role, "this takes an approver"),
    (answers_for_an_own_plan, "nobody answers for what is their own"),
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
    (settles_what_is_under_way, "node_0001 is sent, and its driver is there"),
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


def test_the_project_is_intact(lived: Lived) -> None:
    """Before anybody forges anything, everything is as the law says."""
    assert lived.faults() == ()


@pytest.mark.parametrize(("forge", "named"), FORGERIES, ids=lambda given: getattr(given, "__name__", ""))
def test_every_forgery_is_named(lived: Lived, forge: Callable[[Lived], None], named: str) -> None:
    """What a member appends against the law is named, by the event: what, who, when, and what was expected."""
    forge(lived)
    fault = lived.faults()[0]
    assert named in fault
    assert re.search(r"^event \d+ \(.+, by .+\): .+; expected .+", fault), fault
    assert "at 2026-01-2" in fault or "JSON" in fault, fault


ROWS = [
    ("UPDATE plan SET lease_until = 1 WHERE plan_id = 'intent_idle_plan'", "lease_until of the plan intent_idle_plan is 1"),
    ("UPDATE plan SET lease_ms = 1 WHERE plan_id = 'intent_idle_plan'", "lease_ms of the plan intent_idle_plan is 1"),
    ("UPDATE plan SET holder = 'eve' WHERE plan_id = 'intent_idle_plan'", "holder of the plan intent_idle_plan is 'eve'"),
    ("UPDATE plan SET token = 99 WHERE plan_id = 'intent_idle_plan'", "token of the plan intent_idle_plan is 99"),
    ("DELETE FROM plan WHERE plan_id = 'intent_idle_plan'", "the plan intent_idle_plan is missing"),
    (("INSERT INTO plan SELECT * FROM (SELECT project, 'intent_ghost', checksum, holder, state, document, 999, seq, lease_ms,"
     " lease_until FROM plan WHERE plan_id = 'intent_idle_plan')"), "the plan intent_ghost is there; expected none"),
    ("UPDATE question SET expires_at = expires_at + 1", "expires_at of the question"),
    ("UPDATE question SET asked_at = 0", "asked_at of the question"),
    ("UPDATE flow SET fence = 1 WHERE fence > 0", "fence of the flow"),
    ("UPDATE flow SET holder = 'eve' WHERE holder = 'driver'", "holder of the flow"),
    ("UPDATE flow SET driver = 'eve' WHERE holder = 'driver'", "driver of the flow"),
    ("UPDATE flow SET lease_until = 0 WHERE lease_until > 0", "lease_until of the flow"),
    ("UPDATE flow SET reason = 'x'", "reason of the flow"),
    ("UPDATE flow SET bindings = bindings || '# edited' WHERE state = 'asked'", "bindings of the flow"),
    ("UPDATE node SET detail = 'x'", "detail of the node node_0001"),
    ("UPDATE node SET asked_by = '[]'", "asked_by of the node node_0001"),
    ("DELETE FROM node WHERE node_id = 'node_0002'", "the node node_0002 of flow_"),
    (("UPDATE node SET flow_id = 'nowhere' WHERE node_id = 'node_0002' AND state = 'blocked' AND detail = ''"
     " AND flow_id = (SELECT flow_id FROM flow WHERE holder = 'driver' LIMIT 1)"), "a node of 'nowhere' is there"),
    ("UPDATE permit SET expires_at = expires_at + 1", "expires_at of the permit"),
    ("UPDATE permit SET actor = 'eve'", "actor of the permit"),
    ("UPDATE member SET role = 'keeper' WHERE name = 'eve'", "role of the member eve is 'keeper'"),
    ("UPDATE member SET public_key = 'x' WHERE name = 'ann'", "public_key of the member ann is 'x'"),
    ("UPDATE member SET since = 0 WHERE name = 'ann'", "since of the member ann is 0"),
    ("INSERT INTO member VALUES ('shop', 'mallory', 'keeper', '', 1)", "the member mallory is there"),
    ("INSERT INTO member VALUES ('ghost', 'mallory', 'keeper', '', 1)", "a member of 'ghost' is there"),
    ("UPDATE project SET own_approval = 'allow'", "own_approval of the project shop is 'allow'"),
    ("UPDATE project SET newcomers = 'approver'", "newcomers of the project shop"),
    ("UPDATE project SET epoch = 3", "epoch of the project shop is 3"),
    ("UPDATE project SET flows = 0", "flows of the project shop is 0"),
    ("UPDATE project SET at = 0", "at of the project shop is 0"),
    ("UPDATE project SET seq = seq - 1", "the project counts"),
    ("UPDATE flow_plan SET fate = 'left_out'", "fate of the flow plan"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "named"), ROWS)
def test_every_edited_row_is_named(lived: Lived, statement: str, named: str) -> None:
    """A row that was changed, added or removed is named: what it is, and what it should be by which event, by whom and when."""
    assert lived.eve.run(statement)
    fault = next(each for each in lived.faults() if named in each)
    assert "; expected" in fault
    if "expected none" not in fault and "counts" not in fault:
        assert re.search(r"by event \d+ \(.+, by .+ at 2026-01-25T10:00:00Z\)", fault) or "of the project" in fault, (
            fault
        )

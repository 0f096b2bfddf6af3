"""The line of plans that wait: it keeps its order, moves up by itself, and nobody who comes later goes first."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, drive, flows_of
from volition.core.errors import VolitionError
from volition.workflow import NOTIFY_ALL, Flows, Store, Team, parse_store_address, verify_registry
from volition.workflow.law.states import OPEN_FLOWS
from volition.workflow.team.line import read_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from volition.workflow.store.rows import RegisteredPlan

pytestmark = pytest.mark.req("WF-10")
FILES = ("a.py", "b.py", "c.py")
CLAIMS = [("a.py",), ("b.py",), ("a.py", "b.py"), ("b.py", "c.py"), ("a.py", "b.py", "c.py")]
"""What plans may claim: two that share a file collide gravely, and others do not."""


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def flows(tmp_path: Path, clock: HandClock) -> Iterator[Flows]:
    with Store(parse_store_address(tmp_path / "team.db"), clock=clock) as store:
        yield flows_of(store)


class History:
    """A history of verbs in random order, and what must hold after each of them, by brute force over all pairs."""

    def __init__(self, flows: Flows, clock: HandClock, chance: random.Random) -> None:
        self.flows, self.team, self.clock, self.chance = flows, flows.team, clock, chance
        self.claims: dict[str, set[str]] = {}

    def open_plans(self) -> list[RegisteredPlan]:
        return [plan for plan in self.team.list() if plan.state in {"active", "waiting"}]

    def collide(self, one: str, other: str) -> bool:
        return one != other and bool(self.claims[one] & self.claims[other])

    def step(self) -> None:
        verbs = [
            self.register,
            self.register,
            self.register,
            self.end,
            self.renew,
            self.revise,
            self.start,
            self.go_on,
            self.wait,
        ]
        with suppress(VolitionError):  # a verb that is not possible now changes nothing
            self.chance.choice(verbs)()

    def register(self) -> None:
        name = f"number_{self.chance.randrange(7)}"
        self._write(name, lambda content: self.team.register(content, "ann", lease=self._lease(), wait=True))

    def revise(self) -> None:
        plan = self.chance.choice(self.open_plans() or [None])
        if plan is not None:
            self._write(plan.plan_id.removeprefix("intent_"), lambda content: self.team.revise(content, plan.token))

    def _write(self, name: str, act: object) -> None:
        claimed = self.chance.choice(CLAIMS)
        made = act(document(name, *claimed, commands=STEPS))  # type: ignore[operator]
        if made.outcome != "refused" and not made.repeated:
            self.claims[made.plan_id] = set(claimed)

    def _lease(self) -> float:
        return self.chance.choice([20.0, 60.0, 1000.0])

    def end(self) -> None:
        plan = self.chance.choice(self.open_plans() or [None])
        if plan is None:
            return
        if plan.state == "active" and self.chance.random() < 0.4:
            self.team.finish(plan.plan_id, plan.token)
        elif self.chance.random() < 0.5:
            self.team.withdraw(plan.plan_id, plan.token)
        else:
            self.team.release(plan.plan_id, "ann", why="gone")

    def renew(self) -> None:
        plan = self.chance.choice(self.open_plans() or [None])
        if plan is not None:
            self.team.renew(plan.plan_id, plan.token, lease=self._lease())

    def start(self) -> None:
        names = [plan.plan_id for plan in self.open_plans()]
        self.flows.start(
            BINDINGS, "ann", plans=self.chance.sample(names, min(len(names), self.chance.randint(1, 3))) or None
        )

    def go_on(self) -> None:
        for flow in self.flows.list():
            if flow.state not in OPEN_FLOWS or self.chance.random() < 0.3:
                continue
            if self.chance.random() < 0.15:
                self.flows.abandon(flow.flow_id, "ann")
            elif flow.pack is not None:
                chosen = {each.question_id: self.chance.choice(each.options).option_id for each in flow.pack.questions}
                self.flows.answer(flow.flow_id, chosen, "ann")
            elif flow.state == "judged":
                self.flows.approve(flow.flow_id, "ann")
            else:
                drive(self.flows, flow.flow_id, Body())

    def wait(self) -> None:
        self.clock.now += self.chance.choice([1_000, 15_000, 70_000])

    def check(self) -> None:
        """Nobody waits whose way is free: no active plan and no earlier one in line collides."""
        with self.team.transaction():
            pass
        plans = self.open_plans()
        for plan in plans:
            before = [each for each in plans if each.state == "active" or each.token < plan.token]
            blocked = any(self.collide(plan.plan_id, each.plan_id) for each in before)
            assert plan.state == "active" or blocked, (plan.plan_id, plans)


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_line_keeps_its_order(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Whatever happens in whatever order, the line moves up by itself after everything that ends a plan or a flow, and no plan is
    granted before one that has waited longer and collides with it, except by a person's word in a flow."""
    clock = HandClock()
    with Store(parse_store_address(tmp_path_factory.mktemp("line") / "team.db"), clock=clock) as store:
        history = History(flows_of(store), clock, random.Random(seed))
        for _ in range(30):
            history.step()
            history.check()
        assert overtaken(history.team) == []
        assert verify_registry(store, PROJECT).faults == ()


def overtaken(team: Team) -> list[str]:
    """Every grant, outside a flow, before somebody who had waited longer, read from the events alone. Who waits for an active plan
    waits for what that is revised to, too."""
    claims: dict[str, set[str]] = {}
    line: dict[str, int] = {}
    found = []
    for event in team.history():
        name, held = event.subject, set[str]()
        if "document" in event.body:
            held = claims.get(name, set()) if "revises" in event.body and name not in line else held
            claims[name] = {file for file in FILES if f'"{file}"' in event.body["document"]}
        if event.what == "waiting":
            line[name] = event.body["token"]
        elif event.what == "granted":
            place = line.pop(name, event.body["token"])
            before = [each for each, at in line.items() if at < place and not claims[each] & held]
            if "flow" not in event.body:
                found += [f"{name} before {each}" for each in before if claims[each] & claims[name]]
        elif event.what in {"withdrawn", "released", "expired", "superseded", "finished"}:
            line.pop(name, None)
    return found


def test_a_grant_out_of_order_would_be_found(flows: Flows, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: where a plan is compared with the active ones alone, the later comer is granted first, and that is seen."""
    monkeypatch.setattr("volition.workflow.team.live.LiveIndex._earlier", lambda *_: ())
    team = flows.team
    team.register(document("leader", "a.py"), "ann")
    team.register(document("second", "a.py", "b.py"), "bob", wait=True)
    assert team.register(document("latest", "b.py"), "cyd").outcome == "granted"
    assert overtaken(team) == ["intent_latest before intent_second"]


@pytest.mark.parametrize("how", ["finish", "withdraw", "release", "expiry", "revise", "supersede", "in a flow"])
def test_everything_that_frees_the_way_moves_the_line_up(flows: Flows, clock: HandClock, how: str) -> None:
    """Whatever ends what is in the way of a waiting plan, that plan is granted in the same moment, without a verb of its holder."""
    team = flows.team
    lease = 30 if how == "expiry" else 1000
    first = team.register(document("leader", "a.py", "c.py", commands=STEPS), "ann", lease=lease)
    assert first.grant is not None
    team.register(document("second", "a.py", "b.py", commands=STEPS), "bob", lease=1000, wait=True)
    if how == "finish":
        team.finish("intent_leader", first.grant.token)
    elif how == "withdraw":
        team.withdraw("intent_leader", first.grant.token)
    elif how == "release":
        team.release("intent_leader", "ann", why="ann is on holiday")
    elif how == "revise":
        team.revise(document("leader", "c.py", commands=STEPS), first.grant.token)
    elif how == "expiry":
        clock.now += 31_000
        with team.transaction():
            pass
    elif how == "supersede":
        team.register(document("rivals", "c.py", commands=STEPS), "cyd", lease=1000, wait=True)
        _choose(flows, "intent_leader", "intent_rivals", keep="intent_rivals")
    else:
        flows.start(BINDINGS, "pat", plans=["intent_second"])
        team.finish("intent_leader", first.grant.token)
    assert team.show("intent_second").state == "active"


def _choose(flows: Flows, *plans: str, keep: str) -> None:
    """Let a person decide between two plans, for one of them."""
    flow = flows.start(BINDINGS, "pat", plans=plans)
    assert flow.pack is not None
    for option in flow.pack.questions[0].options:
        if keep in option.label and "leader" in option.label.lower() + option.option_id:
            break
    for option in flow.pack.questions[0].options:
        answered = flows.answer(flow.flow_id, {flow.pack.questions[0].question_id: option.option_id}, "pat")
        if answered.state == "judged" and answered.plans[keep] == "kept" and "superseded" in answered.plans.values():
            flows.approve(flow.flow_id, "pat")
            return
        flows.abandon(flow.flow_id, "pat")
        flow = flows.start(BINDINGS, "pat", plans=plans)
        assert flow.pack is not None
    raise AssertionError("no option lets one plan give way")


def test_renewals_of_others_do_not_starve_a_waiting_plan(flows: Flows, clock: HandClock) -> None:
    """Those who come later may register and renew as often as they like: the first in line keeps its place, and has its turn with
    the end of what was active before it."""
    team = flows.team
    first = team.register(document("leader", "a.py"), "ann", lease=1000)
    assert first.grant is not None
    second = team.register(document("second", "a.py", "b.py"), "bob", lease=10**5, wait=True)
    for number in range(10):
        clock.now += 50_000
        late = team.register(document(f"late_{number}", "b.py"), "cyd", lease=1000, wait=True)
        assert late.outcome == "waiting"
        team.renew("intent_leader", first.grant.token)
        assert team.renew(f"intent_late_{number}", late.place).outcome == "waiting"
        assert team.renew("intent_second", second.place).outcome == "waiting"
    team.finish("intent_leader", first.grant.token)
    assert team.show("intent_second").state == "active"
    assert {plan.state for plan in team.list() if "late" in plan.plan_id} <= {"waiting", "expired"}


def test_a_plan_lives_as_long_as_its_approved_flow(flows: Flows, clock: HandClock) -> None:
    """The lease of a plan in an approved flow does not end before the flow; with the end of the flow it begins again."""
    flow = approved(flows)
    clock.now += 10 * 86_400_000 // 2
    assert flows.team.show("intent_walker").state == "active"
    assert drive(flows, flow.flow_id, Body()).state == "done"
    left = flows.team.show("intent_walker")
    assert left.lease_until == clock.now + left.lease_ms
    clock.now = left.lease_until
    assert flows.team.show("intent_walker").state == "expired"


@pytest.mark.parametrize("over", ["the plan", "the question", "the permit"])
def test_what_has_expired_says_so_everywhere(flows: Flows, clock: HandClock, over: str) -> None:
    """A flow whose plan, question or permit is over by the clock is void for everybody who looks, before anybody has written it
    down; and what is written down later says the same."""
    team = flows.team
    team.register(document("leader", "a.py", commands=STEPS), "ann", lease=30 if over == "the plan" else 10**6)
    if over == "the permit":
        flow = flows.approve(flows.start(BINDINGS, "pat").flow_id, "pat", patience=60)
    else:
        team.register(document("second", "a.py", commands=STEPS), "bob", lease=10**6, wait=True)
        flow = flows.start(NOTIFY_ALL, "pat", patience=60)
        assert flow.state == "asked"
    clock.now += 61_000
    seen = flows.status(flow.flow_id)
    assert (seen.state, seen.pack) == ("void", None)
    assert [each.state for each in flows.list()] == ["void"] == [each.state for each in flows.list(state="void")]
    assert flows.list(state=flow.state) == ()
    assert not seen.permit or seen.permit["state"] == "void"
    with team.transaction():
        pass
    written = flows.status(flow.flow_id)
    assert (written.state, written.reason) == (seen.state, seen.reason)


def test_the_line_says_behind_whom_and_for_what(flows: Flows) -> None:
    """Each waiting plan has its place, and names the active plans and those before it in line that want the same, with their
    holders and what both want; a plan that waits for nothing of it is not named."""
    team = flows.team
    team.register(document("aaaaaa", "a.py"), "ann")
    team.register(document("bbbbbb", "a.py", "b.py"), "bob", wait=True)
    team.register(document("cccccc", "b.py"), "cat", wait=True)
    team.register(document("dddddd", "d.py"), "dan")
    line = read_line(team, team.list())
    assert [(one.plan_id, one.place) for one in line] == [("intent_bbbbbb", 1), ("intent_cccccc", 2)]
    assert [(one.plan_id, one.holder, one.resources) for one in line[0].behind] == [("intent_aaaaaa", "ann", ("a.py",))]
    assert [(one.plan_id, one.holder, one.resources) for one in line[1].behind] == [("intent_bbbbbb", "bob", ("b.py",))]
    before = team.list()
    team.withdraw("intent_bbbbbb", next(plan.token for plan in before if plan.plan_id == "intent_bbbbbb"))
    assert [one.behind for one in read_line(team, before)] == [(), ()]
    assert read_line(team, team.list()) == ()

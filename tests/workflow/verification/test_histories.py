"""Lawful histories: whatever people, drivers, clocks and crashes do through the registry, verification finds nothing."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workflow.bodies import Body
from tests.workflow.forging import signer_of
from tests.workflow.lived import BEGIN
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, photograph, put_back
from volition.core.errors import VolitionError
from volition.workflow import NOTIFY_ALL, FlowDriver, Flows, Members, Store, Team, parse_store_address, verify_registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.workflow import Signer
    from volition.workflow.flow.status import FlowStatus

pytestmark = pytest.mark.req("WF-08")
NAMES = ("kim", "ann", "bob", "pat")
PLANS = ("plan_a", "plan_b", "plan_c", "plan_d")
FILES = ("a.py", "b.py", "src/c.py", "src")
VERBS = (
    "register", "register", "wait", "renew", "finish", "withdraw", "revise", "reword", "release", "start", "start", "notify",
    "answer", "approve", "approve", "drive", "drive", "fail", "silent", "die", "claim", "resume", "skip", "settle", "report",
    "abandon", "role", "settings", "rotate", "revoke", "pass", "back", "undone",
)  # fmt: skip
STEPS_TAKEN = st.lists(
    st.tuples(st.sampled_from(VERBS), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=30
)


class Died(BaseException):
    """The process is gone."""


class History:
    """A project in which anything may happen."""

    def __init__(self, store: Store, clock: HandClock) -> None:
        self.store, self.clock = store, clock
        self.signers: dict[str, Signer] = {name: signer_of("b" if name == "bob" else "a") for name in NAMES}
        self.keys = 0

    def team(self, name: str) -> Team:
        """The team as this person's process has it."""
        self.store._signer = self.signers[name]
        return Team(self.store, PROJECT)

    def step(self, verb: str, who: int, which: int, what: int) -> None:
        """Try something; much of it is refused."""
        with suppress(VolitionError, Died):
            getattr(self, verb)(NAMES[who], which, what)

    # Plans.

    def register(self, name: str, which: int, what: int, *, wait: bool = False) -> None:
        plan = document(PLANS[which], FILES[what], commands=STEPS)
        self.team(name).register(plan, name, lease=(10, 100)[what % 2], wait=wait)

    def wait(self, name: str, which: int, what: int) -> None:
        self.register(name, which, what, wait=True)

    def renew(self, name: str, which: int, what: int) -> None:
        plan = self._plan(which)
        self.team(name).renew(plan, self._token(plan), lease=(10, 100)[what % 2])

    def finish(self, name: str, which: int, what: int) -> None:
        plan = self._plan(which)
        self.team(name).finish(plan, self._token(plan))

    def withdraw(self, name: str, which: int, what: int) -> None:
        plan = self._plan(which)
        self.team(name).withdraw(plan, self._token(plan), why="so")

    def revise(self, name: str, which: int, what: int) -> None:
        changed = document(PLANS[which], FILES[what], "more.py", commands=STEPS)
        self.team(name).revise(changed, self._token(self._plan(which)))

    def reword(self, name: str, which: int, what: int) -> None:
        plan = self._plan(which)
        files = [each for each in FILES if each in self.team(name).show(plan).document][:1]
        commands = tuple(f"{step}, then" for step in STEPS)
        self.team(name).revise(document(PLANS[which], *files, commands=commands), self._token(plan))

    def release(self, name: str, which: int, what: int) -> None:
        self.team(name).release(self._plan(which), name, why="gone")

    # Flows.

    def start(self, name: str, which: int, what: int, *, bindings: str = BINDINGS) -> None:
        chosen = [f"intent_{each}" for each in PLANS[: which + 1]] if what else None
        Flows(self.team(name)).start(bindings, name, plans=chosen, patience=50)

    def notify(self, name: str, which: int, what: int) -> None:
        self.start(name, which, what, bindings=NOTIFY_ALL)

    def answer(self, name: str, which: int, what: int) -> None:
        flow = self._flow("asked")
        assert flow.pack is not None
        options = flow.pack.questions
        choices = {each.question_id: each.options[what % len(each.options)].option_id for each in options}
        Flows(self.team(name)).answer(flow.flow_id, choices, name, patience=50)

    def approve(self, name: str, which: int, what: int) -> None:
        Flows(self.team(name)).approve(self._flow("judged").flow_id, name, patience=50)

    def drive(self, name: str, which: int, what: int, *, body: Body | None = None) -> None:
        flow = self._flow("approved", "running", "held")
        door = (body or Body(remembers=bool(what), claims_to=bool(what))).door
        FlowDriver(Flows(self.team(name)), name, open_door=door, at_once=1).drive(flow.flow_id)

    def fail(self, name: str, which: int, what: int) -> None:
        self.drive(name, which, what, body=Body(fails={"HOLD": 1}))

    def silent(self, name: str, which: int, what: int) -> None:
        self.drive(name, which, what, body=Body(remembers=False, claims_to=False, silent={"HOLD", "JUMP"}))

    def die(self, name: str, which: int, what: int) -> None:
        def end(_: str) -> None:
            raise Died

        self.drive(name, which, what, body=Body(boundary=end))

    def claim(self, name: str, which: int, what: int) -> None:
        flow = self._flow("approved", "running", "held")
        FlowDriver(Flows(self.team(name)), name, name=str(what)).claim(flow.flow_id)

    def resume(self, name: str, which: int, what: int) -> None:
        Flows(self.team(name)).resume(self._flow("held").flow_id, name)

    def skip(self, name: str, which: int, what: int) -> None:
        flow = self._flow("running", "held", "approved")
        Flows(self.team(name)).skip(flow.flow_id, flow.nodes[what % len(flow.nodes)].node_id, name)

    def settle(self, name: str, which: int, what: int) -> None:
        flow = self._flow("running", "held", "void", "abandoned")
        outcome = ("done", "failed")[which % 2]
        Flows(self.team(name)).settle(flow.flow_id, flow.nodes[what % len(flow.nodes)].node_id, outcome, name)

    def report(self, name: str, which: int, what: int) -> None:
        flow = self._flow("running")
        node = flow.nodes[what % len(flow.nodes)]
        Flows(self.team(name)).report(
            flow.flow_id, node.node_id, ("done", "failed")[which % 2], self._token(node.plan_id)
        )

    def abandon(self, name: str, which: int, what: int) -> None:
        Flows(self.team(name)).abandon(self._flow("asked", "judged", "approved", "running", "held").flow_id, name)

    # People.

    def role(self, name: str, which: int, what: int) -> None:
        Members(self.team(name)).give_role(NAMES[which], ("member", "approver", "keeper", "keeper")[what], name)

    def settings(self, name: str, which: int, what: int) -> None:
        newcomers = ("approver", "member", "refused")[what % 3]
        Members(self.team(name)).change_settings(name, own_approval=("refuse", "allow")[which % 2], newcomers=newcomers)

    def rotate(self, name: str, which: int, what: int) -> None:
        self.keys += 1
        new = signer_of(chr(ord("c") + self.keys))
        Members(self.team(name)).change_key(NAMES[which], new.public, name)
        self.signers[NAMES[which]] = new

    def revoke(self, name: str, which: int, what: int) -> None:
        if what == 0:
            Members(self.team(name)).revoke_key(NAMES[which], name)

    # Time, and the end of processes.

    def _pass(self, name: str, which: int, what: int) -> None:
        self.clock.now += (1_000, 11_000, 60_000, 200_000)[what]

    def back(self, name: str, which: int, what: int) -> None:
        self.clock.now -= (1, 5_000, 60_000, 86_400_000)[what]
        self.register(name, which, what)

    def undone(self, name: str, which: int, what: int) -> None:
        with self.team(name).transaction() as transaction:
            transaction.admit(name)
            transaction.record("withdrawn", self._plan(which), name, token=self._token(self._plan(which)), why="")
            raise Died

    def _plan(self, which: int) -> str:
        return f"intent_{PLANS[which]}"

    def _token(self, plan: str) -> int:
        return Team(self.store, PROJECT).show(plan).token

    def _flow(self, *states: str) -> FlowStatus:
        found = [each for each in Flows(Team(self.store, PROJECT)).list() if each.state in states and each.plans]
        if not found or (states[0] in {"running", "held"} and not found[-1].nodes):
            raise VolitionError
        return found[-1]


setattr(History, "pass", History._pass)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    clock = HandClock()
    store = Store(parse_store_address(tmp_path_factory.mktemp("histories") / "team.db"), clock=clock)
    yield History(store, clock)
    store.close()


@given(STEPS_TAKEN)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_every_lawful_history_is_intact(history: History, steps: list[tuple[str, int, int, int]]) -> None:
    """Whatever is done through the registry, with roles, other keys, crashes, and a clock that goes on or back, verifies."""
    store, clock = history.store, history.clock
    empty = photograph(store)
    clock.now = BEGIN
    try:
        lived = History(store, clock)
        lived.team("kim").register(document("first_plan", "first.py"), "kim", lease=100)
        for step in steps:
            lived.step(*step)
        assert verify_registry(store, PROJECT).faults == ()
    finally:
        put_back(store, empty)


def test_the_histories_reach_far(history: History) -> None:
    """A history with every kind of step leads to events of most kinds, so the law above speaks of them."""
    store, clock = history.store, history.clock
    empty = photograph(store)
    clock.now = BEGIN
    lived = History(store, clock)
    lived.team("kim").register(document("first_plan", "first.py"), "kim", lease=100)
    steps = [
        ("register", 1, 0, 1), ("wait", 2, 1, 1), ("start", 3, 1, 1), ("answer", 3, 0, 0), ("approve", 3, 0, 0),
        ("fail", 0, 0, 1), ("resume", 0, 0, 0), ("die", 0, 0, 1), ("pass", 0, 0, 1), ("pass", 0, 0, 1), ("pass", 0, 0, 1), ("drive", 0, 0, 1), ("rotate", 1, 1, 0),
        ("role", 0, 1, 0), ("back", 1, 3, 3), ("pass", 0, 0, 3), ("wait", 1, 3, 2),
    ]  # fmt: skip
    for step in steps:
        lived.step(*step)
    said = {event.what for event in lived.team("kim").history()}
    assert verify_registry(store, PROJECT).faults == ()
    put_back(store, empty)
    assert said >= {
        "role", "rules", "granted", "waiting", "started", "asked", "answered", "judged", "approved", "superseded", "claimed",
        "running", "node sent", "node failed", "held", "node ready", "node asked", "node done", "key", "set back", "expired",
    }, said  # fmt: skip

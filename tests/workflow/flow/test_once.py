"""A request keeps its id, and once it was sent only a definite answer about it, or a person, says what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT
from tests.workflow.scenes import BINDINGS, HandClock, approved, drive, flows_of, photograph, put_back, states
from volition.core.errors import MissingPart, NotPossible
from volition.execution import Outcome, make_result
from volition.execution.executor.requests import INTERRUPTED, NOT_REMEMBERED, OTHER_DIGEST, STALE_TOKEN, UNDER_WAY
from volition.execution.wire.intents import Jump
from volition.execution.wire.results import UNTRIED, Result, label_of
from volition.workflow import FlowDriver, Flows, LostFlow, Store, WorkResult, parse_store_address, verify_registry
from volition.workflow.flow.dispatch import definite, read_outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.sentences import Told
    from volition.workflow import WorkOrder

pytestmark = pytest.mark.req("WF-07")
RETRYING = BINDINGS.replace('intent = "HOLD"', 'intent = "HOLD"\nretries = 3')


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Callable[[], Flows], HandClock]]:
    clock = HandClock()
    with Store(parse_store_address(tmp_path_factory.mktemp("once") / "team.db"), clock=clock) as store:
        empty = photograph(store)

        def fresh() -> Flows:
            put_back(store, empty)
            clock.now = 1_000_000
            return flows_of(store)

        yield fresh, clock


class Wayward(Body):
    """An executor that remembers, behind a door that gives what a test says instead of its answers, one after the other."""

    says: list[WorkResult | None]

    def act(self, order: WorkOrder) -> WorkResult:
        said = self.says.pop(0) if self.says else None
        if said is not None and said.outcome == "unsent":
            self.orders.append(order)
            return said
        answer = super().act(order)
        return answer if said is None else said


SILENCE = WorkResult("unknown", None, "no answer in time")
NOT_SENT = WorkResult("unsent", None, "the connection was lost")
STALE = WorkResult("unknown", None, STALE_TOKEN)
FULL = WorkResult("failed", None, "WINDOW_FULL", retry=True, refused=True)
VAGUE = [SILENCE, NOT_SENT, STALE, FULL]


@pytest.mark.parametrize("second", VAGUE)
def test_nothing_vague_replaces_silence(
    shared: tuple[Callable[[], Flows], HandClock], second: WorkResult, told: Told
) -> None:
    """After silence, a second asking that was not sent, was refused or stays silent leaves the node unknown under its one
    request id: no retry, and resuming asks again under the same id; one effect."""
    flows = shared[0]()
    body = Wayward()
    body.says = [SILENCE, second]
    flow = drive(flows, approved(flows, bindings=RETRYING).flow_id, body)
    assert (flow.state, states(flow)) == ("held", ["unknown", "blocked"])
    assert (flow.nodes[0].attempt, len({order.request for order in body.orders})) == (1, 1)
    with told.raises(NotPossible):
        flows.resume(flow.flow_id, "pat", node="node_0001")
    assert drive(flows, flow.flow_id, body).state == "done"
    assert [intent for _, intent in body.effects] == ["HOLD", "JUMP"]
    assert verify_registry(flows.team.store, PROJECT).faults == ()


def test_what_never_left_keeps_its_request(shared: tuple[Callable[[], Flows], HandClock], told: Told) -> None:
    """A request that could not be sent at all is ready again, as the same attempt; who drives is told why."""
    flows = shared[0]()
    body = Wayward()
    body.says = [NOT_SENT]
    flow = approved(flows, bindings=RETRYING)
    with told.raises(MissingPart):
        drive(flows, flow.flow_id, body)
    assert states(flows.status(flow.flow_id)) == ["ready", "blocked"]
    assert drive(flows, flow.flow_id, body).state == "done"
    assert len({order.request for order in body.orders if order.intent == "HOLD"}) == 1


@pytest.mark.parametrize("late", VAGUE)
def test_a_driver_that_lost_its_claim_adds_nothing_vague(
    shared: tuple[Callable[[], Flows], HandClock], late: WorkResult
) -> None:
    """Once another one has claimed the flow, the first may add a definite answer to what it sent, and nothing else."""
    flows, clock = shared[0](), shared[1]
    flow, body = approved(flows, bindings=RETRYING), Body()
    first = FlowDriver(flows, "first", open_door=body.door)
    claim = first.claim(flow.flow_id)
    (sent,) = first.step(claim)
    node, order = sent.node, sent.order
    clock.now += 60_000
    FlowDriver(flows, "second", open_door=body.door).claim(flow.flow_id)
    before = flows.team.history()
    with pytest.raises(LostFlow):
        first.step(claim, [(node, late if not late.refused else SILENCE)])
    assert flows.team.history() == before
    with pytest.raises(LostFlow):
        first.step(claim, [(node, body.act(order))])
    assert states(flows.status(flow.flow_id)) == ["done", "ready"]


@given(st.lists(st.tuples(st.sampled_from(["first", "second"]), st.sampled_from(["claim", "step", "late"]), st.sampled_from([None, *VAGUE])), max_size=12))  # fmt: skip
def test_drivers_that_sleep_and_wake_in_any_order(
    shared: tuple[Callable[[], Flows], HandClock], moves: list[tuple[str, str, WorkResult | None]]
) -> None:
    """Two drivers claim, sleep past their leases, wake at any step and hear anything or nothing: no request has another id without a
    definite failure, every effect happens once, and the record is lawful."""
    flows, clock = shared[0](), shared[1]
    flow = approved(flows, bindings=RETRYING)
    body = Wayward()
    drivers = {name: FlowDriver(flows, name, open_door=body.door, at_once=1) for name in ("first", "second")}
    claims, sent = {}, {}
    for name, move, says in moves:
        body.says = [says]
        try:
            if move == "claim":
                clock.now += 60_000
                claims[name] = drivers[name].claim(flow.flow_id)
            elif move == "step" and name in claims:
                sent[name] = drivers[name].step(claims[name])
            elif sent.get(name):
                first = sent[name][0]
                drivers[name].step(claims[name], [(first.node, body.act(first.order))], 0)
        except (LostFlow, NotPossible):
            pass
        assert all(node.attempt == 1 for node in flows.status(flow.flow_id).nodes)
    clock.now += 10**6
    body.says = []
    assert drive(flows, flow.flow_id, body).state == "done"
    assert sorted(intent for _, intent in body.effects) == ["HOLD", "JUMP"]
    assert verify_registry(flows.team.store, PROJECT).faults == ()


@pytest.mark.parametrize("detail", sorted({*UNTRIED, STALE_TOKEN, OTHER_DIGEST, NOT_REMEMBERED}))
def test_a_refused_asking_says_nothing_about_an_earlier_one(detail: str) -> None:
    """What an executor answers without an attempt is no answer about the request when it is asked for again."""
    for reason in ("UNKNOWN", "INVALID_STATE", "RESOURCE_EXHAUSTED"):
        outcome = _answered(make_result("FAILURE", reason), detail)
        assert definite(read_outcome(outcome)) is None
    assert definite(read_outcome(_answered(make_result("FAILURE", "BLOCKED"), "a wall"))) is not None


@pytest.mark.req("EX-23")
@pytest.mark.parametrize("detail", [UNDER_WAY, INTERRUPTED])
def test_what_has_no_result_yet_is_unknown(detail: str) -> None:
    """A request that goes on, or whose end nobody knows, has neither failed nor may be attempted again."""
    result = read_outcome(_answered(make_result("FAILURE", "UNKNOWN"), detail))
    assert (result.outcome, result.retry, definite(result)) == ("unknown", False, None)


def _answered(result: Result, detail: str) -> Outcome:
    """An outcome that an executor gave."""
    return Outcome(
        1, "intent", None, 1, None, result, label_of(result), detail, 0.1, sent=Jump(), id=1, answered=True,  # type: ignore[arg-type]
    )  # fmt: skip

"""Local actions: a binding may call a function that the driver's own program registered under a name, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflow.scenes import HandClock, approved, flows_of, photograph, put_back, states
from volition.core.errors import MissingPart
from volition.workflow import FlowDriver, Flows, Store, WorkOrder, WorkResult, parse_store_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.sentences import Told
    from volition.workflow.flow.status import FlowStatus

pytestmark = pytest.mark.req("WF-04")
BINDINGS = """
[[bind]]
name = "check"
command = "look_*"
action = "call"
call = "run the checks"
parameters = {suite = "fast", limits = [1, 2.5]}

[[bind]]
name = "tell"
action = "call"
call = "open a ticket"
retries = 1
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Flows]]:
    with Store(parse_store_address(tmp_path_factory.mktemp("actions") / "team.db"), clock=HandClock()) as store:
        empty = photograph(store)

        def fresh() -> Flows:
            put_back(store, empty)
            return flows_of(store)

        yield fresh


@pytest.fixture
def flows(shared: Callable[[], Flows]) -> Flows:
    return shared()


def drive(flows: Flows, flow: FlowStatus, **actions: Callable[[WorkOrder], WorkResult | None]) -> FlowStatus:
    named = {name.replace("_", " "): action for name, action in actions.items()}
    return FlowDriver(flows, "driver", actions=named).drive(flow.flow_id)


def test_functions_are_called_in_the_order_of_the_graph(flows: Flows) -> None:
    """Each gets what the binding says and nothing of the plan's text; one that returns nothing is done."""
    orders: list[WorkOrder] = []
    flow = approved(flows, bindings=BINDINGS)
    flow = drive(flows, flow, run_the_checks=orders.append, open_a_ticket=orders.append)
    assert flow.state == "done"
    assert [(order.intent, order.parameters) for order in orders] == [
        ("run the checks", {"suite": "fast", "limits": [1, 2.5]}),
        ("open a ticket", {}),
    ]
    assert [order.request for order in orders] == [node.request for node in flow.nodes]


def test_a_definite_failure_is_tried_again_and_an_exception_is_not(flows: Flows, told: Told) -> None:
    """A function says that it failed by returning so; what became of one that raises nobody knows, and a person is asked."""
    calls: list[str] = []

    def fail_once(order: WorkOrder) -> WorkResult | None:
        calls.append(order.request)
        return WorkResult("failed", None, "no paper", retry=True) if len(calls) == 1 else None

    def explode(order: WorkOrder) -> WorkResult | None:
        calls.append(order.request)
        raise ZeroDivisionError("by nothing")

    flow = approved(flows, bindings=BINDINGS)
    flow = drive(flows, flow, run_the_checks=explode, open_a_ticket=fail_once)
    assert (flow.state, states(flow)) == ("held", ["unknown", "blocked"])
    told(flow.nodes[0].detail)
    calls.clear()
    flow = flows.settle(flow.flow_id, "node_0001", "done", "pat")
    assert drive(flows, flow, run_the_checks=explode, open_a_ticket=fail_once).state == "done"
    assert len(set(calls)) == 2


def test_a_function_that_is_not_registered_is_not_called(flows: Flows, told: Told) -> None:
    """A driver without it does the rest, says what is missing, and leaves the node to one that has it."""
    flow = approved(flows, bindings=BINDINGS)
    with told.raises(MissingPart):
        drive(flows, flow, run_the_checks=lambda order: None)
    assert states(flows.status(flow.flow_id)) == ["done", "ready"]
    assert drive(flows, flow, open_a_ticket=lambda order: None).state == "done"


def test_what_was_cut_off_is_not_called_again(flows: Flows) -> None:
    """Nothing remembers the requests of a function, so after a crash a person is asked."""
    calls: list[str] = []

    def die(order: WorkOrder) -> WorkResult | None:
        calls.append(order.request)
        raise KeyboardInterrupt

    flow = approved(flows, bindings=BINDINGS)
    with pytest.raises(KeyboardInterrupt):
        drive(flows, flow, run_the_checks=die)
    flow = drive(flows, flow, run_the_checks=die)
    assert (states(flow), len(calls)) == (["unknown", "blocked"], 1)

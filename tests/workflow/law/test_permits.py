"""Nothing acts without a permit for exactly its bytes, and effects come in an order of the approved graph."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workflow.bodies import Body
from tests.workflow.plans import document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, drive, flows_of, photograph, put_back
from volition.core.errors import BrokenRecord, InvalidInput, NotPossible, VolitionError
from volition.workflow import FlowDriver, Flows, Store, WorldMoved, parse_store_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told
    from tests.workflow.scenes import Picture
    from volition.workflow.flow.status import FlowStatus

pytestmark = pytest.mark.req("WF-03")


@dataclass(repr=False)
class Registry:
    """Flows, and pictures of the moments before anything was registered and after a flow was approved."""

    flows: Flows
    empty: Picture
    flow: FlowStatus
    permitted: Picture

    def change(self, table: str, column: str, row: int, text: str) -> None:
        """Change one text behind the registry's back."""
        with self.flows.team.store.write() as connection:
            connection.exec_driver_sql(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (text, row))


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with Store(parse_store_address(tmp_path_factory.mktemp("permits") / "team.db"), clock=HandClock()) as store:
        flows, empty = flows_of(store), photograph(store)
        flow = approved(
            flows, document("walker", "a.py", commands=STEPS), document("walker_two", "b.py", commands=STEPS)
        )
        yield Registry(flows, empty, flow, photograph(store))


@pytest.fixture
def permitted(registry: Registry) -> Registry:
    """A flow of two plans that has its permit."""
    put_back(registry.flows.team.store, registry.permitted)
    return registry


def test_nothing_acts_without_a_permit(registry: Registry, told: Told) -> None:
    """A flow that nobody approved cannot be driven."""
    flows = registry.flows
    put_back(flows.team.store, registry.empty)
    flows.team.register(document("walker", "a.py", commands=STEPS), "ann")
    flow = flows.start(BINDINGS, "pat")
    body = Body()
    with told.raises(NotPossible):
        drive(flows, flow.flow_id, body)
    with pytest.raises(WorldMoved, match="not 0123456789"):
        flows.approve(flow.flow_id, "pat", exactly="0123456789")
    assert body.orders == []


def test_a_plan_that_was_edited_after_it_was_claimed_is_not_judged(registry: Registry, told: Told) -> None:
    """Neither by registering other content under its id, nor in the database, does another plan take its place."""
    flows = registry.flows
    put_back(flows.team.store, registry.empty)
    plan = document("walker", "a.py", commands=STEPS)
    flows.team.register(plan, "ann")
    with told.raises(InvalidInput):
        flows.team.register(document("walker", "b.py", commands=STEPS), "ann")
    registry.change("plan", "document", 1, plan.decode().replace("jump over it", "jump under it"))
    with pytest.raises(InvalidInput, match="checksum"):
        flows.start(BINDINGS, "pat")
    assert flows.list() == ()


CHANGES = {
    "the bindings": ("flow", "bindings", "JUMP", "EVADE"),
    "the graph": ("flow", "graph", "node_0002", "node_0003"),
    "the merged plan": ("flow", "merged", "jump over it", "jump under it"),
    "a plan": ("flow_plan", "document", "jump over it", "jump under it"),
    "a plan's id": ("flow_plan", "plan_id", "intent_walker", "intent_runner"),
    "the environment": ("flow", "env", "local", "prod"),
    "the hash": ("flow", "graph_hash", "a", "b"),
    "the permit": ("permit", "graph_hash", "a", "b"),
    "what a node does": ("node", "binding", "jump", "strike"),
    "whose a node is": ("node", "plan_id", "intent_walker", "intent_nobody"),
    "what a node waits for": ("node", "waits", "node_0001", ""),
    "the request of a node": ("node", "request", "a", "b"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_flow_acts_only_as_it_was_approved(permitted: Registry, what: str, told: Told) -> None:
    """Whatever is changed in the database after the permit, nothing is sent, and the error says so."""
    table, column, old, new = CHANGES[what]
    with permitted.flows.team.store.write() as connection:
        statement = f"UPDATE {table} SET {column} = replace({column}, '{old}', '{new}')"
        assert connection.exec_driver_sql(statement).rowcount
    body = Body()
    with told.raises(BrokenRecord):
        drive(permitted.flows, permitted.flow.flow_id, body)
    assert body.orders == []


def test_a_node_that_is_called_ready_too_early_is_not_sent(permitted: Registry, told: Told) -> None:
    """The order is that of the graph, whatever the state of a row says."""
    driver = FlowDriver(permitted.flows, "driver", open_door=Body().door)
    claim = driver.claim(permitted.flow.flow_id)
    driver.step(claim, most=1)
    with permitted.flows.team.store.write() as connection:
        connection.exec_driver_sql("UPDATE node SET state = 'ready'")
    with told.raises(BrokenRecord):
        driver.step(claim, most=4)


COLUMNS = [
    *(
        ("flow", name)
        for name in ("set_document", "merged", "graph", "graph_hash", "bindings", "policy", "env", "state")
    ),
    *(("flow_plan", name) for name in ("plan_id", "checksum", "fate", "document")),
    *(("permit", name) for name in ("graph_hash", "state", "actor")),
    *(("plan", name) for name in ("plan_id", "checksum", "state", "document")),
    *(("node", name) for name in ("node_id", "plan_id", "state", "kind", "binding", "waits", "request")),
]


@given(st.data())
def test_only_what_was_approved_is_ever_sent(registry: Registry, data: st.DataObject) -> None:
    """One character more or less, anywhere in what is stored, and everything that is sent is still what the permit names,
    in an order of its graph; where that is not possible, an error says what to do."""
    put_back(registry.flows.team.store, registry.permitted)
    nodes = {node.request: node for node in registry.flow.nodes}
    table, column = data.draw(st.sampled_from(COLUMNS))
    with registry.flows.team.store.read() as connection:
        rows = connection.exec_driver_sql(f"SELECT rowid, {column} FROM {table}").all()
    row, text = data.draw(st.sampled_from([tuple(each) for each in rows]))
    at = data.draw(st.integers(0, len(text)))
    registry.change(table, column, row, text[:at] + (text[at + 1 :] if data.draw(st.booleans()) else f"x{text[at:]}"))
    body = Body()
    with suppress(VolitionError):
        drive(registry.flows, registry.flow.flow_id, body, at_once=data.draw(st.sampled_from([1, 4])))
    intents = {"look": "HOLD", "jump": "JUMP"}
    done: set[str] = set()
    for request, intent in body.effects:
        node = nodes[request]
        assert intents[node.binding] == intent
        assert done.issuperset(node.waits)
        done.add(node.node_id)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=4), st.integers(1, 3))
@settings(max_examples=8)
def test_effects_happen_in_an_order_of_the_graph(
    registry: Registry, needs: list[tuple[int, int]], at_once: int
) -> None:
    """Whatever plans need each other, and however many nodes are sent at the same time: every effect comes after all that
    its node waits for, and each comes once."""
    put_back(registry.flows.team.store, registry.empty)
    plans = []
    for number in range(4):
        before = sorted({f"intent_walker_{one}" for one, two in needs if two == number and one < two})
        plans.append(document(f"walker_{number}", f"{number}.py", commands=STEPS, depends_on=before))
    body = Body()
    flow = drive(registry.flows, approved(registry.flows, *plans).flow_id, body, at_once=at_once)
    assert flow.state == "done"
    place = {request: position for position, (request, _) in enumerate(body.effects)}
    nodes = {node.node_id: node for node in flow.nodes}
    assert len(place) == len(body.effects) == len(nodes)
    for node in nodes.values():
        assert all(place[nodes[before].request] < place[node.request] for before in node.waits)

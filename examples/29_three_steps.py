"""Three steps with an approval: functions of your program, done once each, in order, and only after a person has permitted them."""

from tempfile import TemporaryDirectory

from volition.governance import Plan
from volition.workflow import FlowDriver, Flows, Team, WorkOrder, call_bindings


def act(order: WorkOrder) -> None:
    print("  done:", order.intent)


steps = {"build": act, "test": act, "ship": act}
commands = ["build: write: build it", "test: read: test it", "ship: deploy: ship it"]

with TemporaryDirectory() as folder, Team.open(f"{folder}/team.db", "shop") as team:
    flows = Flows(team)
    team.register(Plan("Ship the shop", commands=commands, files=["dist"], project="shop"), "ann")
    flow = flows.start(call_bindings(steps), "pat")
    print(flow.state, "until pat approves")
    flows.approve(flow.flow_id, "pat", exactly=flow.graph_hash)
    print(FlowDriver(flows, "ann", actions=steps).drive(flow.flow_id).state)

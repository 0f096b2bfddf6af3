"""Two coding agents want the same file: one is granted it, a person puts the other behind it, and each does its part."""

from tempfile import TemporaryDirectory

import msgspec

from volition.governance import Plan
from volition.workflow import NOTIFY_ALL, FlowDriver, Flows, Store, Team, parse_store_address


def document(title: str, command: str) -> bytes:
    """A plan as the bytes that are registered."""
    return msgspec.json.encode(Plan(title, project="shop", files=["src/routes.py"], commands=[command]).intent)


with TemporaryDirectory() as folder, Store(parse_store_address(f"{folder}/team.db")) as store:
    team = Team(store, "shop")
    logging = document("Log every route", "add_logging: write: log every route")
    split = document("Split the routes", "split_routes: write: split them by topic")

    print("ann:", team.register(logging, "ann").outcome)
    refused = team.register(split, "bob")
    print("bob:", refused.outcome, "because", refused.obstacles[0].because.partition(". ")[0])
    print("bob, with patience:", team.register(split, "bob", wait=True).outcome)

    # A person judges both together. Nothing runs while the question is open, and it may be open for days.
    flows = Flows(team)
    flow = flows.start(NOTIFY_ALL, "pat")
    assert flow.pack is not None
    question = flow.pack.questions[0]
    print("\npat is asked:", *(option.label for option in question.options), sep="\n  ")
    flow = flows.answer(flow.flow_id, {question.question_id: question.options[2].option_id}, "pat")

    # The permit is for exactly this graph, these plans, this policy and these bindings.
    flow = flows.approve(flow.flow_id, "pat", exactly=flow.graph_hash)
    flow = FlowDriver(flows, "driver").drive(flow.flow_id)
    for _ in range(2):
        node = next(node for node in flow.nodes if node.state == "sent")
        plan = team.show(node.plan_id)
        print(f"\n{plan.holder} is notified of {node.node_id} and does it")
        flow = flows.report(flow.flow_id, node.node_id, "done", plan.token)
        print("  the flow is", flow.state)
        team.finish(plan.plan_id, plan.token)

    print("\nwhat happened:", " ".join(event.what.replace(" ", "-") for event in team.history()))

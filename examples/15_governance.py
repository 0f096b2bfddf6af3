"""Three plans are judged before any of them runs: conflicts, questions, the merged plan, and its order."""

from volition.governance import Plan, answer_questions, coordinate, evaluate

MONDAY = "2026-01-26T09:00:00Z"

plans = [
    Plan("Write the schema", files=["api/schema.json"], commands=["write_schema: write: write api/schema.json"]),
    Plan("Write the client", files=["sdk/client.py"], evidence=["file://api/schema.json"],
         commands=["write_client: write: write sdk/client.py from the schema"]),
    Plan("Drop the old client", files=["sdk/client.py"], commands=["drop_client: delete: delete sdk/client.py"], risk="medium"),
]  # fmt: skip

outcome = evaluate(plans)
print(outcome.strategy)
for conflict in outcome.conflicts:
    print(f"- {conflict.severity} {conflict.type}: {conflict.description}")

# The plans are equally old and equally risky, and none has a priority: only a person can choose.
(question,) = outcome.questions
print("\n" + question.condition)
for option in question.options:
    print(f"  {option.option_id}: {option.label}. {option.implications}")

pack = outcome.question_pack
assert pack is not None
chosen = next(option.option_id for option in question.options if "write_the_client" in option.label)
answers = answer_questions(pack, {question.question_id: chosen}, moment=MONDAY)

settled = evaluate(plans, answers=answers)
merged = settled.merged_intent
assert merged is not None
print(f"\n{settled.strategy}: {merged.id}")
print("derived from", ", ".join(merged.lineage.derived_from))
print("supersedes", ", ".join(merged.lineage.supersedes))

# The merged plan as an ordered graph. It is data: nothing here can execute it.
graph = coordinate(merged)
print("\nin order:", ", ".join(f"{node.command_id} ({node.phase})" for node in graph.nodes))
for edge in graph.edges:
    print(f"{edge.before} -> {edge.after}: {edge.reason}")

"""Three plans before any of them is carried out: what conflicts, who is asked, what is merged, and in which order."""

import json
from typing import Any

from volition.governance import Intent, answer, coordinate, evaluate, read_intent, read_set
from volition.governance.drafts import new_intent, new_set

MONDAY = "2026-01-26T09:00:00Z"


def plan(title: str, **about: Any) -> Intent:
    draft = new_intent(title, project="shop", created_at=MONDAY, **about)
    return read_intent(json.dumps(draft).encode()).document


plans = [
    plan("Write the schema", files=["api/schema.json"], commands=["write_schema: write: write api/schema.json"]),
    plan("Write the client", files=["sdk/client.py"], evidence=["file://api/schema.json"],
         commands=["write_client: write: write sdk/client.py from the schema"]),
    plan("Drop the old client", files=["sdk/client.py"], commands=["drop_client: delete: delete sdk/client.py"], risk="medium"),
]  # fmt: skip
ids = [one.id for one in plans]
batch = read_set(json.dumps(new_set("client work", ids, project="shop", created_at=MONDAY)).encode()).document

outcome = evaluate(batch, plans)
print(outcome.strategy)
for conflict in outcome.conflicts:
    print(f"- {conflict.severity} {conflict.type}: {conflict.description}")

# The plans are equally old and equally risky, and nobody gave a priority: only a person can choose.
(question,) = outcome.questions
print("\n" + question.condition)
for option in question.options:
    print(f"  {option.option_id}: {option.label}. {option.implications}")

pack = outcome.question_pack
assert pack is not None
chosen = next(option.option_id for option in question.options if "write_the_client" in option.label)
answers = answer(pack, {question.question_id: chosen}, moment=MONDAY)

settled = evaluate(batch, plans, answers=answers)
merged = settled.merged_intent
assert merged is not None
print(f"\n{settled.strategy}: {merged.id}")
print("derived from", ", ".join(merged.lineage.derived_from))
print("supersedes", ", ".join(merged.lineage.supersedes))

# The merged plan as an ordered graph. It is data: nothing here can carry it out.
graph = coordinate(merged)
print("\nin order:", ", ".join(f"{node.command_id} ({node.phase})" for node in graph.nodes))
for edge in graph.edges:
    print(f"{edge.before} -> {edge.after}: {edge.reason}")

"""The tables as they are at the newest version; `migrations` makes them. Documents are kept as their exact text."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import BigInteger, Column, MetaData, Table, Text

METADATA: Final = MetaData()


def _table(name: str, texts: str, numbers: str, key: str) -> Table:
    """A table of texts and whole numbers, none of them null."""
    keys = key.split()
    columns: list[Column[Any]] = [
        Column(each, Text, primary_key=each in keys, nullable=False) for each in texts.split()
    ]
    columns += [Column(each, BigInteger, primary_key=each in keys, nullable=False) for each in numbers.split()]
    return Table(name, METADATA, *columns)


VERSION: Final = _table("volition_store", "name", "version", "name")
"""Whose database this is, and at which version."""

PROJECT: Final = _table("project", "project head policy policy_hash env", "seq at", "project")
"""A project: the number, hash and time of its last event, and the rules by which its plans are judged."""

PLAN: Final = _table(
    "plan", "project plan_id checksum holder state document", "token seq lease_ms lease_until", "project plan_id"
)
"""The newest state of every registered plan."""

EVENT: Final = _table("event", "project actor what subject body hash signer signature", "seq at", "project seq")
"""Everything that happened, append-only; each hash covers the one before it, and is signed."""

FLOW: Final = _table(
    "flow",
    "flow_id project state holder reason set_document merged graph graph_hash bindings policy policy_hash env",
    "number fence lease_until",
    "flow_id",
)
"""A set of plans on its way from judgement to done."""

FLOW_PLAN: Final = _table("flow_plan", "flow_id plan_id checksum fate document", "token", "flow_id plan_id")
"""The plans of a flow, as they were when it began."""

QUESTION: Final = _table("question", "flow_id checksum state pack", "round asked_at expires_at", "flow_id checksum")
"""What a person was asked; an answer is bound to the checksum."""

ANSWER: Final = _table("answer", "flow_id checksum pack actor", "at", "flow_id checksum")
"""The one answer to a question."""

PERMIT: Final = _table("permit", "flow_id graph_hash actor state", "at expires_at", "flow_id graph_hash")
"""Who approved exactly this, and until when."""

NODE: Final = _table(
    "node", "flow_id node_id plan_id state kind binding waits request result detail", "place attempt", "flow_id node_id"
)
"""The commands of a flow's graph, with the result of each."""

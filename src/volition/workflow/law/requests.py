"""The request under which an executor remembers a node, and the names of nodes that undo others."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

UNDO: Final = "_undo"
"""How the id of a node that compensates another one ends."""


def request_id(flow_id: str, approved: str, node_id: str, attempt: int) -> str:
    """The id under which an executor remembers a node: the same for the same attempt at the same thing, permanently.

    `attempt` rises only after a definite failure or a person's word, never after silence.
    """
    return sha256(f"{flow_id} {approved} {node_id} {attempt}".encode()).hexdigest()

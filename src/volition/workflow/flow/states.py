"""The states of a flow and of its nodes, as two tables: what may follow what.

    asked --answer--> judged --approve--> approved --drive--> running <--resume--> held
                                                                 +--> done

A flow that needs nobody's answer begins as `judged`. `asked`, `judged`, `approved` and `held` wait for a person, for days
if need be, and nothing runs meanwhile. A flow is `void` when a plan that it relies on was withdrawn, revised or expired,
`refused` when the judgement leaves nothing to do, and `abandoned` when a person gave it up. These and `done` are final.

A node is `blocked` while another comes first, `ready`, then `sent`: from then on it may have happened. `done`, `failed` and
`unknown` are what is known of it; `unknown` is never sent again without a person's word. A node that is `skipped`, or
`failed` where its binding says `ignore`, does not hold up those behind it.
"""

from __future__ import annotations

from typing import Final

_CLOSED: Final = frozenset({"void", "abandoned"})
NEXT_OF_FLOW: Final[dict[str, frozenset[str]]] = {
    "asked": _CLOSED | {"asked", "judged", "refused"},
    "judged": _CLOSED | {"approved"},
    "approved": _CLOSED | {"running", "done"},
    "running": _CLOSED | {"held", "done"},
    "held": _CLOSED | {"running", "done"},
    "done": frozenset(),
    "refused": frozenset(),
    "void": frozenset(),
    "abandoned": frozenset(),
}
NEXT_OF_NODE: Final[dict[str, frozenset[str]]] = {
    "blocked": frozenset({"ready", "skipped"}),
    "ready": frozenset({"sent", "skipped"}),
    "sent": frozenset({"done", "failed", "unknown", "ready"}),
    "unknown": frozenset({"done", "failed", "ready", "skipped"}),
    "failed": frozenset({"ready", "skipped"}),
    "done": frozenset(),
    "skipped": frozenset(),
}
"""A definite failure that the binding allows to retry leads from `sent` back to `ready`, as the next attempt."""

DRIVEN: Final = ("approved", "running", "held")
"""The states in which a flow may be driven."""

"""The states of plans, flows and nodes, as three tables: what may follow what.

Theory of operation. Every arrow is an event, and `volition.workflow.law.table` names the law that lets it happen.

A plan, moved by its holder, by a keeper, by the approval of a flow, or by the clock:

    active <--> waiting          registered, revised; granted from the line, or by a flow
    active  --> finished         its holder: the work is done
    active, waiting --> withdrawn, expired, superseded
                                 its holder or a keeper; the clock, unless an approved flow keeps it; an approval in which it gives way

A plan whose life is over may be registered again, as a new one under a new token. A waiting plan holds nothing, and never finishes.

A flow, moved by people with a role, by its driver, and by what happens to its plans:

    asked --answer--> judged --approve--> approved --drive--> running <--resume--> held
                                                                 +--> done

A flow that needs nobody's answer begins as `judged`. `asked`, `judged`, `approved` and `held` wait for a person, for days
if need be, and nothing runs meanwhile. A flow is `void` when a plan that it relies on was withdrawn, revised or expired, or its
question or permit is over; `refused` when the judgement leaves nothing to do; and `abandoned` when a person gave it up. These and
`done` are final: no question, no permit and no node that was not sent is open afterwards.

A node, moved by the driver that holds the claim, by its executor's answer, by the holder who was notified, or by a person:

    blocked --> ready --> sent --> done, failed, unknown
                  ^-------- nothing has left
                  ^-------------------- failed: another attempt, with another request

A node is `blocked` while another comes first, `ready`, then `sent`: from then on it may have happened. `done`, `failed` and
`unknown` are what is known of it. An unknown node is never tried again as another attempt: its executor is asked for the same
request again, or a person says what became of it. A node that is `skipped`, or `failed` where its binding says `ignore`, does not
hold up those behind it.

What can never happen: a plan is in two open flows; a flow acts without a valid permit for exactly what is stored; two drivers hold
one flow; a request changes before it has definitely failed; and what is `done` or `skipped`, or a flow that is over, moves again.
"""

from __future__ import annotations

from typing import Final

PLAN_OVER: Final = frozenset({"finished", "withdrawn", "expired", "superseded"})
NEXT_OF_PLAN: Final[dict[str, frozenset[str]]] = {
    "active": PLAN_OVER | {"active", "waiting"},
    "waiting": PLAN_OVER - {"finished"} | {"active", "waiting"},
    **dict.fromkeys(sorted(PLAN_OVER), frozenset({"active", "waiting"})),
}
"""After the last four a plan may be registered again, as a new one; an open plan may be revised."""
OPEN_PLANS: Final = ("active", "waiting")

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
OPEN_FLOWS: Final = ("asked", "judged", "approved", "running", "held")
"""The states of a flow that relies on its plans."""
DRIVEN: Final = ("approved", "running", "held")
"""The states in which a flow may be driven; its plans live as long."""

NEXT_OF_NODE: Final[dict[str, frozenset[str]]] = {
    "blocked": frozenset({"ready", "skipped"}),
    "ready": frozenset({"sent", "skipped"}),
    "sent": frozenset({"done", "failed", "unknown", "ready"}),
    "unknown": frozenset({"done", "failed", "sent", "skipped"}),
    "failed": frozenset({"ready", "skipped"}),
    "done": frozenset(),
    "skipped": frozenset(),
}
"""From `sent` back to `ready` leads only the word of the driver that sent it that nothing has left. A request keeps its id until
it has definitely failed; only then does `ready` mean another attempt."""

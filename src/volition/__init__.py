"""Volition: the decision layer for autonomous agents.

The names below are imported when first used, so that `import volition` is free.

Who speaks:
    constraint           makes a constraint of a function; what it forbids cannot be outvoted
    heuristic            makes a heuristic of a function, which scores candidates
    Constraint           an intention that vetoes
    Heuristic            an intention that votes, with a weight and a priority
    CompositeIntention   the intentions that take part in a decision

Deciding:
    arbitrate            chooses among candidates: constraints veto, heuristics vote, priority breaks ties
    Decision             what was chosen; it can be asked why, why not and what if

When something is wrong:
    VolitionError        what all errors of this package are
    InvalidInput         input that cannot be used, with all its problems
    NotPossible          something that cannot be done here
"""

from __future__ import annotations

from volition.core.lazy import lazy_names

TYPE_CHECKING = False  # importing `typing` takes as long as starting Python
__version__ = "0.1.0"

if TYPE_CHECKING:
    from volition.arbitration import (
        CompositeIntention,
        Constraint,
        Decision,
        Heuristic,
        arbitrate,
        constraint,
        heuristic,
    )
    from volition.core.errors import InvalidInput, NotPossible, VolitionError

__all__ = [  # noqa: RUF022  in the order of the page above
    "constraint",
    "heuristic",
    "Constraint",
    "Heuristic",
    "CompositeIntention",
    "arbitrate",
    "Decision",
    "VolitionError",
    "InvalidInput",
    "NotPossible",
    "__version__",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "volition.arbitration": "constraint heuristic Constraint Heuristic CompositeIntention arbitrate Decision",
        "volition.core.errors": "VolitionError InvalidInput NotPossible",
    },
)

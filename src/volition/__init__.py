"""Volition: the decision layer for autonomous agents.

The names below are the face of the package. They are imported when first used, so that `import volition` is free.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` takes as long as starting Python
__version__ = "0.1.0"

if TYPE_CHECKING:
    from typing import Any

    from volition.arbitration import (
        CompositeIntention,
        Constraint,
        Decision,
        Heuristic,
        TacticalInterpreter,
        TileMap,
        arbitrate,
        avoid,
        check_intention,
        constraint,
        heuristic,
        hold,
        load_case,
        reach,
    )
    from volition.core.errors import InvalidInput, NotPossible, VolitionError

__all__ = [
    "CompositeIntention",
    "Constraint",
    "Decision",
    "Heuristic",
    "InvalidInput",
    "NotPossible",
    "TacticalInterpreter",
    "TileMap",
    "VolitionError",
    "__version__",
    "arbitrate",
    "avoid",
    "check_intention",
    "constraint",
    "heuristic",
    "hold",
    "load_case",
    "reach",
]

_FROM = dict.fromkeys(__all__, "volition.arbitration") | dict.fromkeys(
    ["InvalidInput", "NotPossible", "VolitionError"], "volition.core.errors"
)


def __getattr__(name: str) -> Any:
    if name not in _FROM:
        raise AttributeError(f"module 'volition' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_FROM[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

"""What drives and journals show alike: maps, states of the arena, and the results of intents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.execution.worlds.arena import LEGEND, render
from volition.studio.shapes.drives import MapShape, OutcomeShape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.execution.journal import Attempt
    from volition.execution.wire.request import Outcome


def map_shape(name: str, rows: Iterable[str]) -> MapShape:
    """A map with the legend of the arena."""
    return MapShape(name, list(rows), {letter: str(what) for letter, what in LEGEND.items()})


def without_map(state: Any) -> Any:
    """A state without its map, which is sent once."""
    return {key: value for key, value in state.items() if key != "map"} if isinstance(state, dict) else state


def draw_state(state: Any, map: MapShape | None) -> str | None:
    """The arena as text; None where the state comes from another executor, whose states have no known shape."""
    if map is None or not isinstance(state, dict):
        return None
    try:
        return render({**state, "map": {"name": map.name, "rows": map.rows}})
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None


def outcome_shape(one: Outcome | Attempt, intent: str, elapsed_us: float) -> OutcomeShape:
    """The result of an intent, in a drive or in a journal."""
    return OutcomeShape(
        intent=intent,
        parameters=None if one.sent is None else one.sent.parameters or {},
        status=one.result.status,
        reason=one.result.failure_reason,
        label=one.label,
        detail=one.detail,
        answered=one.answered,
        elapsed_us=elapsed_us,
        violations=[f"{each.field}: {each.what}" for each in one.violations],
    )

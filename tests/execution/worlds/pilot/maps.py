"""Maps drawn by Hypothesis, and scenes that tests look at by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from volition.execution.worlds.arena.ground import parse_map
from volition.execution.worlds.pilot import DefeatOpponent
from volition.execution.worlds.pilot.ground import Ground
from volition.execution.worlds.pilot.situation import ARENA_ABILITIES, Foe, Me, PilotSituation
from volition.execution.worlds.pilot.view import AttemptMemory, View

if TYPE_CHECKING:
    from volition.execution.worlds.arena import ArenaMap
    from volition.execution.worlds.pilot.judge import Goal

TILES = "....~~#-"
"""A quarter of a drawn map is hazard."""


@st.composite
def rows(draw: st.DrawFn, tiles: str = TILES) -> list[str]:
    """The rows of a map with walls all around."""
    width, height = draw(st.integers(3, 9)), draw(st.integers(2, 6))
    inside = [draw(st.text(tiles, min_size=width, max_size=width)) for _ in range(height)]
    return ["#" * (width + 2), *(f"#{row}#" for row in inside), "#" * (width + 2)]


@st.composite
def arena_maps(draw: st.DrawFn) -> ArenaMap:
    """A map of the arena with an actor and an opponent somewhere on it."""
    drawn = [list(row) for row in draw(rows())]
    inside = [(x, y) for y in range(1, len(drawn) - 1) for x in range(1, len(drawn[0]) - 1)]
    actor, opponent = draw(st.lists(st.sampled_from(inside), min_size=2, max_size=2, unique=True))
    drawn[actor[1]][actor[0]], drawn[opponent[1]][opponent[0]] = "@", "&"
    return arena_map(*("".join(row) for row in drawn))


def arena_map(*lines: str) -> ArenaMap:
    return parse_map("name: drawn\n" + "\n".join(lines))


def scene(
    *lines: str,
    me: Me | tuple[float, float],
    foe: Foe | tuple[float, float] | None = None,
    goal: Goal | None = None,
    **more: Any,
) -> View:
    """What a pilot would look at, on these rows; no rows, no map."""
    return View(
        PilotSituation(
            1,
            0,
            1,
            Me(me, facing="east") if isinstance(me, tuple) else me,
            Foe(foe) if isinstance(foe, tuple) else foe,
            Ground(lines) if lines else None,
            ARENA_ABILITIES,
        ),
        DefeatOpponent() if goal is None else goal,
        more.pop("memory", AttemptMemory()),
        **more,
    )

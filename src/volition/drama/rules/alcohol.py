"""Alcohol in the score: lowered inhibitions (specification 6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.rules.tables import Alcohol


def alcohol_pull(dramatic: bool, level: float, alcohol: Alcohol) -> float:
    """What an alcohol level adds to a dramatic act."""
    if dramatic and level >= alcohol.threshold:
        return leaf(level * alcohol.pull)
    return 0.0

"""Two scenarios as a new author leaves them: people, rooms and secrets of their own, and rules that nobody has tuned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from volition.drama.world.scenario import load_scenario

if TYPE_CHECKING:
    from volition.drama.world.model import Scenario

AUTHORS = ("inheritance", "rehearsal")


def untouched(name: str) -> Scenario:
    """The scenario of an author who has never asked the doctor."""
    return load_scenario(Path(__file__).parent / "authors" / f"{name}.toml")

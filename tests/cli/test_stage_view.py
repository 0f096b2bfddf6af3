"""What the narrator says, as a terminal shows it."""

from __future__ import annotations

import pytest

from volition.cli.stage_view import _told


@pytest.mark.parametrize(
    ("line", "plain", "scene"),
    [
        (
            "*Meanwhile: the bathroom.* Thorne waits.",
            "Meanwhile: the bathroom. Thorne waits.",
            "Meanwhile: the bathroom.",
        ),
        ("Thorne waits.", "Thorne waits.", ""),
        ("Five * five is [red]more[/red] than it was.", "Five * five is [red]more[/red] than it was.", ""),
    ],
)
def test_a_scene_is_in_italics_and_nothing_else_is_markup(line: str, plain: str, scene: str) -> None:
    """The scene that opens a line is in italics instead of between stars; whatever else is said stays as it was said."""
    told = _told(line)
    assert told.plain == plain
    assert "".join(plain[span.start : span.end] for span in told.spans if span.style == "italic") == scene

"""The narrator's lines on a terminal."""

from __future__ import annotations

import pytest

from volition.cli.show.live import style_line


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
    """The scene at the start of a line is in italics instead of between stars; the rest of the line is unchanged."""
    text = style_line(line)
    assert text.plain == plain
    assert "".join(plain[span.start : span.end] for span in text.spans if span.style == "italic") == scene

"""The palette, read from the style sheet and checked by computing what people see."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import volition.studio

SHEET: Final = Path(volition.studio.__file__).parent / "static" / "base.css"
THEMES: Final = ("light", "dark")
HUES: Final = 8
# How people with each common kind of colour blindness see linear red, green and blue (Machado, Oliveira, Fernandes 2009).
EYES: Final = {
    "all": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_CONES: Final = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB: Final = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def colours(theme: str) -> dict[str, str]:
    pairs = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", SHEET.read_text(encoding="utf-8"))
    return {name: (light, dark)[THEMES.index(theme)] for name, light, dark in pairs}


def linear(colour: str) -> np.ndarray:
    values = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, two: str) -> float:
    lights = sorted(float(linear(colour) @ np.array([0.2126, 0.7152, 0.0722])) for colour in (one, two))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def as_seen_by(colour: str, eyes: str) -> np.ndarray:
    """A colour in a perceptually uniform space."""
    return np.asarray(np.cbrt(np.clip(linear(colour) @ EYES[eyes].T, 0, 1) @ TO_CONES.T) @ TO_LAB.T)


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read(theme: str) -> None:
    """Every text colour has a contrast of at least 4.5 to 1 with every background it is used on."""
    named = colours(theme)
    pairs = [
        (ink, ground)
        for ink in ("ink", "soft", "accent", "good", "bad", "warn")
        for ground in ("ground", "sheet", "raised")
    ]
    pairs += [(tone, f"{tone}-wash") for tone in ("accent", "good", "bad", "warn")] + [("accent-ink", "accent")]
    pairs += [("ink", f"{tone}-wash") for tone in ("accent", "good", "bad", "warn")]
    pairs += [(f"on-{number}", f"hue-{number}") for number in range(HUES)]
    assert [(a, b, contrast(named[a], named[b])) for a, b in pairs if contrast(named[a], named[b]) < 4.5] == []


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_drawn_can_be_seen(theme: str) -> None:
    """Every hue, every tone of a vote, and every line with a meaning, has a contrast of at least 3 to 1 with its background."""
    named = colours(theme)
    marks = [f"{kind}-{number}" for kind in ("hue", "vote") for number in range(HUES)] + ["wall", "strong-line"]
    pairs = [(mark, ground) for mark in marks for ground in ("sheet", "raised")]
    assert [(a, b, contrast(named[a], named[b])) for a, b in pairs if contrast(named[a], named[b]) < 3.0] == []


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_guests_differ_with_any_colour_vision(theme: str, eyes: str) -> None:
    """No two hues look alike with any common colour vision; where they are close, shapes and letters differ too."""
    named = colours(theme)
    least = 0.05 if eyes == "tritanopia" else 0.09
    hues = [as_seen_by(named[f"hue-{number}"], eyes) for number in range(HUES)]
    near = [
        (a, b, round(float(np.linalg.norm(hues[a] - hues[b])), 3))
        for a, b in combinations(range(HUES), 2)
        if np.linalg.norm(hues[a] - hues[b]) < least
    ]
    assert near == []


def test_colours_are_defined_once() -> None:
    """Colours are defined in one place: no other style sheet and no script contains one."""
    literal = re.compile(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b(?![\w-])|\brgb\(|\bhsl\(")
    folder = SHEET.parent
    others = [file for pattern in ("*.css", "*.js") for file in folder.glob(pattern) if file != SHEET]
    found = [
        (file.name, line.strip())
        for file in others
        for line in file.read_text(encoding="utf-8").splitlines()
        if literal.search(line) and "shadow" not in line and "backdrop" not in line
    ]
    assert len(others) > 20
    assert found == []

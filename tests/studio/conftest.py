"""One evening, recorded once, and one studio that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.studio.served import Served, serving
from volition.drama import Evening, play, scenario
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUN = "dinner-party-8"


@pytest.fixture(scope="session")
def evening() -> Evening:
    """Sixty ticks of an evening: long enough for secrets, walks and quarrels. Its branches end soon after."""
    return play(apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 70)]), 8, ticks=60)


@pytest.fixture(scope="session")
def folder(evening: Evening, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with that evening in it."""
    folder = tmp_path_factory.mktemp("studio")
    evening.save(folder / "volition-runs" / RUN)
    return folder


@pytest.fixture(scope="session")
def served(folder: Path) -> Iterator[Served]:
    """A studio of that folder, on a real port."""
    with serving(folder) as one:
        yield one

"""The project that is forged: it is made once, and put back after each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflow.lived import Lived, live

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    made = live(tmp_path_factory.mktemp("lived"))
    yield made
    made.store.close()


@pytest.fixture
def lived(scene: Lived) -> Iterator[Lived]:
    yield scene
    scene.put_back()

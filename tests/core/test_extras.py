"""Optional modules: the error for a missing one says how to install it."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from volition.core.errors import MissingPart
from volition.core.extras import EXTRAS, require

if TYPE_CHECKING:
    from tests.sentences import Told


def test_all_missing_modules_are_named(monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """The error names every missing module of the extra and the command that installs it."""
    monkeypatch.setitem(sys.modules, "litestar", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with told.raises(MissingPart) as caught:
        require("litestar", "uvicorn")
    assert (
        caught.value.problems[0].remedy
        == "pip install '.[studio]' in volition's repository, or its wheel file in place of the dot"
    )


@pytest.mark.parametrize("module", sorted(EXTRAS))
def test_nothing_is_imported(module: str) -> None:
    """An installed module passes, and is not imported for that."""
    if find_spec(module) is None:
        pytest.skip(f"SKIPPED: {module} is not installed; the extra {EXTRAS[module]!r} is not among those of the tests")
    before = module in sys.modules
    require(module)
    assert (module in sys.modules) == before

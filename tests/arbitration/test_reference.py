"""References name things in importable Python, and say what is wrong where they do not."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from volition.arbitration.reference import find
from volition.core.errors import InvalidInput


def test_found() -> None:
    """A name, or a name within a name, is taken from its module."""
    assert find("math:pi") == math.pi
    assert find("pathlib:Path.cwd")() == Path.cwd()


@pytest.mark.parametrize(
    ("reference", "what"),
    [
        ("math", "is not a reference"),
        (":pi", "is not a reference"),
        ("math:", "is not a reference"),
        ("math:pi()", "is not a reference"),
        ("nowhere_at_all:x", "there is no module 'nowhere_at_all'"),
        ("math.nowhere:x", "there is no module 'math.nowhere'"),
        ("math:pie", "did you mean 'pi'"),
        ("math:pi.x", "has no 'pi.x'"),
    ],
)
def test_not_found(reference: str, what: str) -> None:
    """What cannot be found is refused, and the nearest name is given."""
    with pytest.raises(InvalidInput) as caught:
        find(reference, "--samples")
    assert what in str(caught.value)
    assert caught.value.problems[0].where == "--samples"


@pytest.mark.parametrize(
    ("source", "what"),
    [("1 / 0", "raised ZeroDivisionError"), ("import not_installed_here", "needs 'not_installed_here'")],
)
def test_a_module_that_cannot_be_imported(
    source: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that raises, or lacks what it needs, is named with the cause."""
    (tmp_path / "broken_module_of_a_user.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InvalidInput, match=what):
        find("broken_module_of_a_user:x")

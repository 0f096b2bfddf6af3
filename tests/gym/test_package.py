"""The extra `gym`: nothing else imports it, and what is missing is said."""

from __future__ import annotations

import subprocess
import sys

import pytest

from volition import gym
from volition.core.errors import MissingPart


def test_nobody_else_pays_for_it() -> None:
    """`import volition`, driving and evenings import neither Gymnasium nor PettingZoo."""
    code = "import sys, volition, volition.execution, volition.drama\nassert not {'gymnasium', 'pettingzoo'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("module", ["gymnasium", "pettingzoo"])
def test_a_missing_extra_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the import says what to install, with exit code 4."""
    for name in [name for name in sys.modules if name.startswith("volition.gym")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPart, match=f"{module} is not installed") as caught:
        __import__("volition.gym")
    assert caught.value.exit_code == 4
    assert "'.[gym]'" in caught.value.problems[0].remedy


def test_the_face_of_the_package() -> None:
    """Every name of the package is there, and no other."""
    assert all(getattr(gym, name) is not None for name in gym.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        gym.__getattr__("nothing")

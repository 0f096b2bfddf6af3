"""Bodies that come as examples: found beside the package, whole, and loaded without being on the path."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from volition.core.errors import InvalidInput
from volition.execution.worlds.bodies import body_files, body_folder, load_body

if TYPE_CHECKING:
    from tests.sentences import Told


def test_a_body_is_found_by_its_name() -> None:
    """A body is a folder with its files; what tools leave behind is none of them."""
    files = body_files("mujoco")
    assert {"__init__.py", "rover.py", "rover.xml", "rover_mind.py", "drive.py", "rover_env.py", "picture.py"} == {
        *files
    }
    assert all(path.is_file() for path in files.values())


@pytest.mark.parametrize("name", ["mujoko", "", "../bodies", "mujoco/.."])
def test_an_unknown_body_is_refused(name: str, told: Told) -> None:
    """What is no body is refused with the names that there are, and no other folder is reached."""
    with told.raises(InvalidInput) as refused:
        body_folder(name)
    assert "mujoco" in str(refused.value)


def test_a_module_of_a_body_is_loaded_once() -> None:
    """Loading puts no folder on the path, and gives the same module each time."""
    path = [*sys.path]
    mind = load_body("mujoco", "rover_mind")
    assert load_body("mujoco", "rover_mind") is mind
    assert mind.Mind().zone == mind.ZONE
    assert sys.path == path

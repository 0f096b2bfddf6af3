"""Rover-v0: the environment of a body that comes as an example, which is not part of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.extras import require
from volition.execution.worlds.bodies import load_body

if TYPE_CHECKING:
    import gymnasium


def make_rover(**arguments: Any) -> gymnasium.Env[Any, Any]:
    """The rover's environment, as `gymnasium.make` asks for it; MissingPart where MuJoCo is not installed."""
    require("mujoco")
    env: gymnasium.Env[Any, Any] = load_body("mujoco", "rover_env").RoverEnv(**arguments)
    return env

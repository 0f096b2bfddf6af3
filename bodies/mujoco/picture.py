"""A picture of the rover on its way around the zone, without a display: `python -m bodies.mujoco.picture rover.png`.

The zone and the way are drawn into the scene: the physics knows neither. It needs EGL, with or without a GPU, and Pillow.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

os.environ.setdefault("MUJOCO_GL", "egl")

import numpy as np

import mujoco
from volition.execution import connect

from .rover import Rover
from .rover_mind import Mind, drive

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE: Final = (960, 640)
STEPS: Final = 6
"""How many MOVEs the rover has made in the picture."""
EVERY: Final = 4
"""One dot for this many ticks."""


class Watched(Rover):
    """A rover that leaves a trail."""

    def __init__(self, **arguments: Any) -> None:
        self.trail: list[tuple[float, float]] = []
        super().__init__(**arguments)

    def step(self) -> list[Any]:
        self.trail += [self.place] if self.tick % EVERY == 0 else []
        return super().step()


def take_picture(seed: int = 3) -> NDArray[np.uint8]:
    """The room from above after a few MOVEs, as an array of height, width and colours."""
    rover, mind = Watched(seed=seed), Mind()
    with connect(executor=rover) as body:
        drive(body, mind, lambda _: None, steps=STEPS)
    with mujoco.Renderer(rover.model, SIZE[1], SIZE[0]) as renderer:
        camera = mujoco.MjvCamera()
        camera.lookat, camera.distance, camera.azimuth, camera.elevation = (0, -0.1, 0), 5.6, 90, -65
        renderer.update_scene(rover.data, camera)
        zone, goal = mind.zone, mind.goal
        assert zone is not None
        middle = ((zone.west + zone.east) / 2, (zone.south + zone.north) / 2, 0.01)
        half = ((zone.east - zone.west) / 2, (zone.north - zone.south) / 2, 0.01)
        _draw(renderer.scene, mujoco.mjtGeom.mjGEOM_BOX, half, middle, (0.85, 0.2, 0.2, 0.45))
        _draw(renderer.scene, mujoco.mjtGeom.mjGEOM_CYLINDER, (0.1, 0.005, 0), (*goal, 0.005), (0.1, 0.6, 0.3, 1))
        for place in rover.trail:
            _draw(renderer.scene, mujoco.mjtGeom.mjGEOM_SPHERE, (0.02, 0.02, 0.02), (*place, 0.02), (0.1, 0.35, 0.7, 1))
        pixels: NDArray[np.uint8] = renderer.render()
    return pixels


def _draw(scene: Any, kind: Any, size: Any, place: Any, colour: Any) -> None:
    """Add a shape to a scene: for the eye alone."""
    mujoco.mjv_initGeom(
        scene.geoms[scene.ngeom], kind, np.array(size, float), np.array(place, float), np.eye(3).ravel(),
        np.array(colour, np.float32),
    )  # fmt: skip
    scene.ngeom += 1


def main() -> None:
    """Write the picture to the file that is named."""
    from PIL import Image  # noqa: PLC0415  only here

    Image.fromarray(take_picture()).save(sys.argv[1], optimize=True)


if __name__ == "__main__":
    main()

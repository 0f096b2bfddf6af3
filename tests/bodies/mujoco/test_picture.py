"""The picture of the documentation is made without a display, where there is EGL."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from tests.processes import PATIENCE, ROOT

if TYPE_CHECKING:
    from pathlib import Path


def test_a_picture_without_a_display(tmp_path: Path) -> None:
    """The rover, its zone and its goal are seen from above, without a display."""
    file = tmp_path / "rover.png"
    made = subprocess.run(
        [sys.executable, "-m", "bodies.mujoco.picture", str(file)],
        cwd=ROOT,
        env={**os.environ, "MUJOCO_GL": "egl"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if made.returncode and ("OpenGL" in made.stderr or "EGL" in made.stderr):
        pytest.skip(f"no EGL here: the picture is NOT TESTED: {made.stderr.splitlines()[-1]}")
    assert made.returncode == 0, made.stderr
    with Image.open(file) as picture:
        assert picture.size == (960, 640)
        red, green, blue = np.moveaxis(np.asarray(picture.convert("RGB")), 2, 0)
    assert np.count_nonzero((red > 200) & (green < 150) & (blue < 150)) > 10_000, "no zone"
    assert np.count_nonzero((blue > 120) & (red < 80)) > 500, "no rover"

"""The rover needs MuJoCo; without it nothing here is tested, aloud."""

from __future__ import annotations

import pytest

pytest.importorskip("mujoco", reason="mujoco-core is not installed: the rover is NOT TESTED")

"""A rover in MuJoCo as an executor: MOVE drives it by a vector in metres, and walls block it.

Copy this file and rover.xml to begin with your robot. Everything that a bridge asks for ends up in `attempt`, `cancel` and
`step`; the server of the package does the rest. The rover knows no map and no rules: what it may not do, only a mind knows.

    python rover.py 5001
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import atan2, cos, dist, hypot, inf, pi, remainder, sin, sqrt
from pathlib import Path
from random import Random
from typing import Any, Final

import mujoco
from volition.execution import (
    About,
    Ended,
    ExecutorServer,
    IncomingIntent,
    Move,
    Places,
    Result,
    StateSchema,
    make_result,
)
from volition.execution.executor.server import until_signalled
from volition.execution.wire.frames import ProbeSight

MODEL: Final = Path(__file__).with_name("rover.xml")
HZ: Final = 20.0
STEPS: Final = 10
"""Steps of the physics in a tick."""
RADIUS: Final = 0.15
"""No part of the rover is further from its middle, in metres."""
ROOM: Final = (5.0, 4.0)
ARRIVED: Final = 0.03
"""How close to its goal, in metres, a MOVE has arrived."""
STUCK: Final = 10
"""Ticks without any progress after which a MOVE is blocked."""
TOP_SPEED: Final = 1.0
BRAKING: Final = 1.5
"""By how many metres per second it slows down in a second, on the way to its goal."""
WHEEL: Final = 0.06
TRACK: Final = 0.11
"""From the middle to each wheel."""

PLACES: Final = Places(unit="metre", up="z", handed="right", tolerance=0.05, coast_ms=500)
SCHEMA: Final = StateSchema(name="rover", version="1", hash="x-y-heading-speed-moving-room-radius-1", places=PLACES)


@dataclass
class Drive:
    """A MOVE that is under way."""

    attempt: IncomingIntent
    since: int
    start: tuple[float, float]
    goal: tuple[float, float]
    to_go: float
    """The least that was left to turn and to drive so far."""
    progress: int
    """The tick in which it last became less."""


class Rover:
    """The rover and its room. With `probe`, for tests, it answers the conformance kit's probes."""

    def __init__(self, *, seed: int = 0, hz: float = HZ, probe: bool = False) -> None:
        self.model = mujoco.MjModel.from_xml_path(str(MODEL))
        self.data = mujoco.MjData(self.model)
        self.about = About(
            name="rover",
            version="1.0.0",
            engine=f"MuJoCo {mujoco.__version__}",
            state_schema=SCHEMA,
            intents=("MOVE", "STOP"),
            tick_hz=hz,
            probe=probe,
            resets=True,
            deterministic=True,
        )
        self.tick = self.episode = 0
        self.alive = True
        self._drive: Drive | None = None
        self.reset(seed)

    @property
    def place(self) -> tuple[float, float]:
        """Where the middle of the rover is."""
        x, y = self.data.qpos[:2].tolist()
        return x, y

    @property
    def heading(self) -> float:
        """Where its nose points, counter-clockwise from the x axis."""
        w, x, y, z = self.data.qpos[3:7].tolist()
        return atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))

    def reset(self, seed: int) -> None:
        """Begin again somewhere in the west of the room."""
        chance = Random(seed)  # noqa: S311  not for secrets
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:2] = chance.uniform(-2.1, -1.4), chance.uniform(-1.6, 1.6)
        half = chance.uniform(-pi / 2, pi / 2)
        self.data.qpos[3:7] = cos(half), 0.0, 0.0, sin(half)
        mujoco.mj_forward(self.model, self.data)
        self.episode += 1
        self._drive = None

    def attempt(self, attempt: IncomingIntent) -> list[Ended]:
        ended = self._end("PARTIAL")
        if not isinstance(attempt.intent, Move):  # STOP
            return [*ended, Ended(attempt, self._result())]
        x, y, z = attempt.intent.vector
        if z:
            return [*ended, Ended(attempt, self._result("FAILURE", "INVALID_STATE", invalid_environment=True))]
        start = self.place
        self._drive = Drive(attempt, self.tick, start, (start[0] + x, start[1] + y), inf, self.tick)
        return ended

    def cancel(self, attempt: IncomingIntent) -> list[Ended]:
        return self._end("PARTIAL") if self._drive is not None and self._drive.attempt is attempt else []

    def step(self) -> list[Ended]:
        """Steer, let the physics run for a tick, and see what became of the MOVE."""
        self.data.ctrl[:] = self._steer()
        mujoco.mj_step(self.model, self.data, STEPS)
        self.tick += 1
        drive = self._drive
        if drive is None:
            return []
        left, turn, _ = self._course(drive.goal)
        if left <= ARRIVED:
            return self._end("SUCCESS")
        to_go = left + TRACK * abs(turn)
        if to_go < drive.to_go - 0.01:
            drive.to_go, drive.progress = to_go, self.tick
        if self.tick - drive.progress < STUCK:
            return []
        return self._end("PARTIAL" if dist(self.place, drive.start) > ARRIVED else "FAILURE", "BLOCKED")

    def state(self, *, full: bool) -> dict[str, Any]:
        x, y = self.place
        told = {
            "x": round(x, 4),
            "y": round(y, 4),
            "heading": round(self.heading, 4),
            "speed": round(hypot(*self.data.qvel[:2].tolist()), 3),
            "moving": self._drive is not None,
        }
        return told | {"room": [*ROOM], "radius": RADIUS} if full else told

    def stop(self) -> None:
        """No bridge drives any more: the wheels brake, and the MOVE is forgotten."""
        self._drive = None

    def probe(self, id: int) -> ProbeSight:
        """What the conformance kit asks in tests: where the rover really is, and where it could go."""
        x, y = self.place
        sight = {
            "place": [x, y, 0.0], "alive": True, "grounded": True, "busy": self._drive is not None, "holding": False,
            "facing": f"{self.heading:.1f}", "health": 1.0, "cooling": [], "tired": [], "target": None,
        }  # fmt: skip
        rooms = (ROOM[0] / 2 - x, ROOM[0] / 2 + x, ROOM[1] / 2 - y, ROOM[1] / 2 + y)
        sides = [*zip(rooms, ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)), strict=True)]
        halves = [(n / 2, side) for room, side in sides for n in range(1, int(2 * (room - 2 * RADIUS)) + 1)]
        beyond = sorted((room + RADIUS, side) for room, side in sides)
        return ProbeSight(
            id=id,
            sight=sight,
            ways=tuple((dx * far, dy * far, 0.0) for far, (dx, dy) in sorted(halves, reverse=True)),
            obstructed=tuple((dx * far, dy * far, 0.0) for far, (dx, dy) in beyond),
            precision=0.001,
        )

    def _steer(self) -> tuple[float, float]:
        """The speeds of the wheels, in radians per second: towards the goal, forwards or backwards; none brakes."""
        if self._drive is None:
            return 0.0, 0.0
        left, turn, sign = self._course(self._drive.goal)
        speed = 0.0 if abs(turn) > 0.1 else sign * min(TOP_SPEED, sqrt(2 * BRAKING * left))
        turning = max(-3.0, min(3.0, 5.0 * turn))
        return (speed - turning * TRACK) / WHEEL, (speed + turning * TRACK) / WHEEL

    def _course(self, goal: tuple[float, float]) -> tuple[float, float, int]:
        """How far the goal is, by how much to turn towards it, and the sign of the speed: whichever end is closer leads."""
        (x, y), (to_x, to_y) = self.place, goal
        turn = remainder(atan2(to_y - y, to_x - x) - self.heading, 2 * pi)
        left = hypot(to_x - x, to_y - y)
        return (left, turn, 1) if abs(turn) <= pi / 2 else (left, remainder(turn - pi, 2 * pi), -1)

    def _end(self, status: Any, reason: Any = "NONE") -> list[Ended]:
        """The end of the MOVE that is under way, if there is one; its wheels brake."""
        drive, self._drive = self._drive, None
        return [] if drive is None else [Ended(drive.attempt, self._result(status, reason, since=drive.since))]

    def _result(
        self, status: Any = "SUCCESS", reason: Any = "NONE", *, since: int | None = None, **flags: Any
    ) -> Result:
        took = 0 if since is None or not self.about.tick_hz else (self.tick - since) * 1000 / self.about.tick_hz
        return make_result(status, reason, engine_timestamp=self.tick, execution_time_ms=took, **flags)


def main() -> None:
    """Serve the rover at a port of this computer, until it is terminated."""
    port = sys.argv[1] if len(sys.argv) > 1 else "0"
    with until_signalled() as stop, ExecutorServer.listen(f"tcp://127.0.0.1:{port}", Rover()) as server:
        print(server.address, flush=True)
        server.serve(stop)


if __name__ == "__main__":
    main()

"""The rover as an executor: metres, walls, truth about inertia, and one outcome when the simulator dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from math import ceil, dist, hypot
from socket import create_server
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from bodies.mujoco.rover import HZ, PLACES, RADIUS, ROOM, Rover
from tests.cli.lines import run_in
from tests.execution.client.bridges import PATIENT, eventually
from tests.execution.conformance.starving import Starved
from tests.execution.worlds.lag import check_moves_have_one_truthful_outcome, slowed, starved
from tests.processes import ROOT
from volition.core.clock import ManualClock
from volition.execution import Bridge, ExecutorServer, Journal, Move, connect, read_journal, verify_journal
from volition.execution.conformance import check
from volition.execution.executor.host import Host
from volition.execution.journal.records import Attempt
from volition.execution.transports.endpoint import dial

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told

WESTERN = 3
"""A seed with which the rover begins in the west, half way up."""


@contextmanager
def simulator(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`volition body mujoco` as a process, and the address at which it listens."""
    line = [sys.executable, "-m", "volition.cli", "body", "mujoco", "--seed", str(WESTERN), *arguments]
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def let_coast(body: Bridge) -> None:
    """Let as many ticks pass as the rover says that it may coast."""
    for _ in range(ceil(PLACES.coast_ms / 1000 * HZ)):
        body.next_state(1.0)


@pytest.mark.parametrize(
    "vector", [(1.0, 0.0, 0.0), (0.0, -0.5, 0.0), (0.4, 0.3, 0.0), (-0.1, 0.1, 0.0), (0.0, 0.0, 0.0)]
)
def test_a_move_is_in_metres(vector: tuple[float, float, float]) -> None:
    """A MOVE that is SUCCESS has moved the rover by its vector, within the tolerance, when it has coasted."""
    rover = Rover(seed=WESTERN)
    with connect(executor=rover) as body:
        before = rover.place
        assert body.execute(Move(vector), deadline=6.0).status == "SUCCESS"
        let_coast(body)
        goal = (before[0] + vector[0], before[1] + vector[1])
        assert dist(rover.place, goal) <= PLACES.tolerance


@pytest.mark.req("EX-14")
def test_walls_block() -> None:
    """A MOVE into a wall is PARTIAL/BLOCKED where it moved and FAILURE/BLOCKED where it did not; the rover stays inside."""
    rover = Rover(seed=WESTERN)
    with connect(executor=rover) as body:
        into = [body.execute(Move((0.0, 3.0, 0.0)), deadline=20.0) for _ in range(2)]
        assert [(each.status, each.reason) for each in into] == [("PARTIAL", "BLOCKED"), ("FAILURE", "BLOCKED")]
        assert rover.place[1] == pytest.approx(ROOM[1] / 2 - RADIUS, abs=PLACES.tolerance)
        away = body.execute(Move((0.0, -0.5, 0.0)), deadline=6.0)
        assert away.status == "SUCCESS"


def test_a_rover_does_not_fly() -> None:
    """A MOVE with a height is impossible, and says so without moving."""
    with connect(executor=Rover()) as body:
        outcome = body.execute(Move((0.0, 0.0, 1.0)), deadline=2.0)
        assert (outcome.status, outcome.reason) == ("FAILURE", "INVALID_STATE")
        assert outcome.result.safety_flags.invalid_environment


def test_the_same_seed_and_moves_end_at_the_same_place() -> None:
    """An episode depends on its seed and its intents alone, to the bit; another seed begins elsewhere."""

    def course(seed: int) -> list[Any]:
        with connect(executor=Rover(seed=99)) as body:
            body.execute(Move((0.3, 0.0, 0.0)), deadline=6.0)
            first = body.reset(seed).data
            moves = [body.execute(Move(vector), deadline=6.0) for vector in ((0.5, 0.2, 0.0), (0.0, 3.0, 0.0))]
            return [first, *(outcome.status for outcome in moves), body.refresh().data]

    assert course(7) == course(7)
    assert course(7)[0] != course(8)[0]


@pytest.mark.req("EX-26")
def test_the_rover_conforms_in_virtual_time() -> None:
    """The kit finds nothing broken in a body with inertia that declares it, and most of its laws can be tried."""
    clock, host = ManualClock(), Host(Rover(probe=True))
    report = check(lambda: host.connect(clock), clock=clock)
    assert report.broken == ()
    assert report.holds
    held = {row.check for row in report.rows if row.verdict == "holds"}
    assert {"truth.move", "truth.obstructed", "truth.stop_stands", "dead_man.after_goodbye", "places.coasting"} <= held


@pytest.mark.req("EX-26")
def test_what_the_rover_cannot_do_is_not_a_matter_of_looking_closely() -> None:
    """It has no acts but MOVE and STOP: a law about others does not apply, on a busy machine no less than on a quiet one."""
    clock, host = ManualClock(), Host(Rover(probe=True))
    (row,) = check(lambda: host.connect(clock), clock=clock, only=["soak.none_faked"]).rows
    assert (row.verdict, row.unmet) == ("not applicable", False)


@pytest.mark.req("EX-26")
def test_the_declared_inertia_is_needed() -> None:
    """Without its tolerance the rover would not conform: the kit sees that it coasts."""
    rover = Rover(probe=True)
    rover.about = replace(rover.about, state_schema=replace(rover.about.state_schema, places=None))
    clock, host = ManualClock(), Host(rover)
    assert "truth.stop_stands" in check(lambda: host.connect(clock), clock=clock, only=["truth"]).broken


@pytest.mark.req("EX-26")
def test_the_rover_conforms_in_real_time() -> None:
    """Over a socket and in its own time it keeps the same laws; here those that need the fewest seconds."""
    only = ["truth.move", "truth.stop_stands", "stop.overtakes", "dead_man.after_goodbye"]
    with ExecutorServer.listen("tcp://127.0.0.1:0", Rover(seed=WESTERN, probe=True)).running() as address:
        report = check(lambda: dial(address), only=only)
    assert report.broken == ()


@pytest.mark.req("EX-26")
def test_a_slow_line_breaks_nothing() -> None:
    """However late every frame is, no law about the rover's MOVEs breaks."""
    clock, host = ManualClock(), Host(Rover(probe=True))
    only = ["truth", "places", "cancel", "stop"]
    report = check(lambda: Starved(host.connect(clock), clock, 0.15), clock=clock, only=only)
    assert report.broken == ()


@pytest.mark.req("EX-15")
def test_a_deadline_ends_a_move() -> None:
    """A MOVE whose time is over is PARTIAL, and the rover brakes where it is."""
    rover = Rover(seed=WESTERN)
    with connect(executor=rover) as body:
        outcome = body.execute(Move((3.0, 0.0, 0.0)), deadline=1.0)
        assert (outcome.status, outcome.reason) == ("PARTIAL", "NONE")
        let_coast(body)
        rest = rover.place
        let_coast(body)
        assert dist(rest, rover.place) <= PLACES.tolerance


@pytest.mark.req("EX-16")
def test_a_killed_simulator_leaves_one_truthful_outcome(tmp_path: Path) -> None:
    """When the simulator is killed in the middle of a MOVE, that MOVE has one outcome: unknown, never a success."""
    with simulator() as (process, address):
        journal = Journal(tmp_path / "run")
        with Bridge(
            lambda timeout: dial(address, timeout=timeout), journal=journal, timing=PATIENT, reconnect=False
        ) as body:
            start = body.refresh().data
            ticket = body.submit(Move((3.0, 0.0, 0.0)), deadline=20.0)
            eventually(lambda: body.refresh().data["x"] > start["x"] + 0.1)
            os.kill(process.pid, signal.SIGKILL)
            outcome = body.wait(ticket)
        journal.close()
    assert (outcome.status, outcome.reason, outcome.label) == ("FAILURE", "UNKNOWN", "unknown")
    assert verify_journal(tmp_path / "run").intact
    attempts = [entry.record for entry in read_journal(tmp_path / "run") if isinstance(entry.record, Attempt)]
    (move,) = [attempt for attempt in attempts if attempt.requested.intent == "MOVE"]
    assert move.label == "unknown"


def look(data: Any) -> tuple[tuple[float, float, float], bool]:
    """Where it is, and whether it moves."""
    return (data["x"], data["y"], 0.0), data["moving"] or data["speed"] > 0.005


EAST_AND_WEST = [((0.2, 0.0, 0.0), 0.1), ((0.2, 0.0, 0.0), 60.0), ((-0.2, 0.0, 0.0), 0.1), ((-0.2, 0.0, 0.0), 60.0)]


@pytest.mark.req("EX-16")
def test_a_slow_wire_leaves_one_truthful_outcome(tmp_path: Path) -> None:
    """What is answered after its deadline was given up, once and for all; what has time enough arrives, however late one
    hears of it."""
    rover = ExecutorServer.listen("tcp://127.0.0.1:0", Rover(seed=WESTERN))
    with rover.running() as address, slowed(address, 0.1) as late:
        outcomes = check_moves_have_one_truthful_outcome(late, tmp_path / "run", EAST_AND_WEST, look, PLACES.tolerance)
    assert [outcome.label for outcome in outcomes] == ["timeout", "positive", "timeout", "positive"]


@pytest.mark.req("EX-16")
def test_a_starved_simulator_leaves_one_truthful_outcome(tmp_path: Path) -> None:
    """Where the ticks come late because the machine has no time for them, every MOVE still ends once, as it really did."""
    with simulator() as (process, address), starved(process.pid):
        check_moves_have_one_truthful_outcome(address, tmp_path / "run", EAST_AND_WEST, look, PLACES.tolerance)


def test_a_taken_port_is_said(tmp_path: Path, told: Told) -> None:
    """If something else listens at the port, the command says so and ends; nothing is simulated."""
    with create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, error = run_in(tmp_path, "body", "mujoco", "--port", str(port))
    assert (code, out) == (2, "")
    assert f"cannot listen at tcp://127.0.0.1:{port}" in error
    told(error)


def test_the_probe_tells_what_is_free() -> None:
    """Ways lead to where the rover fits, the longest first, and obstructed ones into the walls."""
    rover = Rover(seed=WESTERN, probe=True)
    sight = rover.probe(1)
    x, y = rover.place
    assert all(abs(x + dx) <= ROOM[0] / 2 - RADIUS and abs(y + dy) <= ROOM[1] / 2 - RADIUS for dx, dy, _ in sight.ways)
    assert all(abs(x + dx) > ROOM[0] / 2 or abs(y + dy) > ROOM[1] / 2 for dx, dy, _ in sight.obstructed)
    assert [hypot(*way) for way in sight.ways] == sorted((hypot(*way) for way in sight.ways), reverse=True)

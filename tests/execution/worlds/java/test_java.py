"""The Java executor: a real process, driven by the bridge's own session, held to the same contract and the same world."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.execution.worlds.java.jvm import Driver, arena, brief
from tests.processes import PATIENCE
from volition.execution.connecting.connect import connect
from volition.execution.wire import frames as f
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import Welcome
from volition.execution.wire.session.events import Closed
from volition.execution.wire.session.handshake import BadToken, NotReady, Offer, SchemaMismatch
from volition.execution.worlds import java
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.executor import ARENA_SCHEMA, ArenaExecutor
from volition.execution.worlds.arena.ground import parse_map
from volition.execution.worlds.arena.rules import EVADE_COOLDOWN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEN = parse_map("name: den\n######\n#.-..#\n#@&..#\n######")
HALL = parse_map("name: hall\n" + "#" * 40 + "\n#@" + "." * 37 + "#\n#" + "#" * 37 + "&#\n" + "#" * 40)
"""A corridor whose opponent is walled in: nothing disturbs."""


@pytest.fixture(scope="module")
def hall() -> Iterator[str]:
    with arena(map=HALL, hz=100) as address:
        yield address


@pytest.fixture
def driver(hall: str) -> Iterator[Driver]:
    """A bridge to a rested actor."""
    with Driver(hall) as driver:
        driver.ready()
        rest(driver)
        yield driver
        driver.attempt("STOP")


@pytest.fixture(scope="module")
def slow_hall() -> Iterator[str]:
    """A MOVE may last ten seconds here, so that no machine is too busy to see it under way."""
    with arena(map=HALL, hz=4) as address:
        yield address


def rest(driver: Driver) -> None:
    """Wait until the actor is on the ground and can do everything again."""
    while (actor := driver.look()["actor"])["air"] or any(actor["cooldowns"].values()) or actor["stamina"] < 100:
        driver.turn(0.02)


@pytest.mark.req("EX-13")
def test_both_arenas_welcome_alike(hall: str) -> None:
    """The Java arena describes itself like the Python arena: it is the same world."""
    with Driver(hall, Offer(state_schema=ARENA_SCHEMA)) as driver:
        event = driver.until(lambda event: isinstance(event, Welcome))
        assert isinstance(event, Welcome)
        expected = ArenaExecutor(Arena(HALL), hz=100).about.welcome("")
        assert msgspec.structs.replace(event, session="", features=()) == msgspec.structs.replace(expected, features=())
        assert set(expected.features) <= set(event.features)


@pytest.mark.req("EX-14")
def test_what_moves_is_seen_to_move(driver: Driver) -> None:
    """MOVE, EVADE and JUMP say SUCCESS when the actor has moved, and the state shows it."""
    before = driver.look()["actor"]
    assert driver.end("MOVE", 3, 0, 0) == ("SUCCESS", "NONE")
    after = driver.look()["actor"]
    assert after["x"] - before["x"] == 3000
    dash, pace = driver.attempt("EVADE"), driver.session.welcome.tick_hz if driver.session.welcome else 0.0
    assert (dash.result.status, dash.result.metadata.execution_time_ms) == ("SUCCESS", 3 * 1000 / pace)
    assert abs(driver.look()["actor"]["x"] - after["x"]) == 1200
    jump = driver.attempt("JUMP")
    assert jump.result.status == "SUCCESS"
    assert jump.next_state is not None
    assert jump.next_state.data["actor"]["z"] > 0


@pytest.mark.req("EX-14")
def test_a_move_ends_at_its_time(driver: Driver) -> None:
    """A MOVE is PARTIAL after the ticks that fit into its time, and not after the whole way."""
    pace = driver.session.welcome.tick_hz if driver.session.welcome else 0.0
    finished = driver.result(driver.send("MOVE", 3, 0, 0, ttl=0.1))
    assert (finished.result.status, finished.result.failure_reason) == ("PARTIAL", "NONE")
    assert finished.result.metadata.execution_time_ms == 1000 / pace * int(0.1 * pace)


@pytest.mark.req("EX-14")
def test_every_failure_of_movement_is_reported(driver: Driver) -> None:
    """No movement, obstruction, a place off the map, mid-air, cooldown: each is reported as what it is."""
    assert driver.end("MOVE", 0, -0.9, 0) == ("PARTIAL", "BLOCKED")
    assert driver.end("MOVE", 0, -0.5, 0) == ("FAILURE", "BLOCKED")
    away = driver.attempt("MOVE", 0, -5, 0).result
    assert (away.failure_reason, away.safety_flags.invalid_environment) == ("INVALID_STATE", True)
    # In one write, so that the second and the third come while the first is under way.
    jump, again, aloft = (driver.result(id).result for id in [driver.send(name) for name in ("JUMP", "JUMP", "HOLD")])
    assert jump.status == "SUCCESS"
    assert (again.failure_reason, again.safety_flags.invalid_environment) == ("INVALID_STATE", True)
    assert (aloft.status, aloft.failure_reason) == ("FAILURE", "INVALID_STATE")
    begun, cooling = 0, None
    while cooling is None or cooling.metadata.engine_timestamp - begun >= EVADE_COOLDOWN:
        # Again, where the machine was so slow that the cooldown was over.
        rest(driver)
        begun = driver.look()["tick"]
        assert driver.end("EVADE")[0] in {"SUCCESS", "PARTIAL"}
        cooling = driver.attempt("EVADE").result
    assert (cooling.failure_reason, cooling.safety_flags.on_cooldown) == ("COOLDOWN", True)


@pytest.mark.req("EX-14")
def test_a_guard_is_held_until_it_is_released(driver: Driver) -> None:
    """HOLD stays until RELEASE or STOP; to release what is not held fails."""
    assert driver.end("RELEASE") == ("FAILURE", "INVALID_STATE")
    assert driver.end("HOLD") == ("SUCCESS", "NONE")
    assert driver.look()["actor"]["holding"]
    assert driver.end("RELEASE") == ("SUCCESS", "NONE")
    assert driver.end("HOLD") == ("SUCCESS", "NONE")
    assert driver.end("STOP") == ("SUCCESS", "NONE")
    assert not driver.look()["actor"]["holding"]


@pytest.mark.req("EX-14")
def test_a_blow_lands_misses_or_is_not_struck(driver: Driver) -> None:
    """PRIMARY_ATTACK hits what it faces, wastes itself on what it does not, and fails out of range or too soon."""
    with arena(map=DEN, hz=0.5) as address, Driver(address) as near:
        near.ready()
        blow = near.attempt("PRIMARY_ATTACK").result
        assert (blow.status, blow.outcomes.damage_dealt, blow.outcomes.action_wasted) == ("SUCCESS", 25.0, False)
        assert near.end("PRIMARY_ATTACK") == ("FAILURE", "COOLDOWN")
        assert near.look()["opponent"]["health"] == 75
    assert driver.end("PRIMARY_ATTACK") == ("FAILURE", "INVALID_STATE")


@pytest.mark.req("EX-14")
def test_no_room_to_jump_is_no_jump() -> None:
    """Under a beam the actor stays on the ground, and the jump has failed."""
    low = parse_map("name: low\n#####\n#-@-#\n#--&#\n#####")
    with arena(map=low, hz=100) as address, Driver(address) as driver:
        driver.ready()
        assert driver.end("MOVE", -1, 0, 0) == ("SUCCESS", "NONE")
        jump = driver.attempt("JUMP").result
        assert (jump.failure_reason, jump.safety_flags.is_blocked, jump.outcomes.action_wasted) == (
            "BLOCKED",
            True,
            True,
        )


def wait_two_ticks(driver: Driver) -> None:
    """What was sent before has certainly begun then."""
    first = driver.look()["tick"]
    while driver.look()["tick"] < first + 2:
        driver.turn(0.05)


@pytest.mark.req("EX-14")
def test_stop_ends_what_is_open_and_a_cancel_what_it_names(slow_hall: str) -> None:
    """Each gets its one result: PARTIAL for what had begun, and STOP's own after the others."""
    with Driver(slow_hall) as driver:
        driver.ready()
        walk = driver.send("MOVE", 9, 0, 0)
        wait_two_ticks(driver)
        stop = driver.send("STOP")
        assert driver.result(walk).result.status == "PARTIAL"
        assert driver.result(stop).result.status == "SUCCESS"
        assert driver.look()["open"] == []
        walk = driver.send("MOVE", 9, 0, 0)
        wait_two_ticks(driver)
        driver.session.cancel(walk)
        event = driver.until(lambda event: isinstance(event, f.Progress))
        assert isinstance(event, f.Progress)
        assert event == f.Progress(id=walk, stage="cancelling")
        assert driver.result(walk).result.status == "PARTIAL"


def test_what_ends_at_once_is_answered_before_the_next_tick() -> None:
    """In a world that ticks once in ten seconds, twenty instant intents take far less than twenty ticks."""
    with arena(map=HALL, hz=0.1, window=3) as address, Driver(address) as driver:
        driver.ready()
        assert driver.session.room == 3
        before = driver.look()["tick"]
        for _ in range(20):
            assert driver.end("RELEASE") == ("FAILURE", "INVALID_STATE")
        assert driver.look()["tick"] - before < 20


@pytest.mark.req("EX-11")
def test_states_are_pushed_and_the_world_moves_by_itself(driver: Driver) -> None:
    """The tick grows while nobody acts, and every state is newer than the one before."""
    first = driver.look()
    wait_two_ticks(driver)
    second = driver.look()
    assert second["tick"] > first["tick"]
    assert driver.session.state is not None
    assert driver.session.state.tick >= second["tick"]


@pytest.mark.req("EX-16")
@pytest.mark.parametrize("how", ["closed", "silent", "goodbye", "torn"])
def test_an_actor_that_lost_its_bridge_stands_still(hall: str, how: str) -> None:
    """However the bridge goes, its place is free after a while, and nothing is held, open or moving."""
    with Driver(hall) as lost:
        lost.ready()
        lost.attempt("HOLD")
        lost.send("MOVE", 30, 0, 0)
        lost.turn(0.05)
        if how == "goodbye":
            lost.stream.send(encode(f.Goodbye(reason="enough")))
        elif how == "torn":
            lost.stream.send(b'{"v":1,')
        if how != "silent":
            lost.stream.close()
        while not free(hall):
            time.sleep(0.05)
        with Driver(hall) as back:
            actor = back.ready().data["actor"]
            assert (actor["holding"], actor["velocity"]) == (False, [0, 0, 0])
            assert back.look()["open"] == []


def free(address: str) -> bool:
    """Whether a bridge that knocks is welcomed."""
    with Driver(address) as knocking:
        event = knocking.until(lambda event: isinstance(event, Welcome | Closed))
        return isinstance(event, Welcome)


@pytest.mark.req("EX-16")
def test_both_sides_keep_a_quiet_connection_alive(driver: Driver) -> None:
    """Pings in both directions keep a quiet connection alive for longer than the three seconds that silence may last."""
    end = time.monotonic() + 3.3
    while time.monotonic() < end:
        driver.turn(0.2)
    assert driver.end("STOP") == ("SUCCESS", "NONE")


@pytest.mark.req("EX-13")
def test_a_second_bridge_is_refused(driver: Driver, hall: str) -> None:
    """It is told that the executor is not ready, and the first bridge is not disturbed."""
    with Driver(hall) as second:
        closed = second.until(lambda event: isinstance(event, Closed))
        assert isinstance(closed, Closed)
        assert isinstance(closed.error, NotReady)
    assert driver.end("STOP") == ("SUCCESS", "NONE")


@pytest.mark.req("EX-13")
def test_a_wrong_token_and_a_wrong_schema_are_refused() -> None:
    """Each has its own error, and the right ones are accepted."""
    with arena(token="open sesame") as guarded:
        other = f.StateSchema(name="x", version="1", hash="?")
        for offer, error in (
            (Offer(token="open"), BadToken),
            (Offer(token="open sesame", state_schema=other), SchemaMismatch),
        ):
            with Driver(guarded, offer) as refused:
                closed = refused.until(lambda event: isinstance(event, Closed))
                assert isinstance(closed, Closed)
                assert isinstance(closed.error, error)
        with Driver(guarded, Offer(token="open sesame")) as welcome:
            welcome.ready()


def test_it_speaks_over_a_unix_socket_and_over_pipes(tmp_path: Path) -> None:
    """The same arena answers wherever it is told to listen, and ends with its input where that is its wire."""
    with arena(listen=("--unix", str(tmp_path / "arena.sock"))) as address, Driver(address) as driver:
        driver.ready()
        assert driver.end("HOLD") == ("SUCCESS", "NONE")
    assert not (tmp_path / "arena.sock").exists()
    words = brief(java.arena_command(listen=("--stdio",)))
    with Driver("stdio:" + " ".join(words)) as driver:
        driver.ready()
        assert driver.end("HOLD") == ("SUCCESS", "NONE")


def test_connect_takes_it_by_its_name() -> None:
    """`connect("java")` builds, launches, drives and ends it."""
    with connect("java", map=HALL, seed=3) as body:
        outcome = body.execute("HOLD")
        assert (outcome.status, outcome.label) == ("SUCCESS", "positive")
        assert outcome.next_state is not None
        assert outcome.next_state.data["actor"]["holding"]


def test_bad_arguments_end_it_with_2() -> None:
    """It says what it cannot serve, and ends with 2."""
    command = brief(java.arena_command())
    for more in (["--dance"], ["--map", "nowhere.txt"], ["--hz", "NaN"]):
        done = subprocess.run([*command, *more], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")

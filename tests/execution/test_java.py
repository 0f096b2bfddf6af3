"""The Java executor: a real process, driven by the bridge's own session, held to the same contract and the same world."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.execution.hostile import HARMLESS, HOSTILE
from tests.execution.jvm import Driver, arena
from volition import __version__
from volition.core.errors import InvalidInput, MissingPart
from volition.execution import BadToken, FrameFault, NotReady, Offer, SchemaMismatch, java
from volition.execution import frames as f
from volition.execution.arena import SHIPPED_MAPS, Arena, parse_map, shipped_map
from volition.execution.arena_executor import ARENA_SCHEMA, ArenaExecutor
from volition.execution.codec import decode, encode
from volition.execution.connect import connect
from volition.execution.session.events import Closed, Happened, Welcomed
from volition.execution.transports import dial

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.execution.transports import Stream

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


def rest(driver: Driver) -> None:
    """Wait until the actor stands on the ground and may do everything again."""
    while (actor := driver.look()["actor"])["air"] or any(actor["cooldowns"].values()) or actor["stamina"] < 100:
        driver.turn(0.02)


@pytest.mark.req("EX-13")
def test_both_arenas_welcome_alike(hall: str) -> None:
    """The Java arena says of itself what the Python arena says: one world, whoever runs it."""
    with Driver(hall, Offer(state_schema=ARENA_SCHEMA)) as driver:
        event = driver.until(lambda event: isinstance(event, Welcomed))
        assert isinstance(event, Welcomed)
        expected = ArenaExecutor(Arena(HALL), hz=100).about.welcome("")
        assert msgspec.structs.replace(event.welcome, session="", features=()) == msgspec.structs.replace(
            expected, features=()
        )
        assert set(expected.features) <= set(event.welcome.features)


@pytest.mark.req("EX-14")
def test_what_moves_is_seen_to_move(driver: Driver) -> None:
    """MOVE, EVADE and JUMP say SUCCESS when the actor has moved, and the state shows it."""
    before = driver.look()["actor"]
    assert driver.end("MOVE", 3, 0, 0) == ("SUCCESS", "NONE")
    after = driver.look()["actor"]
    assert after["x"] - before["x"] == 3000
    dash = driver.attempt("EVADE")
    assert (dash.result.status, dash.result.metadata.execution_time_ms) == ("SUCCESS", 150.0)
    assert abs(driver.look()["actor"]["x"] - after["x"]) == 1200
    jump = driver.attempt("JUMP")
    assert jump.result.status == "SUCCESS"
    assert jump.next_state is not None
    assert jump.next_state.data["actor"]["z"] > 0


@pytest.mark.req("EX-14")
def test_every_failure_of_movement_is_reported(driver: Driver) -> None:
    """No movement, obstruction, a place off the map, mid-air, cooldown: each is told for what it is."""
    assert driver.end("MOVE", 0, -0.9, 0) == ("PARTIAL", "BLOCKED")
    assert driver.end("MOVE", 0, -0.5, 0) == ("FAILURE", "BLOCKED")
    away = driver.attempt("MOVE", 0, -5, 0).result
    assert (away.failure_reason, away.safety_flags.invalid_environment) == ("INVALID_STATE", True)
    assert driver.end("JUMP") == ("SUCCESS", "NONE")
    again = driver.attempt("JUMP").result
    assert (again.failure_reason, again.safety_flags.invalid_environment) == ("INVALID_STATE", True)
    aloft = driver.attempt("HOLD").result
    assert (aloft.status, aloft.failure_reason) == ("FAILURE", "INVALID_STATE")
    rest(driver)
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
def test_a_blow_lands_misses_or_is_not_struck() -> None:
    """PRIMARY_ATTACK hits what it faces, wastes itself on what it does not, and fails out of range or too soon."""
    with arena(map=DEN, hz=5) as address, Driver(address) as driver:
        driver.ready()
        blow = driver.attempt("PRIMARY_ATTACK").result
        assert (blow.status, blow.outcomes.damage_dealt, blow.outcomes.action_wasted) == ("SUCCESS", 25.0, False)
        assert driver.end("PRIMARY_ATTACK") == ("FAILURE", "COOLDOWN")
        assert driver.look()["opponent"]["health"] == 75
    with arena(map=HALL) as address, Driver(address) as driver:
        driver.ready()
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


@pytest.mark.req("EX-14")
def test_stop_ends_what_is_open_and_a_cancel_what_it_names(driver: Driver) -> None:
    """Each gets its one result: PARTIAL for what had begun, and STOP's own after the others."""
    walk = driver.send("MOVE", 9, 0, 0)
    driver.turn(0.05)
    stop = driver.send("STOP")
    assert driver.result(walk).result.status == "PARTIAL"
    assert driver.result(stop).result.status == "SUCCESS"
    assert driver.look()["open"] == []
    walk = driver.send("MOVE", 9, 0, 0)
    driver.turn(0.05)
    driver.session.cancel(walk)
    event = driver.until(lambda event: isinstance(event, Happened) and isinstance(event.frame, f.Progress))
    assert isinstance(event, Happened)
    assert event.frame == f.Progress(id=walk, stage="cancelling")
    assert driver.result(walk).result.status == "PARTIAL"


def test_what_ends_at_once_is_answered_before_the_next_tick() -> None:
    """In a world that ticks once in two seconds, a hundred instant intents take far less than one tick."""
    with arena(map=HALL, hz=0.5) as address, Driver(address) as driver:
        driver.ready()
        began = time.monotonic()
        for _ in range(100):
            assert driver.end("RELEASE") == ("FAILURE", "INVALID_STATE")
        assert time.monotonic() - began < 1.5


@pytest.mark.req("EX-11")
def test_states_are_pushed_and_the_world_moves_by_itself(driver: Driver) -> None:
    """The tick grows while nobody acts, and every state is newer than the one before."""
    first = driver.look()
    driver.turn(0.2)
    driver.turn(0.2)
    second = driver.look()
    assert second["tick"] > first["tick"]
    assert driver.session.state is not None
    assert driver.session.state.tick == second["tick"]


@pytest.mark.req("EX-16")
@pytest.mark.parametrize("how", ["closed", "silent", "goodbye", "torn"])
def test_an_actor_that_lost_its_bridge_stands_still(hall: str, how: str) -> None:
    """However the bridge goes, within three seconds and a bit nothing is held, open or moving."""
    with Driver(hall) as lost:
        lost.ready()
        lost.attempt("HOLD")
        lost.send("MOVE", 30, 0, 0)
        lost.turn(0.05)
        if how == "silent":
            time.sleep(3.3)
        elif how == "goodbye":
            lost.stream.send(encode(f.Goodbye(reason="enough")))
        elif how == "torn":
            lost.stream.send(b'{"v":1,')
    time.sleep(0.1)
    with Driver(hall) as back:
        actor = back.ready().data["actor"]
        assert (actor["holding"], actor["velocity"]) == (False, [0, 0, 0])
        assert back.look()["open"] == []


@pytest.mark.req("EX-16")
def test_both_sides_keep_a_quiet_connection_alive(driver: Driver) -> None:
    """Silence is bridged by pings both ways: after four quiet seconds the connection stands."""
    end = time.monotonic() + 4
    while time.monotonic() < end:
        driver.turn(0.2)
    assert driver.end("STOP") == ("SUCCESS", "NONE")


@pytest.mark.req("EX-13")
def test_a_second_bridge_a_wrong_token_and_a_wrong_schema_are_turned_away(driver: Driver, hall: str) -> None:
    """Each has its own error, and the first bridge is not disturbed."""
    with Driver(hall) as second:
        closed = second.until(lambda event: isinstance(event, Closed))
        assert isinstance(closed, Closed)
        assert isinstance(closed.error, NotReady)
    assert driver.end("STOP") == ("SUCCESS", "NONE")
    with arena(token="open sesame") as guarded:
        strange = f.StateSchema(name="x", version="1", hash="?")
        for offer, error in (
            (Offer(token="open"), BadToken),
            (Offer(token="open sesame", state_schema=strange), SchemaMismatch),
        ):
            with Driver(guarded, offer) as refused:
                closed = refused.until(lambda event: isinstance(event, Closed))
                assert isinstance(closed, Closed)
                assert isinstance(closed.error, error)
        with Driver(guarded, Offer(token="open sesame")) as welcome:
            welcome.ready()


def hears(stream: Stream, line: bytes, n: int) -> list[f.Frame]:
    """What is answered to a line, up to the pong of the ping after it, or to the end of the connection."""
    stream.send(line + b"\n" + encode(f.Ping(n=n)))
    return _answers(stream, n)


def _answers(stream: Stream, n: int) -> list[f.Frame]:
    rest, found = b"", []
    while data := stream.receive(5.0):
        *whole, rest = (rest + data).split(b"\n")
        found += [decode(line) for line in whole]
        if any(isinstance(frame, f.Pong) and frame.n == n for frame in found):
            break
    return found


def greeted(address: str) -> Stream:
    stream = dial(address)
    stream.send(encode(Offer(features=()).hello()) + encode(f.Ping(n=0)))
    assert any(isinstance(frame, f.Welcome) for frame in _answers(stream, 0))
    return stream


@pytest.mark.req("EX-17")
def test_hostile_lines_are_answered_with_their_code(hall: str) -> None:
    """Every line of the corpus gets its code, the good line after it is read, and an over-long one ends the session."""
    stream = greeted(hall)
    for n, (name, line, code) in enumerate(HOSTILE, 1):
        frames = hears(stream, line, n)
        if code == "too_long":
            assert isinstance(frames[-1], f.Goodbye), name
            stream.close()
            stream = greeted(hall)
            continue
        assert [frame.code for frame in frames if isinstance(frame, f.ErrorFrame)] == [code], name
    for n, (name, line) in enumerate(HARMLESS, len(HOSTILE) + 1):
        frames = hears(stream, line, n)
        assert {frame.code for frame in frames if isinstance(frame, f.ErrorFrame)} <= {"out_of_order"}, name
        if isinstance(decode(line), f.Goodbye):
            stream.close()
            stream = greeted(hall)
    stream.close()


@pytest.mark.req("EX-17")
def test_both_sides_read_the_same_lines(hall: str) -> None:
    """A spoilt line is a frame for the Java side exactly where it is one here, and breaks the same rule."""
    chance = random.Random(20)
    stream, noise = greeted(hall), 0
    for n in range(1, 1500):
        line = _spoilt(chance)
        try:
            code, frame = "", decode(line)
        except FrameFault as fault:
            code, frame = fault.code, None
        if isinstance(frame, f.Goodbye):
            continue
        answers = hears(stream, line, 10_000 + n)
        codes = [answer.code for answer in answers if isinstance(answer, f.ErrorFrame)]
        assert ([] if code == "" else [code]) == [
            c for c in codes if c not in {"out_of_order", "stale_id", "unknown_id"}
        ], line
        noise += code != ""
        if noise == 90:
            stream.close()
            stream, noise = greeted(hall), 0
    stream.close()


_PARTS = [
    b'{"v":1,"type":"intent","id":7,"intent":"MOVE","ttl_ms":500,"parameters":{"vector":[1.5,-0.0,2e1]},"agent":"h\xc3\xa9"}',
    b'{"v":1,"type":"state_request","id":3,"full":true}',
    b'{"v":1,"type":"event","name":"x","tick":1,"data":[{"a":[null,true,false,"\\ud83d\\ude00\\n",-1E-7]},{}]}',
    b'{"v":1,"type":"pong","n":4,"tick":5,"open":[1,2]}',
    b'{"v":1,"type":"hello","spec":"1.0.0","client":{"name":"a","version":""},"features":["events"],"token":null}',
    b'{"v":1,"type":"progress","id":7,"stage":"moving","done":0.25}',
]
_SCRAPS = [
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"0", b"-", b".", b"e9", b"null", b'"v":1,', b"9" * 17, b"\xff", b"\xc3",
    b"\\u00e9", b"\\ud800", b" ", b"\t", b"\x00", b"true", b'"id":8,', b"1e400",
]  # fmt: skip


def _spoilt(chance: random.Random) -> bytes:
    line = bytearray(chance.choice(_PARTS))
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(line))
        match chance.randrange(3):
            case 0:
                del line[at : at + chance.randrange(1, 4)]
            case 1:
                line[at:at] = chance.choice(_SCRAPS)
            case _:
                line[at] = chance.choice(b'"\\{}[],:0-.eE truenl1')
    return bytes(line).replace(b"\n", b"")


def test_it_speaks_over_a_unix_socket_and_over_pipes(tmp_path: Path) -> None:
    """The same arena answers wherever it is told to listen, and ends with its input where that is its wire."""
    with arena(listen=("--unix", str(tmp_path / "arena.sock"))) as address, Driver(address) as driver:
        driver.ready()
        assert driver.end("HOLD") == ("SUCCESS", "NONE")
    assert not (tmp_path / "arena.sock").exists()
    words = java.arena_command(listen=("--stdio",))
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
    """What it cannot serve it says, and ends with 2."""
    command = java.arena_command()
    for more in (["--dance"], ["--map", "nowhere.txt"], ["--hz", "NaN"]):
        done = subprocess.run([*command, *more], capture_output=True, text=True, timeout=20, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")


# The module and its jar.


def test_the_maps_and_the_version_are_the_same() -> None:
    """What stands on both sides is equal: the maps that come along, and the version."""
    files = java.module_files()
    for name in SHIPPED_MAPS:
        here = Path(java.__file__).parent / "arena" / "maps" / f"{name}.txt"
        assert files[f"src/main/resources/volition/executor/arena/{name}.txt"].read_bytes() == here.read_bytes()
        assert shipped_map(name)
    pom = re.search(r"<version>(.*?)</version>", files["pom.xml"].read_text(encoding="utf-8"))
    assert pom is not None
    assert pom[1] == __version__


def test_the_jar_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cached jar is taken as it is, without a compiler; nothing else is left in the cache."""
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path))
    jar = java.build()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [jar]
    made = jar.stat().st_mtime_ns
    monkeypatch.setattr(java, "find_tool", _nothing_found)
    assert java.build() == jar
    assert jar.stat().st_mtime_ns == made


def _nothing_found(name: str) -> Path:
    raise AssertionError(f"{name} is not needed")


def test_without_a_jdk_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No JDK, one that is too old, and a cache that cannot be written are missing parts: exit code 4, with a remedy."""
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingPart, match=r"javac was not found[\s\S]*apt install") as raised:
        java.build()
    assert raised.value.exit_code == 4
    old = tmp_path / "jdk" / "bin" / "javac"
    old.parent.mkdir(parents=True)
    old.write_text("#!/bin/sh\necho 'error: release version 17 not supported' >&2\nexit 2\n")
    old.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    with pytest.raises(MissingPart, match="release version 17 not supported"):
        java.build()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path / "file"))
    with pytest.raises(MissingPart, match="VOLITION_CACHE"):
        java.build()


def test_the_module_is_exported_whole_and_overwrites_nothing(tmp_path: Path) -> None:
    """Every file arrives as it is; a folder that is not empty stays untouched."""
    target = tmp_path / "new" / "module"
    names = java.export(target)
    assert {"pom.xml", "README.md", "LICENSE", "src/main/java/volition/executor/Executor.java"} <= set(names)
    for name, path in java.module_files().items():
        assert (target / name).read_bytes() == path.read_bytes()
    (target / "pom.xml").write_text("mine")
    with pytest.raises(InvalidInput, match="something already"):
        java.export(target)
    assert (target / "pom.xml").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    assert java.export(tmp_path / "empty") == names
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "new"]


def test_a_map_that_cannot_be_read_is_refused_here() -> None:
    """A bad map is an error of the caller's, before any process starts; `map` may be a name, a file or a map."""
    with pytest.raises(InvalidInput):
        java.arena_command(map="nowhere.txt")
    named = java.arena_command(map="foundry")
    assert named[named.index("--map") + 1] == "foundry"
    made: Any = java.arena_command(map=DEN)
    assert parse_map(Path(made[made.index("--map") + 1]).read_text(encoding="utf-8")) == DEN


def test_it_is_found_without_being_imported_by_others() -> None:
    """Nobody who drives another executor looks for a JDK."""
    program = "import sys; import volition.execution, volition.execution.connect; print('volition.execution.java' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"

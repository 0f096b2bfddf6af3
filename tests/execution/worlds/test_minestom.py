"""The Minestom server: driven, probed, stopped and killed as a process, attacked at its game's port, seen by a client.

Its own laws are tested in Java, stepped by hand, where it is built (`make minestom`).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.worlds.game_clients import GameClient
from tests.execution.worlds.lag import check_moves_have_one_truthful_outcome, slowed, starved
from tests.processes import PATIENCE, ROOT
from volition.core.errors import InvalidInput, MissingPart
from volition.execution import Bridge, Move, connect
from volition.execution.conformance import check
from volition.execution.transports.endpoint import dial
from volition.execution.wire.frames import GameEvent
from volition.execution.worlds import minestom
from volition.execution.worlds.pilot import drive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.sentences import Told

CLIENT = ROOT / ".venv" / "minestom" / "node_modules"


class Yard:
    """A server that runs: its process, the bridge's address, and the port of the game."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.address = process.stdout.readline().strip()
        game = process.stdout.readline().strip()
        assert game.startswith("Minecraft 26.1.2 at 127.0.0.1:")
        self.game_port = int(game.rpartition(":")[2])


@contextmanager
def serving(*, probe: bool = False) -> Iterator[Yard]:
    """A server of its own; the test is skipped, and says so loudly, where it was not built or there is no Java for it."""
    try:
        minestom.find_java()
    except MissingPart as error:
        pytest.skip(
            f"NO JAVA 25: the Minestom server is NOT TESTED here; make minestom gets it ({error.problems[0].what})"
        )
    if minestom.find_built() is None:
        pytest.skip("NOT BUILT: the Minestom server is NOT TESTED here; make minestom builds it")
    command = minestom.server_command(probe=probe)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Yard(process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    with serving(probe=True) as served:
        yield served


def eventually(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


def rows(body: Bridge) -> list[str]:
    found: list[str] = body.refresh().data["map"]["rows"]
    return found


def test_it_attempts_the_canonical_intents_and_its_own(yard: Yard) -> None:
    """MOVE arrives where it said; DIG, PLACE, LOOK and USE are typed, and what they change is in the next state."""
    with connect(yard.address) as body:
        start = body.reset(3).data["actor"]
        moved = body.execute(Move((0.0, 1.0, 0.0)), deadline=5.0)
        assert moved.status == "SUCCESS"
        assert moved.next_state is not None
        assert moved.next_state.data["actor"]["y"] == start["y"] + 1000
        assert set(body.declared) == {"DIG", "PLACE", "LOOK", "USE"}
        place = body.declared["PLACE"].make_class()
        assert body.execute(place([4, 2, 0]), deadline=5.0).status == "SUCCESS"
        assert rows(body)[2][4] == "#"
        assert body.execute("DIG", {"at": [4, 2, 0]}, deadline=5.0).status == "SUCCESS"
        assert rows(body)[2][4] == "."
        assert body.execute("USE", {"at": [4, 3, 0]}, deadline=5.0).status == "SUCCESS"
        assert rows(body)[3][4] == "#"
        assert body.execute("LOOK", {"at": [0.5, start["y"] / 1000 + 1]}, deadline=5.0).status == "SUCCESS"
        assert body.refresh().data["actor"]["facing"] == "west"
        assert body.execute("DIG", {"at": [0, 1, 0]}, deadline=5.0).reason == "BLOCKED"
        assert body.execute("DIG", {"at": [15, 9, 0]}, deadline=5.0).reason == "INVALID_STATE"
        with pytest.raises(InvalidInput):
            place(["here"])


def test_the_pilot_drives_it_to_its_goal(yard: Yard) -> None:
    """The pilot of the arena, unchanged, meets its goal here."""
    with connect(yard.address) as body:
        body.reset(0)
        course = drive(body, 600)
        assert course.verdict == "met"


def test_the_kit_finds_nothing_broken(yard: Yard) -> None:
    """A part of the kit, with probes from the server's own world; `make minestom` runs the whole."""
    only = (
        "conduct",
        "declared",
        "episodes",
        "handshake.welcome",
        "ids",
        "states.match_the_probe",
        "stop",
        "truth.move",
    )
    report = check(lambda: dial(yard.address), only=only, limit=PATIENCE)
    assert [(row.check, row.found) for row in report.rows if row.verdict == "breaks"] == []
    assert sum(row.verdict == "holds" for row in report.rows) > 12


@pytest.mark.parametrize(
    "said",
    [
        b"\x00" * 4096,
        b"\xff" * 4096,
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\xff\xff\xff\x07" + b"A" * 64,  # a length of 2 GB
        b"\x10\x00\x87\x06\x09127.0.0.1\x63\xdd",  # a handshake that ends too early
        bytes(range(256)) * 300,
    ],
)
def test_hostile_clients_of_the_game_disturb_no_bridge(yard: Yard, said: bytes) -> None:
    """Whatever is sent to the game's port, however often: the world goes on, and the bridge is answered."""
    with connect(yard.address) as body:
        before = body.refresh().tick
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", yard.game_port), timeout=PATIENCE) as stranger:
                stranger.sendall(said)
        assert body.execute("LOOK", {"at": [1.5, 1.5]}, deadline=5.0).answered
        eventually(lambda: body.refresh().tick > before + 2)


def test_lag_loss_and_death_of_the_server() -> None:
    """A server that sleeps is waited for and comes back; one that is silent is given up; one that is killed answers nothing.

    Whenever its bridge was lost, the hero stands still.
    """
    with serving() as yard:
        with connect(yard.address) as body:
            os.kill(yard.process.pid, signal.SIGSTOP)
            late = body.execute(Move((0.0, 1.0, 0.0)), deadline=0.2)
            assert late.label == "timeout"
            os.kill(yard.process.pid, signal.SIGCONT)
            eventually(lambda: body.execute("LOOK", {"at": [9.0, 1.5]}, deadline=5.0).status == "SUCCESS")
        with connect(yard.address, reconnect=False) as body:
            ticket = body.submit(Move((0.0, 4.0, 0.0)), deadline=30.0)
            os.kill(yard.process.pid, signal.SIGSTOP)
            assert body.wait(ticket).label == "unknown"
            os.kill(yard.process.pid, signal.SIGCONT)
        with connect(yard.address) as body:
            first, second = body.refresh(), body.next_state(5.0)
            assert second is not None
            assert [second.data["actor"][axis] for axis in "xy"] == [first.data["actor"][axis] for axis in "xy"]
            ticket = body.submit(Move((0.0, 1.0, 0.0)), deadline=30.0)
            yard.process.kill()
            assert body.wait(ticket).label == "unknown"


def look_at_the_hero(data: Any) -> tuple[tuple[float, float, float], bool]:
    """Where it is, and whether it moves."""
    actor = data["actor"]
    return (actor["x"] / 1000, actor["y"] / 1000, 0.0), bool(data["open"]) or any(actor["velocity"])


BACK_AND_FORTH = [((0.0, 1.0, 0.0), 0.1), ((0.0, 1.0, 0.0), 60.0), ((0.0, -1.0, 0.0), 0.1), ((0.0, -1.0, 0.0), 60.0)]


def test_a_slow_wire_leaves_one_truthful_outcome(yard: Yard, tmp_path: Path) -> None:
    """What is answered after its deadline was given up, once and for all; what has time enough arrives, however late one
    hears of it."""
    with connect(yard.address) as body:
        body.reset(3)
    with slowed(yard.address, 0.1) as address:
        outcomes = check_moves_have_one_truthful_outcome(
            address, tmp_path / "run", BACK_AND_FORTH, look_at_the_hero, tolerance=0.001
        )
    assert [outcome.label for outcome in outcomes][::2] == ["timeout", "timeout"]
    assert all(outcome.answered for outcome in outcomes[1::2])


def test_a_starved_server_leaves_one_truthful_outcome(tmp_path: Path) -> None:
    """Where the ticks come late because the machine has no time for them, every MOVE still ends once, as it really did."""
    with serving() as yard:
        with connect(yard.address) as body:
            body.reset(3)
        with starved(yard.process.pid):
            check_moves_have_one_truthful_outcome(
                yard.address, tmp_path / "run", BACK_AND_FORTH, look_at_the_hero, tolerance=0.001
            )


def test_a_blow_hurts_nobody_and_a_storm_of_clicks_is_a_few_questions(yard: Yard) -> None:
    """Either button asks; the hero's health is what it was, and whoever clicks as fast as they can is heard now and then."""
    with connect(yard.address) as body, GameClient(yard.game_port, "fighter").join() as client:
        body.reset(3)
        client.wait_for(lambda: len(client.bodies) > 1)
        for _ in range(100):
            for each in [*client.bodies]:
                client.hit(each)
                client.click(each)
        client.read("hero: health")
        heard: list[GameEvent] = []
        eventually(lambda: _has_asked(body, heard))
        assert body.refresh().data["actor"]["damage_received"] == 0
        assert {tuple(event.data.values()) for event in heard if event.name == "asked"} == {("fighter", "hero")}
        assert len(heard) < 50


def test_a_client_of_the_game_sees_the_hero_move_and_clicks_it(yard: Yard) -> None:
    """A stock client joins, sees where the hero goes, and its click reaches both the bridge and its own chat."""
    node = shutil.which("node")
    if node is None or not CLIENT.is_dir():
        pytest.skip("NO CLIENT: nobody JOINS the Minestom server here; make minestom installs one (Node, npm)")
    witness = [node, str(ROOT / "bodies" / "minestom" / "client" / "witness.js"), str(yard.game_port)]
    environment = {**os.environ, "NODE_PATH": str(CLIENT)}
    with (
        connect(yard.address) as body,
        subprocess.Popen(witness, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as client,
    ):
        try:
            body.reset(3)
            assert client.stdin is not None
            hero = _wait_for(client, lambda seen: seen["saw"] == "spawn")["id"]
            moved = body.execute(Move((0.0, 2.0, 0.0)), deadline=5.0)
            assert moved.next_state is not None
            actor = moved.next_state.data["actor"]
            there = [actor["x"] / 1000, 40, actor["y"] / 1000]
            _wait_for(client, lambda seen: seen.get("id") == hero and _is_near(seen.get("at"), there))
            client.stdin.write(f"{hero}\n")
            client.stdin.flush()
            assert "hero: health" in _wait_for(client, lambda seen: seen["saw"] == "chat")["text"]
            heard: list[GameEvent] = []
            eventually(lambda: _has_asked(body, heard))
            assert [event.data for event in heard if event.name == "asked"] == [{"by": "witness", "about": "hero"}]
        finally:
            client.kill()


def _wait_for(client: subprocess.Popen[str], fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    assert client.stdout is not None
    for line in client.stdout:
        seen: dict[str, Any] = json.loads(line)
        assert seen["saw"] not in {"disconnect", "error"}, seen
        if fits(seen):
            return seen
    raise AssertionError("the client has ended")


def _has_asked(body: Bridge, heard: list[GameEvent]) -> bool:
    body.refresh()
    heard += [event for event in body.events() if isinstance(event, GameEvent)]
    return any(event.name == "asked" for event in heard)


def _is_near(place: list[float] | None, other: list[float]) -> bool:
    return place is not None and all(abs(a - b) < 0.01 for a, b in zip(place, other, strict=True))


# Finding Java and building, without either.


def fake_java(folder: Path, version: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!{sys.executable}\nimport sys\nsys.stderr.write('openjdk version \"{version}\" 2026')\n")
    java.chmod(0o755)
    return java


def test_java_is_taken_from_where_it_is_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JAVA_HOME, then PATH; what is too old is passed over."""
    old, new = fake_java(tmp_path / "old", "17.0.15"), fake_java(tmp_path / "new", "25.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(new.parent))
    assert minestom.find_java() == new
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "new"))
    monkeypatch.setenv("PATH", str(old.parent))
    assert minestom.find_java() == new


def test_without_java_the_error_says_what_was_found_and_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """An old Java is named with its version; the remedy is one exact line, with the licence of what it installs."""
    fake_java(tmp_path / "old", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(minestom, "find_spec", lambda _: None)
    with told.raises(MissingPart):
        minestom.find_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with told.raises(MissingPart):
        minestom.find_java()


def test_without_maven_or_where_it_fails_the_error_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """No Maven, and a Maven that cannot reach its repository, are each named; nothing half built is left to be found."""
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "new", "25.0.2").parents[1]))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with told.raises(MissingPart):
        minestom.build()
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text(f"#!{sys.executable}\nprint('[ERROR] no repository')\nraise SystemExit(1)\n")
    maven.chmod(0o755)
    with pytest.raises(MissingPart, match="no repository"):
        minestom.build()
    assert minestom.find_built() is None


def test_a_build_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for the first build is told that it is one, how much was fetched, and when it is done; the second time
    there is nothing to wait for."""
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "new", "25.0.2").parents[1]))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text(
        f"#!{sys.executable}\nfrom pathlib import Path\n"
        "for n in range(250): print(f'Downloaded from here: {n}.jar')\n"
        "print('[INFO] --- maven-compiler-plugin:3.11.0:compile (default-compile) ---')\n"
        f"Path('target/lib').mkdir(parents=True)\nPath('target/{minestom._JAR}').write_text('')\n"
    )
    maven.chmod(0o755)
    said: list[str] = []
    folder = minestom.build(said.append)
    assert minestom.find_built() == folder
    assert said == [
        "building the server, which takes a minute or two and is done once",
        "Maven has fetched 100 files",
        "Maven has fetched 200 files",
        "compiling",
        "the server is built",
    ]
    assert minestom.build(said.append) == folder
    assert len(said) == 5


def test_it_is_built_from_its_sources_and_the_executor_alone() -> None:
    """The build gets the pom, the server, the executor and the map; no test, no arena, no jar."""
    names = list(minestom.project_files())
    assert "minestom/pom.xml" in names
    assert "java/sdk/src/main/java/volition/executor/ExecutorServer.java" in names
    assert [name for name in names if name.startswith("java/arena/")] == [f"java/{minestom._COURTYARD}"]
    assert not [name for name in names if "/test/" in name or name.endswith(".jar")]

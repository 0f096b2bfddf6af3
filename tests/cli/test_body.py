"""`volition body`: bodies are served, and say what to do where they cannot start; they are copied whole, and the copy drives."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import run
from tests.processes import PATIENCE
from tests.sentences import lines_about
from volition.cli.exits import INVALID_INPUT, MISSING_PART
from volition.core.errors import MissingPart
from volition.execution import connect
from volition.execution.worlds import minestom

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told


@pytest.mark.parametrize("option", ["--port", "--game-port"])
def test_a_port_that_is_taken_is_named_before_anything_is_started(
    option: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Exit code 2, the port, and what to do; nothing is printed that a bridge would take for an address."""
    monkeypatch.setattr(minestom, "find_java", lambda: pytest.fail("Java was looked for"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, out, errors = run(capsys, "body", "minestom", "--game-port", "0", option, port)
    assert (code, out) == (INVALID_INPUT, "")
    assert port in errors
    told(errors)


def test_without_java_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Exit code 4 and one line to copy."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(minestom, "find_spec", lambda _: None)
    code, out, errors = run(capsys, "body", "minestom", "--game-port", "0")
    assert (code, out) == (MISSING_PART, "")
    told(errors)


@pytest.mark.parametrize("option", [["--probe"], ["--seed", "3"]])
def test_a_stage_has_no_seed_and_no_probe(option: list[str], capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """What only the yard has is refused before anything is started."""
    code, out, errors = run(capsys, "body", "minestom", "--stage", *option)
    assert (code, out) == (INVALID_INPUT, "")
    told(errors)


def test_it_serves_until_it_is_terminated() -> None:
    """The first line is an address that can be driven, with the token; SIGTERM is a clean end, for the bridge too."""
    try:
        minestom.find_java()
    except MissingPart:
        pytest.skip("NO JAVA 25: volition body minestom is NOT TESTED here; make minestom gets it")
    if minestom.find_built() is None:
        pytest.skip("NOT BUILT: volition body minestom is NOT TESTED here; make minestom builds it")
    command = [sys.executable, "-m", "volition.cli", "body", "minestom", "--game-port", "0", "--token", "sesame"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            with connect(process.stdout.readline().strip(), token="sesame", reconnect=False) as body:
                assert body.execute("LOOK", {"at": [1.0, 9.0]}, deadline=5.0).status == "SUCCESS"
                process.send_signal(signal.SIGTERM)
                _, errors = process.communicate(timeout=PATIENCE)
            assert (process.returncode, errors) == (0, "")
        finally:
            process.kill()


def test_a_copy_drives_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """The copy of a body is a package that runs by itself: it names a veto of the zone, and arrives."""
    pytest.importorskip("mujoco", reason="mujoco-core is not installed: the rover is NOT TESTED")
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "body", "copy", "mujoco", "my_robot")
    assert code == 0
    assert "rover.xml" in out
    done = subprocess.run(
        [sys.executable, "-m", "my_robot.drive"],
        cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    told(*lines_about(done.stdout, "vetoed"))
    assert done.stdout.splitlines()[-1].endswith(": there")


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder with something in it is refused, and stays as it is."""
    (tmp_path / "notes").write_text("mine")
    code, _, error = run(capsys, "body", "copy", "mujoco", str(tmp_path))
    assert code == 2
    assert str(tmp_path) in error
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_an_unknown_body_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is no body is refused with the names that there are, and no folder is made."""
    code, _, error = run(capsys, "body", "copy", "mujoko", str(tmp_path / "new"))
    assert code == 2
    assert "mujoco" in error
    assert not (tmp_path / "new").exists()

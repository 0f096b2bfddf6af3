"""`volition studio` as a person runs it: it prints its address, and ends on Ctrl-C."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.processes import PATIENCE
from volition.cli.main import main
from volition.cli.studio import studio
from volition.core.errors import InvalidInput, MissingPart
from volition.studio import server
from volition.studio.server import bind, check_settings, serve, token_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told

ROOT = Path(__file__).parents[2]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A studio in a separate process, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "volition.cli", "studio", "--port", "0", "--folder", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    yield process, line.split()[-1]
    process.kill()
    process.communicate()


def test_it_ends_on_ctrl_c(started: tuple[subprocess.Popen[str], str], told: Told) -> None:
    """The first page is there; Ctrl-C ends it with 0 and no traceback, even while somebody watches."""
    process, address = started
    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        assert client.get("/").status_code == 200
        id = client.post("/api/v1/play", json={"pace": 5.0}).json()["id"]
        with client.stream("GET", f"/api/v1/runs/{id}/live") as stream:
            lines = stream.iter_lines()
            assert next(lines)
            process.send_signal(signal.SIGINT)
            assert "event: end" in [line.strip() for line in lines]
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    told(out)
    assert "Traceback" not in err


def test_a_taken_port_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """A taken port is an error of the environment, with a remedy."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["studio", "--port", str(taken.getsockname()[1])]) == 4
    assert "another --port" in capsys.readouterr().err


@pytest.fixture
def without_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is wrong, nothing is served: a test that fails must not wait for a server to end."""
    monkeypatch.setattr(server, "make_server", None)


@pytest.mark.usefixtures("without_server")
def test_another_address_needs_a_token(capsys: pytest.CaptureFixture[str]) -> None:
    """Only loopback is served without a token, and a short token is refused."""
    assert main(["studio", "--host", "0.0.0.0", "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert "VOLITION_STUDIO_TOKEN" in said
    assert "--token-file" in said
    for host, token in (("0.0.0.0", None), ("192.168.1.2", None), ("::", None), ("example.org", None), ("0.0.0.0", "short"), ("127.0.0.1", "short"), ("0.0.0.0", "x" * 16 + ";")):  # fmt: skip
        with pytest.raises(InvalidInput):
            check_settings(Path(), host, token)
    for host, token in (("127.0.0.1", None), ("localhost", None), ("::1", None), ("0.0.0.0", "x" * 16)):
        check_settings(Path(), host, token)


def test_the_token_comes_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file takes precedence over the environment; an unreadable one is refused; no option takes a token."""
    monkeypatch.setenv("VOLITION_STUDIO_TOKEN", "from-the-environment")
    file = tmp_path / "token"
    file.write_text("from-a-file-0123\n", encoding="ascii")
    assert token_from(file) == "from-a-file-0123"
    assert token_from(None) == "from-the-environment"
    monkeypatch.setenv("VOLITION_STUDIO_TOKEN", "")
    assert token_from(None) is None
    (tmp_path / "bytes").write_bytes(b"\xff")
    for bad in (tmp_path / "none", tmp_path, tmp_path / "bytes"):
        with pytest.raises(InvalidInput):
            token_from(bad)
    assert not [option for option in studio.params if "--token" in option.opts]


@pytest.mark.usefixtures("without_server")
def test_a_browser_is_not_started_with_the_token(tmp_path: Path, told: Told) -> None:
    """The address with the token is printed, and never passed to a browser, whose command line everybody can read."""
    with told.raises(InvalidInput):
        serve(tmp_path, host="127.0.0.1", port=0, token="x" * 16, announce=print, open_browser=True)


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    """A folder that does not exist is refused before anything listens."""
    with pytest.raises(InvalidInput):
        check_settings(tmp_path / "none", "127.0.0.1", None)


def test_an_address_of_another_machine_cannot_be_had() -> None:
    """An address of another machine is an error of the environment."""
    for host in ("203.0.113.7", "no.such.host.invalid"):
        with pytest.raises(MissingPart):
            bind(host, 0)


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """Without the extra the command says what to install, and ends with 4."""
    real = util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name == "litestar" else real(name, *rest)

    monkeypatch.setattr("volition.core.extras.find_spec", without)
    with pytest.raises(MissingPart) as caught:
        studio.main(["--port", "0"], standalone_mode=False)
    assert caught.value.exit_code == 4
    told(caught.value.problems[0].remedy)

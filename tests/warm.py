"""Python that starts warm: one process imports the package and forks for every command line, so that a test of many lines
pays for the imports once. A line runs in a process of its own, with its own folder, environment, arguments and streams.

Run as a script, this file is that process; `warm()` starts it, and `program` makes an executable file that uses it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

IMPORTED = (
    "volition.arbitration", "volition.drama", "volition.governance", "volition.execution", "volition.workflow",
    "volition.cli.main", "volition.cli.flow", "volition.cli.govern", "volition.cli.team", "volition.cli.play",
    "volition.cli.show.workflow", "volition.workflow.verification", "volition.execution.connecting.connect",
    "volition.agents.mcp.server", "volition.agents.mcp.serving",
)  # fmt: skip
"""What nearly every line needs."""
PLAYED = "dinner-party"
"""The scenario of most lines that play one; reading it and the phrases, which are remembered, takes a fifth of a second."""
_CLIENT = """#!{python} -IS
import json, os, socket, sys
said = json.dumps({{"words": {words} + sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ),
    "executable": {executable!r}}}).encode()
with socket.socket(socket.AF_UNIX) as warm:
    warm.connect({place!r})
    socket.send_fds(warm, [len(said).to_bytes(4)], [0, 1, 2])
    warm.sendall(said)
    sys.exit(int(warm.recv(8) or 70))
"""


class Warm:
    """The warm process, by the address of its socket."""

    def __init__(self, place: str) -> None:
        self.place = place

    def program(self, file: Path, *words: str, executable: Path | None = None) -> None:
        """Make an executable file: Python with these words, and then those that it is called with. `executable` is the Python
        that a line finds itself run by, and names where it installs something that starts Python."""
        client = _CLIENT.format(
            python=sys.executable, words=list(words), place=self.place, executable=str(executable or sys.executable)
        )
        file.write_text(client, encoding="utf-8")
        file.chmod(0o755)

    def run(
        self, *words: str, cwd: Path | str, env: Mapping[str, str] = os.environ
    ) -> subprocess.CompletedProcess[bytes]:
        """Run Python with these words, as `subprocess.run` does."""
        said = json.dumps({"words": words, "folder": str(cwd), "environment": dict(env)}).encode()
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            Path(os.devnull).open("rb") as nothing,
            socket.socket(socket.AF_UNIX) as asked,
        ):
            asked.connect(self.place)
            socket.send_fds(asked, [len(said).to_bytes(4)], [file.fileno() for file in (nothing, out, err)])
            asked.sendall(said)
            code = int(asked.recv(8) or 70)
            printed = []
            for file in (out, err):
                file.seek(0)
                printed.append(file.read())
        return subprocess.CompletedProcess(words, code, *printed)


@cache
def begin() -> tuple[str, subprocess.Popen[bytes]]:
    """Start the warm process of this one, which ends with it, and do not wait until it is warm."""
    folder = tempfile.mkdtemp(prefix="warm-")
    place = f"{folder}/socket"
    process = subprocess.Popen(
        [sys.executable, "-P", __file__, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
    )
    atexit.register(_end, process, folder, os.getpid())
    return place, process


def _end(process: subprocess.Popen[bytes], folder: str, starter: int) -> None:
    """End the warm process if this process started it, and is not forked from the one that did."""
    if os.getpid() == starter:
        with process:
            process.kill()
        shutil.rmtree(folder, ignore_errors=True)


@cache
def warm() -> Warm:
    """The warm process of this one, and of those that are forked from it later."""
    place, process = begin()
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return Warm(place)


def serve(place: str) -> NoReturn:
    """Fork for every line that is asked for, until the process that started this one has ended."""
    for name in IMPORTED:
        importlib.import_module(name)
    importlib.import_module("volition.drama.world.scenario").scenario(PLAYED)
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen(64)
        os.write(1, b"ready\n")
        while select.select([listening, sys.stdin], [], [])[0] == [listening]:  # the other one is the end of its parent
            asked, _ = listening.accept()
            header, streams, _, _ = socket.recv_fds(asked, 4, 3)
            said = json.loads(_receive(asked, int.from_bytes(header)))
            if os.fork() == 0:
                listening.close()
                _become(said, streams, asked)
            asked.close()
            for stream in streams:
                os.close(stream)
            _reap()
    sys.exit()


def _reap() -> None:
    """Take the exit codes of lines that have ended, which have said them themselves."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _receive(asked: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        found += asked.recv(length - len(found))
    return found


def fork_line(words: Sequence[str], folder: str, environment: Mapping[str, str], streams: Sequence[int]) -> int:
    """Run Python with these words in a child of this process, which is warm itself; the number of the child."""
    for stream_of_text in (sys.stdout, sys.stderr):
        stream_of_text.flush()
    child = os.fork()
    if child == 0:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # as a started program: a pipe that it held open would never end
        ours, _kept = socket.socketpair()
        _become({"words": words, "folder": folder, "environment": environment}, (0, 1, 2), ours)
    return child


def _become(said: dict[str, Any], streams: Sequence[int], asked: socket.socket) -> NoReturn:
    """Be the line that is asked for, to the end of the process."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        if stream > 2:
            os.close(stream)
    os.chdir(said["folder"])
    os.environ.clear()
    os.environ.update(said["environment"])
    sys.executable = said.get("executable", sys.executable)
    code = 1
    try:
        _run_line(said["words"])
        code = 0
    except SystemExit as stop:
        if isinstance(stop.code, str):
            sys.stderr.write(f"{stop.code}\n")
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:  # noqa: BLE001  it is shown, as Python does
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]  # as Python ends: pools are told to end, and threads are waited for
    atexit._run_exitfuncs()
    for stream_of_text in (sys.stdout, sys.stderr):
        try:
            stream_of_text.flush()
        except OSError:
            code = code or 1
    asked.sendall(b"%d" % code)  # which may be a bool
    os._exit(code)


def _run_line(words: Sequence[str]) -> None:
    """What `python WORDS` does: a module after -m, a program after -c, or a script."""
    isolated = words[0] == "-I"
    words = words[isolated:]
    if words[0] == "-m":
        sys.argv = [words[1], *words[2:]]
        if not isolated:
            sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[0] == "-c":
        sys.argv = ["-c", *words[2:]]
        sys.path.insert(0, "")
        sys.modules["__main__"] = main = ModuleType("__main__")
        exec(compile(words[1], "<string>", "exec"), vars(main))
    else:
        sys.argv = list(words)
        sys.path.insert(0, str(Path(words[0]).resolve().parent))
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    serve(sys.argv[1])

"""Which program started this one: by the processes above it a commit of an agent is told from that of a person, and the
server of a client is matched with its hooks.

Linux shows processes in files. Elsewhere `ps` is asked, once; where there is none either, nothing is known, and the
environment has to tell.
"""

from __future__ import annotations

import os

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

_BETWEEN: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "timeout", "env", "python", "python3"})
"""What stands between a client and the hook that it runs."""
DEEPEST: Final = 64
PROCESSES: Final = "/proc"
"""Where Linux shows processes."""
_COLUMNS: Final = 8
_asked: Final[list[dict[int, tuple[ProcessAbove, int]]]] = []
"""What `ps` said, if it was asked: a hook is over before that changes."""


class ProcessAbove(LeanTuple):
    """A process above this one, the name of its program, and when it began: a number is used again, both together are
    not."""

    pid: int
    name: str
    began: str = ""

    @property
    def mark(self) -> str:
        """The process, told from every other one that has had its number."""
        return f"{self.pid}:{self.began}"


class ProcessLook(LeanTuple):
    """A process above this one, with what the system shows of it to its own user."""

    pid: int
    name: str
    words: tuple[str, ...]
    """Its command line."""
    environment: Mapping[str, str]
    """As it was when the program began."""
    folder: str


def processes_above() -> list[ProcessAbove]:
    """The processes above this one, the nearest first; empty where the system does not show them."""
    find = _find_in_files if os.path.exists(f"{PROCESSES}/self/stat") else _list_processes().get
    above: list[ProcessAbove] = []
    pid = os.getppid()
    while pid > 1 and len(above) < DEEPEST and (entry := find(pid)):
        above.append(entry[0])
        pid = entry[1]
    return above


def look_above() -> list[ProcessLook]:
    """The processes above this one, the nearest first, each with what can be seen of it."""
    return [
        ProcessLook(
            process.pid, process.name, _texts(process.pid, "cmdline"), _environment(process.pid), _folder(process.pid)
        )
        for process in processes_above()
    ]


def clients_above() -> list[ProcessAbove]:
    """The processes above this one from the client on, which asked for this hook or server; empty if that is not known."""
    above = processes_above()
    first = next(
        (n for n, process in enumerate(above) if process.name.rstrip("0123456789.") not in _BETWEEN), len(above)
    )
    return above[first:]


def client_process() -> int:
    """The process that asked for this hook; 0 if that is not known."""
    return next((process.pid for process in clients_above()), 0)


def _find_in_files(pid: int) -> tuple[ProcessAbove, int] | None:
    """A process and the number of the one above it, as Linux shows them."""
    try:
        with open(f"{PROCESSES}/{pid}/stat", "rb") as file:
            head, _, rest = file.read().rpartition(b")")
    except OSError:
        return None
    words = rest.split()
    return ProcessAbove(pid, head.partition(b"(")[2].decode(errors="replace"), words[19].decode()), int(words[1])


def _list_processes() -> dict[int, tuple[ProcessAbove, int]]:
    """All processes as `ps` lists them: number, number of the one above, five words of a date, and the program, which is
    named by its path, and a login shell with a dash."""
    if not _asked:
        import subprocess  # Linux does not need it

        try:
            listing = subprocess.run(
                ["ps", "-axo", "pid=,ppid=,lstart=,comm="], capture_output=True, text=True, check=False, timeout=3,
                errors="replace", env={**os.environ, "LC_ALL": "C"},
            ).stdout  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            listing = ""
        processes = {}
        for words in (line.split(None, _COLUMNS - 1) for line in listing.splitlines()):
            if len(words) == _COLUMNS and words[0].isdecimal() and words[1].isdecimal():
                name = os.path.basename(words[7]).lstrip("-")
                processes[int(words[0])] = (ProcessAbove(int(words[0]), name, " ".join(words[2:7])), int(words[1]))
        _asked.append(processes)
    return _asked[0]


def _texts(pid: int, what: str) -> tuple[str, ...]:
    try:
        with open(f"{PROCESSES}/{pid}/{what}", "rb") as file:
            return tuple(os.fsdecode(part) for part in file.read().split(b"\0") if part)
    except OSError:
        return ()


def _environment(pid: int) -> dict[str, str]:
    return {name: value for text in _texts(pid, "environ") for name, _, value in [text.partition("=")]}


def _folder(pid: int) -> str:
    try:
        return os.readlink(f"{PROCESSES}/{pid}/cwd")
    except OSError:
        return ""

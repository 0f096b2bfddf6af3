"""Which program started this one: by the processes above it a commit of an agent is told from that of a person.

Linux shows this in files; elsewhere `ps` is asked, once. Where there is neither, nothing is known, and the environment has
to tell.
"""

from __future__ import annotations

import os

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple

if TYPE_CHECKING:
    from typing import Final

_BETWEEN: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "timeout", "env", "python", "python3"})
"""What stands between a client and the hook that it runs."""
DEEPEST: Final = 64
PROCESSES: Final = "/proc"
_COLUMNS: Final = 3
_asked: Final[list[dict[int, tuple[int, str]]]] = []
"""What `ps` said, if it was asked: a hook is over before it changes."""


class ProcessAbove(LeanTuple):
    """A process above this one, and the name of its program."""

    pid: int
    name: str


def processes_above() -> list[ProcessAbove]:
    """The processes above this one, the nearest first; empty where the system does not show them."""
    find = _find_in_files if os.path.exists(f"{PROCESSES}/self/stat") else _ask_ps().get
    found: list[ProcessAbove] = []
    pid = os.getppid()
    while pid > 1 and len(found) < DEEPEST and (one := find(pid)):
        parent, name = one
        found.append(ProcessAbove(pid, name))
        pid = parent
    return found


def _find_in_files(pid: int) -> tuple[int, str] | None:
    """The parent of a process, and the name of its program."""
    try:
        with open(f"{PROCESSES}/{pid}/stat", "rb") as file:
            head, _, rest = file.read().rpartition(b")")
    except OSError:
        return None
    return int(rest.split()[1]), head.partition(b"(")[2].decode(errors="replace")


def _ask_ps() -> dict[int, tuple[int, str]]:
    """The parent and the program of every process; a program is named by its path, and a login shell with a dash."""
    if not _asked:
        import subprocess  # Linux needs none of this

        try:
            line = ["ps", "-axo", "pid=,ppid=,comm="]
            said = subprocess.run(line, capture_output=True, check=False, timeout=2, text=True, errors="replace").stdout
        except (OSError, subprocess.TimeoutExpired):
            said = ""
        rows = (row.split(None, 2) for row in said.splitlines())
        table = {int(row[0]): (int(row[1]), row[2]) for row in rows if len(row) == _COLUMNS and row[0].isdecimal()}
        _asked.append({pid: (above, os.path.basename(name).lstrip("-")) for pid, (above, name) in table.items()})
    return _asked[0]


def client_process() -> int:
    """The process that asked for this hook; 0 if that is not known."""
    above = processes_above()
    return next((one.pid for one in above if one.name.rstrip("0123456789.") not in _BETWEEN), 0)


def is_below(pid: int) -> bool:
    """Whether a process is above this one."""
    return pid > 0 and any(one.pid == pid for one in processes_above())

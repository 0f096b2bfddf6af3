"""Which program started this one: by the processes above it a commit of an agent is told from that of a person, and the
server of a client is matched with its hooks.

Linux shows processes in files. Elsewhere `ps` is asked; where there is none either, nothing is known, and the
environment has to tell.
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

_BETWEEN: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "timeout", "env", "python", "python3"})
"""What stands between a client and the hook that it runs."""
DEEPEST: Final = 64
FILES: Final = "/proc"
"""Where Linux shows processes."""


class ProcessAbove(NamedTuple):
    """A process above this one, the name of its program, and when it began: a number is used again, both together are
    not."""

    pid: int
    name: str
    began: str = ""

    @property
    def mark(self) -> str:
        """The process, told from every other one that has had its number."""
        return f"{self.pid}:{self.began}"


def processes_above() -> list[ProcessAbove]:
    """The processes above this one, the nearest first; empty where the system does not show them."""
    find = _find_in_files if os.path.exists(os.path.join(FILES, "self", "stat")) else _list_processes().get
    found: list[ProcessAbove] = []
    pid = os.getppid()
    while pid > 1 and len(found) < DEEPEST and (one := find(pid)):
        found.append(one[0])
        pid = one[1]
    return found


def clients_above() -> list[ProcessAbove]:
    """The processes above this one from the client on, which asked for this hook or server; empty if that is not known."""
    above = processes_above()
    first = next((n for n, one in enumerate(above) if one.name.rstrip("0123456789.") not in _BETWEEN), len(above))
    return above[first:]


def client_process() -> int:
    """The process that asked for this hook; 0 if that is not known."""
    return next((one.pid for one in clients_above()), 0)


def is_below(pid: int) -> bool:
    """Whether a process is above this one."""
    return pid > 0 and any(one.pid == pid for one in processes_above())


def _find_in_files(pid: int) -> tuple[ProcessAbove, int] | None:
    """A process and the number of the one above it, as Linux shows them."""
    try:
        with open(os.path.join(FILES, str(pid), "stat"), "rb") as file:
            head, _, rest = file.read().rpartition(b")")
    except OSError:
        return None
    words = rest.split()
    return ProcessAbove(pid, head.partition(b"(")[2].decode(errors="replace"), words[19].decode()), int(words[1])


def _list_processes() -> dict[int, tuple[ProcessAbove, int]]:
    """All processes as `ps` lists them: number, number of the one above, five words of a date, and the program."""
    import subprocess  # Linux does not need it

    try:
        done = subprocess.run(
            ["ps", "-axo", "pid=,ppid=,lstart=,comm="], capture_output=True, text=True, check=False, timeout=3,
            errors="replace", env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found = {}
    for words in (line.split(None, 7) for line in done.stdout.splitlines()):
        if len(words) == 8 and words[0].isdecimal() and words[1].isdecimal():
            name = os.path.basename(words[7]).lstrip("-")
            found[int(words[0])] = (ProcessAbove(int(words[0]), name, " ".join(words[2:7])), int(words[1]))
    return found

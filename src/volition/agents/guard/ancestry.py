"""Which program started this one: by the processes above it a commit of an agent is told from that of a person.

Only Linux shows this in files; elsewhere nothing is known, and the environment has to tell.
"""

from __future__ import annotations

import os

from volition.agents.guard.lean import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Final

_BETWEEN: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "timeout", "env", "python", "python3"})
"""What stands between a client and the hook that it runs."""
DEEPEST: Final = 64


class ProcessAbove(Record):
    """A process above this one, and the name of its program."""

    pid: int
    name: str


def processes_above() -> list[ProcessAbove]:
    """The processes above this one, the nearest first; empty where the system does not show them."""
    found: list[ProcessAbove] = []
    pid = os.getppid()
    while pid > 1 and len(found) < DEEPEST:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                head, _, rest = file.read().rpartition(b")")
        except OSError:
            break
        found.append(ProcessAbove(pid, head.partition(b"(")[2].decode(errors="replace")))
        pid = int(rest.split()[1])
    return found


def client_process() -> int:
    """The process that asked for this hook; 0 if that is not known."""
    above = processes_above()
    return next((one.pid for one in above if one.name.rstrip("0123456789.") not in _BETWEEN), 0)


def is_below(pid: int) -> bool:
    """Whether a process is above this one."""
    return pid > 0 and any(one.pid == pid for one in processes_above())

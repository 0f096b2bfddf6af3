"""Which program started this one: by the processes above it a commit of an agent is told from that of a person.

Only Linux shows this in files; elsewhere nothing is known, and the environment has to tell.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_BETWEEN: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "timeout", "env", "python", "python3"})
"""What stands between a client and the hook that it runs."""
DEEPEST: Final = 64


class ProcessAbove(NamedTuple):
    """A process above this one, and the name of its program."""

    pid: int
    name: str


class ProcessLook(NamedTuple):
    """A process above this one, with what the system shows of it to its own user."""

    pid: int
    name: str
    words: tuple[str, ...]
    """Its command line."""
    environment: Mapping[str, str]
    """As it was when the program began."""
    folder: str


def look_above() -> list[ProcessLook]:
    """The processes above this one, the nearest first, each with what can be seen of it."""
    return [
        ProcessLook(one.pid, one.name, _texts(one.pid, "cmdline"), _environment(one.pid), _folder(one.pid))
        for one in processes_above()
    ]


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


def _texts(pid: int, what: str) -> tuple[str, ...]:
    with suppress(OSError), open(f"/proc/{pid}/{what}", "rb") as file:
        return tuple(os.fsdecode(part) for part in file.read().split(b"\0") if part)
    return ()


def _environment(pid: int) -> dict[str, str]:
    return {name: value for text in _texts(pid, "environ") for name, _, value in [text.partition("=")]}


def _folder(pid: int) -> str:
    with suppress(OSError):
        return os.readlink(f"/proc/{pid}/cwd")
    return ""

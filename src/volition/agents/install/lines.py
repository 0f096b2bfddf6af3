"""The command lines that are installed: the hook, closed against everything that a client leaves open, and the server."""

from __future__ import annotations

import shlex
import shutil
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from volition.agents.guard.setting import GuardSetting

MARK: Final = "volition.agents.guard"
"""By this a hook is known as ours."""
_PROGRAM: Final = f"import sys; from {MARK}.hook import main; sys.exit(main(sys.argv[1:]))"
"""What the hook's process runs; `python -m` would take a third of a bare Python longer."""
CLOSED: Final = 'case $c in 0|2) exit $c;; esac; echo "volition: no verdict ($c), so no" >&2; exit 2'
"""Everything but 0 and 2 becomes 2, with a reason: no interpreter, a crash, a kill, a hang."""
PATIENCE: Final = 15
"""Seconds for one verdict; the guard gives up on itself before, and the client waits longer."""


def hook_line(setting: GuardSetting, client: str) -> str:
    """The command line of a client's hook."""
    return f"{_limit()}{guard_line(setting, client)}; c=$?; {CLOSED}"


def guard_line(setting: GuardSetting, client: str) -> str:
    """The command line of the guard itself."""
    return shlex.join([sys.executable, "-I", "-c", _PROGRAM, setting.home, client])


def server_words(setting: GuardSetting) -> tuple[str, list[str]]:
    """The program and the arguments by which a client starts the server of the registry."""
    words = ["-I", "-m", "volition.cli", "mcp", "--registry", setting.registry, "--project", setting.project]
    return sys.executable, [*words, "--guard", setting.home]


def is_ours(command: object) -> bool:
    """Whether a command in a client's settings is the guard."""
    return isinstance(command, str) and MARK in command


def _limit() -> str:
    """What ends a guard that hangs before it can give up on itself: macOS has no `timeout`, and Perl everywhere."""
    if shutil.which("timeout"):
        return f"timeout {PATIENCE} "
    return f"perl -e 'alarm shift; exec @ARGV' {PATIENCE} " if shutil.which("perl") else ""

"""Git, asked in a way that does not depend on who asks: no pager, no locks, no configuration from the environment.

`subprocess` is not used: importing it takes as long as git takes to answer.
"""

from __future__ import annotations

import os
import time

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple
from volition.agents.guard.setting import GuardFailure

if TYPE_CHECKING:
    from typing import Final

_UNSET: Final = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS",
    "GIT_EXTERNAL_DIFF", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE",
)  # fmt: skip

_STATUS: Final = (
    "status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--untracked-files=all", "--no-renames",
    "--ignore-submodules=none",
)  # fmt: skip
_PLAIN_SECTIONS: Final = frozenset(
    """
    advice author blame branch clean color column commit committer fetch format gc grep help i18n init log merge mergetool
    notes pack pull push rebase remote rerere safe sendemail stash status submodule tag user versionsort
    """.split()  # noqa: SIM905  a list of words reads best as words
)
"""Sections in which nothing names a program or a file that git would obey, but for the keys below."""
_PLAIN_KEYS: Final = frozenset(
    {"core.autocrlf", "core.eol", "core.quotepath", "core.abbrev", "core.whitespace", "core.filemode"}
)
_PROGRAM_KEYS: Final = (
    "cmd",
    "driver",
    "command",
    "program",
    "receivepack",
    "uploadpack",
    "vcs",
    "proxy",
    "update",
    "path",
)
"""The last words of keys that name a program, in whichever section."""
_KILL: Final = 9
"""SIGKILL, on every system that has signals."""


class GitProcess(LeanTuple):
    """A git that runs: its process, and where its answer and its complaint can be read."""

    pid: int
    out: int
    err: int


def start_git(
    folder: str, *arguments: str, keep: tuple[str, ...] = (), index: str = "", content: bytes = b""
) -> GitProcess:
    """Start git in a folder. `keep` names variables of git's own environment that a git hook needs; `index` is another
    index than the worktree's; `given` is what it reads."""
    if "GIT_QUARANTINE_PATH" in os.environ:  # a pre-receive hook: new objects are not among the others yet
        keep = (*keep, "GIT_OBJECT_DIRECTORY")
    environment = {name: value for name, value in os.environ.items() if name not in _UNSET or name in keep}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    environment |= {"GIT_INDEX_FILE": index} if index else {}
    line = ["git", "-c", "core.quotePath=off", "-c", "core.fsmonitor=false", "-C", folder, *arguments]
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    source = _file_with(content) if content else -1
    ends = [
        (os.POSIX_SPAWN_DUP2, source, 0) if content else (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, out_end, 1),
        (os.POSIX_SPAWN_DUP2, err_end, 2),
    ]
    try:
        pid = os.posix_spawnp("git", line, environment, file_actions=ends)
    except (OSError, ValueError) as error:
        os.close(out)
        os.close(err)
        raise GuardFailure(f"git cannot be run ({error}): install it") from None
    finally:
        os.close(out_end)
        os.close(err_end)
        if content:
            os.close(source)
    return GitProcess(pid, out, err)


def _file_with(content: bytes) -> int:
    """An open file with this content and no name; a pipe would be full after 64 KiB, and block."""
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        return os.dup(file.fileno())


def end_git(process: GitProcess) -> tuple[int, bytes, str]:
    """What git answered: its exit code, what it printed, and its complaint."""
    try:
        with os.fdopen(process.out, "rb") as out, os.fdopen(process.err, "rb") as err:
            printed, errors = out.read(), err.read()
    finally:
        _, status = os.waitpid(process.pid, 0)
    return os.waitstatus_to_exitcode(status), printed, errors.decode(errors="replace").strip()


def drop_git(process: GitProcess) -> None:
    """End a git whose answer is not needed."""
    os.kill(process.pid, _KILL)
    end_git(process)


def git(
    folder: str, *arguments: str, keep: tuple[str, ...] = (), index: str = "", fine: tuple[int, ...] = (0,)
) -> bytes:
    """What git prints; GuardFailure with its complaint if it fails."""
    code, out, err = end_git(start_git(folder, *arguments, keep=keep, index=index))
    if code not in fine:
        complaint = err.splitlines()[0] if err else f"exit code {code}"
        raise GuardFailure(f"git {arguments[0]} failed in {folder}: {complaint}")
    return out


def ask_git(folder: str, *arguments: str) -> str | None:
    """What git prints, as text without the end of its last line; None if it fails."""
    code, out, _ = end_git(start_git(folder, *arguments))
    return os.fsdecode(out.rstrip(b"\n")) if code == 0 else None


class StatusRequest:
    """A worktree, and a git that reads its status. `still` says that nothing can have appeared or vanished in it since the
    last look: then nothing is read until the status is wanted."""

    def __init__(self, tree: str, *, still: bool = False) -> None:
        self.tree, self.still, self.started = tree, still, time.time_ns()
        self._process: GitProcess | None = None if still else start_git(tree, *_STATUS)

    def read(self) -> bytes:
        """The status; once. GuardFailure if git fails."""
        process = self._take()
        if process is None:
            self.started = time.time_ns()
            process = start_git(self.tree, *_STATUS)
        code, status, err = end_git(process)
        if code:
            raise GuardFailure(f"git status failed in {self.tree}: {err.splitlines()[0] if err else code}")
        return status

    def drop(self) -> None:
        """Do without an answer that was not read."""
        if process := self._take():
            drop_git(process)

    def _take(self) -> GitProcess | None:
        taken, self._process = self._process, None
        return taken


def names_in(out: bytes) -> list[str]:
    """Names that git printed with a zero byte after each, as paths of this system."""
    return [os.fsdecode(name) for name in out.split(b"\0") if name]


def git_folder(tree: str) -> str:
    """The folder in which git keeps the index of a worktree."""
    place = os.path.join(tree, ".git")
    try:
        with open(place, encoding="utf-8", errors="surrogateescape") as file:
            return os.path.join(tree, file.read().partition("gitdir:")[2].strip())
    except OSError:
        return place


def settings_in(text: str) -> list[tuple[str, str]]:
    """The settings of a git configuration in order, by their whole names.

    >>> settings_in("[core]\\n\\tignoreCase = true\\n[remote \\"o\\"] url = x\\n")
    [('core.ignorecase', 'true'), ('remote.o.url', 'x')]
    """
    settings, section = [], ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            head, _, line = line[1:].partition("]")  # noqa: PLW2901  a setting may follow its section
            section = head.replace(' "', ".").replace('"', "").lower()
            line = line.strip()  # noqa: PLW2901
        key, _, value = line.partition("=")
        if key.strip() and not key.startswith(("#", ";")):
            settings.append((f"{section}.{key.strip().lower()}", value.strip()))
    return settings


def is_plain_setting(key: str) -> bool:
    """Whether a key of git's configuration leaves the checks as they are.

    >>> is_plain_setting("user.email"), is_plain_setting("core.hooksPath"), is_plain_setting("merge.x.driver")
    (True, False, False)
    """
    low = key.lower()
    section, last = low.partition(".")[0], low.rpartition(".")[2]
    return low in _PLAIN_KEYS or (section in _PLAIN_SECTIONS and last not in _PROGRAM_KEYS)


def ignores_case(common: str) -> bool:
    """Whether the file system of a repository takes names for the same that differ in case, as git found out."""
    values = [
        value for name, value in settings_in(text_of(os.path.join(common, "config"))) if name == "core.ignorecase"
    ]
    return bool(values) and values[-1].lower() in {"true", "yes", "on", "1", ""}


def text_of(place: str) -> str:
    """The text of a file; empty if it cannot be read."""
    try:
        with open(place, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""

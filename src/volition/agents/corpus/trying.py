"""A corpus, tried: every command goes through the hook that clients call, in normal and in strict mode, and what passes is
run if that is asked for, to see whether what it wrote is recorded.

The verdict that is found is in the words of the corpus. A command that is run in vain (its program is missing, or the
repository gives it nothing to do) wrote nothing, so there is nothing to record.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from volition.agents.guard.journal import read_journal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.agents.corpus.lines import CorpusLine, Wanted
    from volition.agents.corpus.scene import CorpusScene

PATIENCE: Final = 20.0
"""Seconds for which a command may run."""
Outcome: TypeAlias = Literal["not run", "recorded", "unnoticed", "wrote nothing"]


class TriedLine(Struct, frozen=True):
    """A line with the verdict that was found, the reason of a refusal, and what came of running it."""

    line: CorpusLine
    found: Wanted
    reason: str
    outcome: Outcome = "not run"

    @property
    def holds(self) -> bool:
        """Whether the guard is at least as lenient with a harmless command, and at least as strict with a write, as wanted."""
        ranks = ("pass", "mark", "refuse")
        wanted, found = (_RANK.get(word, word) for word in (self.line.wanted, self.found))
        if self.line.is_write:
            return self.outcome != "unnoticed" and ranks.index(found) >= ranks.index(wanted)
        return ranks.index(found) <= ranks.index(wanted)


_RANK: Final = {"notice": "pass", "doubt": "mark"}


def try_corpus(scene: CorpusScene, lines: Iterable[CorpusLine], *, run: bool = False) -> list[TriedLine]:
    """Try every line; with `run`, writes that pass are run in the scene. Judged alone, no command is run."""
    chosen = list(lines)
    with scene.enter():
        scene.set_back()
        before = _content(scene)
        normal = [scene.tell("PreToolUse", line.command) for line in chosen]
        scene.be_strict(strict=True)
        strict = [no or scene.tell("PreToolUse", line.command) for no, line in zip(normal, chosen, strict=True)]
        tried = [
            TriedLine(line, _verdict(line, one, other), one or other)
            for line, one, other in zip(chosen, normal, strict, strict=True)
        ]
        return [
            _run(scene, one, before) if run and one.line.is_write and one.found != "refuse" else one for one in tried
        ]


def _verdict(line: CorpusLine, normal: str, strict: str) -> Wanted:
    if normal:
        return "refuse"
    if strict:
        return "doubt" if line.is_write else "mark"
    return "notice" if line.is_write else "pass"


def _run(scene: CorpusScene, tried: TriedLine, before: dict[str, Any]) -> TriedLine:
    """Run a write between both events of its call, and look for what the guard recorded. `before` is the content of the scene
    whenever it is set back."""
    scene.set_back()
    known = sum(1 for _ in read_journal(scene.setting.home))
    scene.tell("PreToolUse", tried.line.command)
    _execute(scene, tried.line.command)
    wrote = _content(scene) != before
    objection = scene.tell("PostToolUse", tried.line.command)
    entries = [entry.data["what"] for entry in read_journal(scene.setting.home)][known:]
    if not wrote:
        return replace(tried, outcome="wrote nothing")
    seen = bool(objection) or "stray" in entries or "failure" in entries
    return replace(tried, outcome="recorded" if seen else "unnoticed", reason=objection or tried.reason)


def _execute(scene: CorpusScene, command: str) -> None:
    try:
        subprocess.run(
            ["bash", "-c", command], cwd=scene.repo, env=scene.environment, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return


def _content(scene: CorpusScene) -> dict[str, Any]:
    """Every file of the scene with its content, and the commit, the flags of the index and the settings of git."""
    content: dict[str, Any] = {}
    for folder, folders, names in os.walk(os.path.join(scene.folder, "scene")):
        folders[:] = [name for name in folders if name not in {"objects", "logs", "volition", "__pycache__", "tmpdir"}]
        inside = os.path.relpath(folder, os.path.join(scene.folder, "scene", "home"))
        for name in names:
            place = os.path.join(folder, name)
            if not inside.startswith("..") and name not in {"settings.json", "hooks.json", ".gitconfig"}:
                continue  # caches and settings of other programs at home
            if name in {"index", "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG"} or name.startswith("team.db"):
                continue
            if os.path.islink(place):
                content[place] = os.readlink(place)
            else:
                with open(place, "rb") as file:
                    content[place] = file.read(), os.stat(place).st_mode
    flags = subprocess.run(["git", "ls-files", "-v"], cwd=scene.repo, capture_output=True, check=False)
    return {**content, "": flags.stdout}

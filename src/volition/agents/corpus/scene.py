"""The scene in which a corpus is tried: a guarded repository, made in a scratch folder and set back before each run.

ann's session has a plan for mine.py, notes.md and src/own; bob's plan has theirs.py and src/theirs, and bob has a linked
worktree in ../bob. Everything else is in no plan. The session left two unplanned changes: strayed.py and junk.txt.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.agents.guard.hook import answer_event
from volition.agents.guard.sessions import Identity, bind_session
from volition.agents.guard.setting import FILE, GuardSetting, write_object

if TYPE_CHECKING:
    from collections.abc import Iterator

SESSION: Final = "scene-session"
_PROJECT: Final = "scene"
_IGNORED: Final = (
    "build/", "dist/", "target/", "bin/", "node_modules/", ".venv/", "__pycache__/", "*.pyc", "*.log", "*.egg-info/",
    "coverage.xml", "coverage.out", ".coverage", ".env", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/",
)  # fmt: skip
_WRITE_IT: Final = 'open("theirs.py", "w").write("written by a program")\n'
_COMMITTED: Final = {
    ".gitignore": "".join(f"{line}\n" for line in _IGNORED), "mine.py": "x = 1\n", "theirs.py": "x = 1\n",
    "notes.md": "notes\n", "free.py": "x = 1\n", "strayed.py": "x = 1\n", "README.md": "words\n",
    "requirements.txt": "", "package.json": '{"name": "scene", "scripts": {"test": "true", "build": "true"}}\n',
    "Makefile": "all test check:\n\t@true\nwrite:\n\t@echo x > theirs.py\n", "src/own/a.py": "x = 1\n",
    "src/own/a.c": "int main(void) { return 0; }\n", "src/own/a.json": "{}\n", "src/own/write.sed": "w theirs.py\n",
    "src/theirs/a.py": "x=1\n", "src/theirs/a.go": "package a\n", "src/theirs/a.ts": "\n", "src/theirs/a.rs": "\n",
    "src/theirs/a.c": "\n", "src/own/a.go": "package a\n",
}  # fmt: skip
_EARLIER: Final = "python3 earlier.py"
"""The call that left the unplanned changes. It begins once, before the scene is copied; they are made, and looked at, in each
copy, because a change is known by its time."""
_PATCH: Final = "--- a/theirs.py\n+++ b/theirs.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n"
_BUILT: Final = {
    "build/out.txt": "x\n", "build/write.sh": "echo x > theirs.py\n", "build/write.py": _WRITE_IT,
    "build/theirs.patch": _PATCH, "build/ed.txt": "a\ny\n.\nw\nq\n", "build/Makefile": "all:\n\t@echo x > theirs.py\n",
    "build/test_write.py": f"import unittest\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        {_WRITE_IT}",
    "test.log": "x\n", ".env": "A=1\n", "target/err.txt": "\n", "dist/old.tgz": "\n", "node_modules/a/index.js": "\n",
}  # fmt: skip


class CorpusScene(Struct, frozen=True):
    """A guarded repository in a scratch folder, and a copy of everything to set it back from."""

    folder: str
    setting: GuardSetting

    @property
    def repo(self) -> str:
        """Ann's worktree."""
        return os.path.join(self.folder, "scene", "repo")

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the session: another home, another folder for temporary files, nobody's git settings."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "VOLITION_"))}
        inside = {name: os.path.join(self.folder, "scene", name.lower()) for name in ("HOME", "TMPDIR")}
        return {**kept, **inside, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}

    @contextmanager
    def enter(self) -> Iterator[None]:
        """The guard runs in the environment of the client, which is that of the session."""
        before, inside = dict(os.environ), self.environment
        os.environ.clear()
        os.environ.update(inside)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

    def set_back(self) -> None:
        """Make the scene as it was made, with the unplanned changes of the session."""
        shutil.rmtree(os.path.join(self.folder, "scene"), onerror=_make_removable)
        shutil.copytree(os.path.join(self.folder, "kept"), os.path.join(self.folder, "scene"), symlinks=True)
        with self.enter():
            _write_files(self.repo, {"strayed.py": "x = 2\n", "junk.txt": "x\n"})
            self.tell("PostToolUse", _EARLIER)

    def be_strict(self, *, strict: bool) -> None:
        """Set the mode of the guard."""
        write_object(os.path.join(self.setting.home, FILE), self.setting._replace(strict=strict).to_data())

    def tell(self, name: str, command: str = "true") -> str:
        """The objection of the hook to an event of the session; empty if there is none."""
        answer = answer_event(self.setting.home, "claude", self.event(name, command))
        return answer.err if answer.code else ""

    def event(self, name: str, command: str) -> bytes:
        """An event as Claude Code sends it."""
        import json

        about = {"session_id": SESSION, "cwd": self.repo, "hook_event_name": name}
        return json.dumps({**about, "tool_name": "Bash", "tool_input": {"command": command}}).encode()


def make_scene(folder: str) -> CorpusScene:
    """Make the scene in an empty folder."""
    real = os.path.realpath(folder)
    place = os.path.join(real, "scene")
    repo = os.path.join(place, "repo")
    for name in ("repo", "home", "tmpdir"):
        os.makedirs(os.path.join(place, name))
    _git(repo, "init", "-q", "-b", "main", "--template=")  # no samples of hooks, which would be copied with every scene
    os.mkdir(os.path.join(repo, ".git", "info"))
    _write_files(repo, _COMMITTED)
    _commit(repo, "first")
    _git(repo, "checkout", "-q", "-b", "side")
    _write_files(repo, {"theirs.py": "x = 5\n"})
    _commit(repo, "side")
    _git(repo, "checkout", "-q", "main")
    _write_files(repo, {"theirs.py": "x = 0\n"})
    _commit(repo, "second")
    _write_files(repo, {"theirs.py": "x = 1\n"})
    _commit(repo, "third")
    _write_files(repo, {"theirs.py": "stashed\n"})
    _git(repo, "tag", "bobs", _git(repo, "stash", "create").strip())
    _git(repo, "checkout", "-q", "--", ".")
    _write_files(repo, _BUILT)
    os.chmod(os.path.join(repo, "build", "write.sh"), stat.S_IRWXU)
    _git(repo, "worktree", "add", "-q", "-b", "bob", "../bob")
    _pack(repo)
    _git(repo, "repack", "-a", "-d", "-q")
    scene = CorpusScene(real, _register(place))
    with scene.enter():
        scene.tell("SessionStart")
        scene.tell("PreToolUse", _EARLIER)
    shutil.copytree(place, os.path.join(real, "kept"), symlinks=True)
    return scene


def _register(place: str) -> GuardSetting:
    """Register both plans, and guard the repository."""
    import msgspec  # the registry is heavy, and only making a scene needs it

    from volition.governance import Plan
    from volition.workflow import Store, Team, parse_store_address
    from volition.workflow.team.guard_index import index_file, write_index

    registry = os.path.join(place, "team.db")
    with Store(parse_store_address(registry)) as store:
        team = Team(store, _PROJECT)
        for holder, files in (("ann", ["mine.py", "notes.md", "src/own"]), ("bob", ["theirs.py", "src/theirs"])):
            name = "of_ann" if holder == "ann" else "of_bob"
            plan = Plan(
                f"Plan of {holder}",
                id=f"intent_{name}",
                files=files,
                commands=["do_it: write: do it"],
                project=_PROJECT,
            )
            team.register(msgspec.json.encode(plan.intent), holder, lease=86400)
        write_index(store, _PROJECT)
        index = str(index_file(store.address))
    setting = GuardSetting(os.path.join(place, "repo", ".git", "volition"), registry, _PROJECT, index, strict=False)
    write_object(os.path.join(setting.home, FILE), setting.to_data())
    bind_session(setting, Identity(SESSION), ["intent_of_ann"], os.path.join(place, "repo"))
    return setting


def _pack(repo: str) -> None:
    """Archives and a mail that hold another theirs.py."""
    import tarfile
    import zipfile
    from io import BytesIO

    content = b"packed\n"
    with tarfile.open(os.path.join(repo, "build", "theirs.tar"), "w") as archive:
        entry = tarfile.TarInfo("theirs.py")
        entry.size = len(content)
        archive.addfile(entry, BytesIO(content))
    with zipfile.ZipFile(os.path.join(repo, "build", "theirs.zip"), "w") as zipped:
        zipped.writestr("theirs.py", content)


def _commit(repo: str, message: str) -> None:
    _git(repo, "add", "-A")
    _git(repo, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "commit", "-qm", message)


def _git(repo: str, *words: str) -> str:
    names = {f"GIT_{role}_{part}": "a@b" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**kept, **names, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *words], cwd=repo, env=environment, capture_output=True, text=True, check=True).stdout


def _write_files(repo: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        place = os.path.join(repo, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)


def _make_removable(remove: object, path: str, error: object) -> None:
    """A command may have taken away the right to remove what it made."""
    os.chmod(os.path.dirname(path), stat.S_IRWXU)
    if os.path.lexists(path):
        os.chmod(path, stat.S_IRWXU)
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

"""How well claims foresee which changes clash: by file, by lines and by part.

Every two changes of a task are compared. The truth is whether git can merge them, or what a file `truth.json` beside them
says. Recall is the share of clashing pairs whose claims meet, and false alarms are the share of the other pairs whose
claims meet. Every bar is a ratio between two ways to claim in the same run, over our own diffs in benchmarks/diffs; on
yours there are no bars.

    python benchmarks/cooperation.py
    python benchmarks/cooperation.py --diffs FOLDER

A task is a folder with diffs, `*.diff` or `*.patch`, and their files in `base`; or it has a folder for each change with a
`feature.patch` in it, as in CooperBench. Without `base`, the files are put together from the lines that the diffs show,
and the part of a hunk is the function that git names after @@.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from rows import Row, argument_parser, show

from volition.core.errors import VolitionError
from volition.governance.claims.algebra import meets
from volition.governance.outline.diffs import read_diff
from volition.governance.outline.touched import claim_on, lines_of, touched_by
from volition.governance.paths.names import clean_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from volition.governance.outline.diffs import FileChange, Hunk

OURS: Final = Path(__file__).with_name("diffs")
NEEDED: Final = ("tree_sitter", "tree_sitter_java", "tree_sitter_typescript")
FEATURE: Final = "feature.patch"
TRUTH: Final = "truth.json"
FALSE_ALARMS: Final = 0.5
"""How many times as many false alarms as claims by file claims by part may raise."""
RECALL: Final = 0.75
"""How many times the recall of claims by file claims by part must have."""
_DEFINED: Final = re.compile(
    r"^\s*(?:export\s+|default\s+|pub(?:\([^)]*\))?\s+|public\s+|private\s+|protected\s+|static\s+|abstract\s+|final\s+|async\s+)*"
    r"(?:class|def|func|fn|function|interface|struct|enum|trait|impl|module|type)\s+(?:\([^)]*\)\s*)?([\w$]+)"
)
_CALLED: Final = re.compile(r"([\w$]+)\s*\(")


@dataclass
class Task:
    """Changes of one base."""

    name: str
    base: Path | None
    diffs: dict[str, Path] = field(default_factory=dict)

    def truth(self) -> set[frozenset[str]] | None:
        """The clashing pairs, where a file names them."""
        folder = next(iter(self.diffs.values())).parent
        for place in (folder, folder.parent):
            if (place / TRUTH).is_file():
                return {frozenset(pair) for pair in json.loads((place / TRUTH).read_text(encoding="utf-8"))}
        return None


def tasks_in(folder: Path) -> list[Task]:
    """Every task in a folder, at any depth."""
    found: dict[Path, Task] = {}
    for file in sorted([*folder.rglob("*.diff"), *folder.rglob("*.patch")]):
        feature = file.name == FEATURE
        if not feature and [*file.parent.glob(FEATURE), *file.parent.glob(f"*/{FEATURE}")]:
            continue  # the tests of a feature, or all features together
        home = file.parent.parent if feature else file.parent
        base = home / "base"
        task = found.setdefault(home, Task(home.relative_to(folder).as_posix(), base if base.is_dir() else None))
        task.diffs[file.parent.name if feature else file.stem] = file
    return [task for task in found.values() if len(task.diffs) > 1]


class GitFailed(Exception):
    """Git could not do something; the text says what."""


def git(folder: Path, *arguments: str, given: bytes = b"", fine: tuple[int, ...] = (0,)) -> tuple[int, bytes]:
    """Run git without anybody's settings."""
    who = {
        f"GIT_{role}_{what}": "benchmark@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", *arguments],
        cwd=folder, input=given, capture_output=True, env={**os.environ, **who, **nobody}, check=False,
    )  # fmt: skip
    if done.returncode not in fine:
        raise GitFailed(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()[:200]}")
    return done.returncode, done.stdout.strip()


def clashes(task: Task, files: dict[str, bytes]) -> set[frozenset[str]]:
    """The pairs of changes that git cannot merge."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        git(folder, "init", "-q")
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        git(folder, "add", "-A", "-f")
        base = _commit(folder)
        commits = {}
        for name, diff in task.diffs.items():
            git(folder, "read-tree", base)
            git(folder, "apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", "-", given=diff.read_bytes())
            commits[name] = _commit(folder, "-p", base)
        pairs = list(combinations(commits, 2))
        asked = "".join(f"{commits[one]} {commits[other]}\n" for one, other in pairs).encode()
        answers = git(folder, "merge-tree", "--write-tree", "--stdin", "--name-only", "--no-messages", given=asked)[1]
        merged = [answer.startswith(b"1") for answer in answers.split(b"\0\0")[:-1]]
        return {frozenset(pair) for pair, is_clean in zip(pairs, merged, strict=True) if not is_clean}


def _commit(folder: Path, *parents: str) -> str:
    tree = git(folder, "write-tree")[1].decode()
    return git(folder, "commit-tree", tree, *parents, "-m", "a change")[1].decode()


def shown_files(changes: Iterable[FileChange]) -> dict[str, bytes]:
    """The files of a base as far as diffs show them; a line that none shows is like no other."""
    lines: dict[str, dict[int, bytes]] = {}
    for change in changes:
        if change.old is None:
            continue
        known = lines.setdefault(change.old, {})
        for hunk in change.hunks:
            for number, line in enumerate(hunk.side("+"), hunk.old_first):
                if known.setdefault(number, line) != line:
                    raise GitFailed(f"the diffs have different bases: {change.old}, line {number}")
    return {
        path: b"".join(known.get(n, b"(unknown line %d)\n" % n) for n in range(1, max(known, default=1) + 1))
        for path, known in lines.items()
    }


def by_file(changes: Iterable[FileChange]) -> Iterator[str]:
    for change in changes:
        yield from (path for path in (change.old, change.new) if path)


def by_lines(changes: Iterable[FileChange]) -> Iterator[str]:
    for change in changes:
        if change.old == change.new and change.hunks:
            yield from (lines_of(change.path, *block.span()) for block in change.blocks())
        else:
            yield from by_file([change])


def by_part(changes: Iterable[FileChange], files: dict[str, bytes]) -> Iterator[str]:
    """The parts that a change touches, from the whole texts of its files."""

    def texts(change: FileChange) -> tuple[bytes, bytes] | None:
        old = files.get(change.path)
        new = None if old is None else change.apply(old)
        return None if old is None or new is None else (old, new)

    touched = touched_by(changes, texts)
    yield from (*touched.files, *touched.removes, *(path for pair in touched.renames.items() for path in pair))


def by_header(changes: Iterable[FileChange]) -> Iterator[str]:
    """The parts that hunks name: git's line after @@, or the last definition above a changed line in the hunk itself."""
    for change in changes:
        if change.old == change.new and change.hunks:
            for hunk in change.hunks:
                yield from (claim_on(change.path, name) for name in dict.fromkeys(_named(hunk)) if name)
                if not all(_named(hunk)):
                    yield from (lines_of(change.path, *block.span()) for block in hunk.blocks())
        else:
            yield from by_file([change])


def _named(hunk: Hunk) -> list[str]:
    """The names that the changed lines of a hunk lie in, as far as it shows; empty where it shows none."""
    called = _DEFINED.match(hunk.section) or _CALLED.search(hunk.section)
    name, found = called[1] if called else "", []
    for sign, line in hunk.lines:
        if defined := _DEFINED.match(line.decode(errors="replace")):
            name = defined[1]
        if sign != " " and line.strip():
            found.append(name)
    return found


@dataclass
class Tally:
    """What came of all pairs: how many clash, and of which the claims meet."""

    clashing: int = 0
    apart: int = 0
    caught: dict[str, int] = field(default_factory=dict)
    alarms: dict[str, int] = field(default_factory=dict)
    skipped: int = 0

    def add(self, task: Task) -> None:
        changes = {name: read_diff(file.read_bytes()) for name, file in task.diffs.items()}
        files = _base_files(task, changes)
        truth = task.truth()
        if truth is None:
            truth = clashes(task, files)
        ways: dict[str, Callable[[list[FileChange]], Iterable[str]]] = {
            "file": by_file,
            "lines": by_lines,
            "part": (lambda some: by_part(some, files)) if task.base else by_header,
        }
        for way, claims in ways.items():
            places = {name: [clean_path(claim) for claim in claims(some)] for name, some in changes.items()}
            for one, other in combinations(places, 2):
                met = any(meets(here, there) for here in places[one] for there in places[other])
                counted = self.caught if frozenset((one, other)) in truth else self.alarms
                counted[way] = counted.get(way, 0) + met
        pairs = list(combinations(changes, 2))
        clashing = sum(frozenset(pair) in truth for pair in pairs)
        self.clashing += clashing
        self.apart += len(pairs) - clashing

    def rows(self, *, bars: bool) -> Iterator[Row]:
        yield Row("pairs of changes", self.clashing + self.apart, "pairs")
        yield Row("pairs that clash", self.clashing, "pairs")
        if self.skipped:
            yield Row("tasks that could not be used", self.skipped, "tasks")
        for name, counts, whole in (("recall", self.caught, self.clashing), ("false alarms", self.alarms, self.apart)):
            for way, count in counts.items():
                yield Row(f"{name}, by {way}", round(count / max(1, whole), 3), f"of {whole}")
        yield from self._beside("recall", self.caught, f">= {RECALL}" if bars else None)
        yield from self._beside("false alarms", self.alarms, f"<= {FALSE_ALARMS}" if bars else None)

    @staticmethod
    def _beside(name: str, counts: dict[str, int], bar: str | None) -> Iterator[Row]:
        if counts.get("file"):
            times = counts["part"] / counts["file"]
            holds = None if bar is None else times >= RECALL if bar[0] == ">" else times <= FALSE_ALARMS
            yield Row(f"{name}, by part / by file", round(times, 3), "times", bar, holds)


def _base_files(task: Task, changes: dict[str, list[FileChange]]) -> dict[str, bytes]:
    if task.base is None:
        return shown_files(change for some in changes.values() for change in some)
    base = task.base
    return {file.relative_to(base).as_posix(): file.read_bytes() for file in sorted(base.rglob("*")) if file.is_file()}


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--diffs", type=Path, default=OURS, metavar="FOLDER", help="tasks to compare instead of ours")
    given = parser.parse_args()
    tally = Tally()
    for task in tasks_in(given.diffs):
        try:
            tally.add(task)
        except (GitFailed, VolitionError) as error:
            tally.skipped += 1
            print(f"{task.name}: not used: {str(error).splitlines()[0]}", file=sys.stderr)
    if not tally.clashing + tally.apart:
        print(f"error: {given.diffs} has no two diffs of one task that can be compared", file=sys.stderr)
        return 2
    complete = all(find_spec(module) for module in NEEDED)
    if not complete:
        print("files in TypeScript and Java are claimed whole, without bars: pip install '.[outline]'", file=sys.stderr)
    return show("Cooperation", tally.rows(bars=complete and given.diffs == OURS), as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())

"""The README as data: its chapters, what they tell a reader to run, and what they say it prints."""

from __future__ import annotations

import os
import re
import subprocess
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.processes import PATIENCE
from tests.warm import warm

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_ELIDED = "...\n"


class Step(NamedTuple):
    """Something to run, Python or a command line, and what it prints; None if the README does not show it."""

    kind: str
    text: str
    shown: str | None


def chapters(text: str) -> dict[str, str]:
    """The text under each heading of the second level; the text before the first is under ''."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def steps(chapter: str) -> list[Step]:
    """What a chapter tells a reader to run, in order.

    Python is followed by a block of text, its output. Of a block of command lines either all say what they print, or it
    is a list of further ones, each with a comment.
    """
    return [step for block, after in _blocks(chapter) for step in _steps(*block, after)]


def _blocks(chapter: str) -> Iterator[tuple[tuple[str, str], str]]:
    found = list(_BLOCK.finditer(chapter))
    for match, following in zip_longest(found, found[1:]):
        adjacent = following is not None and not chapter[match.end() : following.start()].strip()
        after = following[2] if following is not None and following[1] == "text" and adjacent else ""
        yield (match[1], match[2]), after


def _steps(kind: str, text: str, after: str) -> list[Step]:
    if kind == "python":
        return [Step(kind, text, after)]
    if kind != "console":
        return []
    typed = _COMMAND.findall(text)
    listed = not any(printed for _, printed in typed)
    return [Step(kind, line, None if listed else printed) for line, printed in typed]


def readers_folder(folder: Path) -> Path:
    """A folder in which a shell finds `volition`."""
    (folder / "bin").mkdir()
    warm().program(folder / "bin" / "volition", "-m", "volition.cli")
    return folder


def run_step(step: Step, folder: Path) -> tuple[int, str]:
    """Run a step exactly as it is written, in a reader's folder: its exit code and what it printed."""
    path = os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8"}
    if step.kind == "python":
        printed = warm().run("-c", step.text, cwd=folder, env=environment)
        assert printed.stderr == b"", printed.stderr.decode()
        return printed.returncode, printed.stdout.decode()
    done = subprocess.run(
        ["/bin/sh", "-c", step.text],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.stderr == "", done.stderr
    return done.returncode, done.stdout


def fits(shown: str, printed: str) -> bool:
    """Whether the printed text is the one shown; a line `...` stands for one or more lines.

    >>> fits("one\\n...\\nfour\\n", "one\\ntwo\\nthree\\nfour\\n"), fits("one\\n...\\ntwo\\n", "one\\ntwo\\n")
    (True, False)
    """
    lines = shown.splitlines(keepends=True)
    pattern = "".join("(?:.*\n)+?" if line == _ELIDED else re.escape(line) for line in lines)
    return re.fullmatch(pattern, printed) is not None


def misprints(shown: str) -> Iterator[str]:
    """The same text with one digit changed, or one letter where it has no digit; each of them once."""
    places = [*re.finditer(r"\d", shown)] or [*re.finditer(r"[a-z]", shown)]
    for place in places:
        other = str((int(place[0]) + 1) % 10) if place[0].isdigit() else place[0].upper()
        yield shown[: place.start()] + other + shown[place.end() :]


def anchors(page: str) -> set[str]:
    """What a link into a page may name: its headings, as they are written in addresses."""
    headings = re.findall(r"^#+ (.+)$", _BLOCK.sub("", page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

"""The pages that a newcomer types from top to bottom. Run as a script, this file stores again what their steps print."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.keys import use_test_key
from tests.readme import ROOT, Step, fits, readers_folder, run_step, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = ROOT / "docs"
TYPED = [
    DOCS / "start.md",
    DOCS / "stage-in-world.md",
    *(DOCS / "tutorials" / f"{name}.md" for name in ("characters", "plans", "bodies")),
]
"""The tutorial of coding agents needs git and two clients: tests/agents/test_tutorial.py types it."""


def typed(page: str, folder: Path) -> Iterator[tuple[Step, int, str]]:
    """Every step of a page in order, in one folder: the step, its exit code and what it printed."""
    place = readers_folder(folder)
    for step in steps(page):
        yield step, *run_step(step, place)


def refreshed(page: str, folder: Path) -> str:
    """The page with what its steps print now, wherever that does not fit what it shows."""
    for step, _, printed in typed(page, folder):
        if step.shown is None or (step.shown and fits(step.shown, printed)):
            continue
        if step.kind == "python":
            page = page.replace(
                f"{step.text}```\n\n```text\n{step.shown}```", f"{step.text}```\n\n```text\n{printed}```"
            )
        else:
            page = page.replace(f"$ {step.text}\n{step.shown}", f"$ {step.text}\n{printed}")
    return page


if __name__ == "__main__":
    use_test_key()
    for file in TYPED:
        with tempfile.TemporaryDirectory() as name:
            file.write_text(refreshed(file.read_text(encoding="utf-8"), Path(name)), encoding="utf-8")

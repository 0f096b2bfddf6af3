"""The pages of the site as Sphinx reads them: those of docs, what they link to elsewhere in the repository, and those that
are made from the code.

A link out of docs leads to a page of the site too: an example and its output are one page, and other files lie under
`files` with the path that they have in the repository.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from docs.sphinx.commands import commands_page
from docs.sphinx.faces import FACES, face_page, faces_page
from docs.sphinx.navigation import Entry, Section, sections, toctrees
from docs.sphinx.schemas import schemas_page

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"(\]\()((?![a-z]+:|#)[^)#\s]+)((?:#[^)\s]+)?\))")
_EXAMPLE = re.compile(r"examples/(?:output/)?(\d\d_\w+)\.(py|txt)")


def stage(folder: Path) -> None:
    """Write everything that the site is made of into an empty folder."""
    waiting = [path.relative_to(ROOT) for path in sorted((ROOT / "docs").rglob("*.md"))]
    written = set(waiting)
    for place, text in made_pages():
        _write(folder / place, text)
    while waiting:
        source = waiting.pop()
        source_text = (ROOT / source).read_text(encoding="utf-8")
        text = staged_text(source_text, source.as_posix())
        _write(
            folder / staged_path(source.as_posix()),
            text if source.parts[0] == "docs" else f"---\norphan: true\n---\n{text}",
        )
        for linked in linked_files(source_text, source.as_posix()):
            target = Path(linked)
            if target in written or not (ROOT / target).is_file() or _EXAMPLE.fullmatch(linked):
                continue
            written.add(target)
            if target.suffix == ".md":
                waiting.append(target)
            else:
                copy = folder / staged_path(linked)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / target, copy)


def made_pages() -> Iterator[tuple[str, str]]:
    """The pages that no file has: their places, and their texts."""
    yield "reference/commands.md", commands_page()
    yield "reference/python.md", faces_page()
    for face in FACES:
        yield f"reference/{face}.md", face_page(face)
    yield "reference/schemas.md", schemas_page()
    examples = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))
    yield "examples/index.md", _examples_page(examples)
    for example in examples:
        yield f"examples/{example.stem}.md", _example_page(example)


MADE = (
    Entry("Commands", "reference/commands.md"),
    Entry("Python", "reference/python.md"),
    Entry("Schemas", "reference/schemas.md"),
    Entry("Examples", "examples/index.md"),
    Entry("Changelog", "files/CHANGELOG.md"),
)
"""What the site adds to the section `Reference`."""


def navigation_of(index: str) -> list[Section]:
    """The navigation of the site: that of docs/index.md, with the pages that are made for it."""
    return [
        section._replace(entries=section.entries + MADE) if section.title == "Reference" else section
        for section in sections(index)
    ]


def staged_path(source: str) -> str:
    """Where a file of the repository is in the site.

    >>> staged_path("docs/why.md"), staged_path("examples/output/12_evening.txt"), staged_path("java/README.md")
    ('why.md', 'examples/12_evening.md', 'files/java/README.md')
    """
    if example := _EXAMPLE.fullmatch(source):
        return f"examples/{example[1]}.md"
    return source.removeprefix("docs/") if source.startswith("docs/") else f"files/{source}"


def staged_text(text: str, source: str) -> str:
    """A page with its links as they are in the site."""
    here = PurePosixPath(staged_path(source)).parent

    def renamed(link: re.Match[str]) -> str:
        target = resolve(link[2], source)
        anchor = "#output)" if target.endswith(".txt") and _EXAMPLE.fullmatch(target) else link[3]
        return f"{link[1]}{os.path.relpath(staged_path(target), here)}{anchor}"

    changed = "".join(
        part if part.startswith("```") else _LINK.sub(renamed, part)
        for part in re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    )
    return f"{changed}\n{toctrees(navigation_of(text))}" if source == "docs/index.md" else changed


def linked_files(text: str, source: str) -> Iterator[str]:
    """The files of the repository that a page links to."""
    if source == "docs/index.md":
        yield "CHANGELOG.md"
    for link in _LINK.finditer(text):
        yield resolve(link[2], source)


def resolve(link: str, source: str) -> str:
    """The file that a link in a page leads to, seen from the root of the repository."""
    return os.path.normpath(PurePosixPath(source).parent / link)


def _example_page(example: Path) -> str:
    code = example.read_text(encoding="utf-8")
    output = (example.parent / "output" / f"{example.stem}.txt").read_text(encoding="utf-8")
    title = example.stem.replace("_", " ")
    return (
        f"# {title}\n\n`{example.relative_to(ROOT)}`\n\n{_fence(code, 'python')}\n## Output\n\n{_fence(output, 'text')}"
    )


def _examples_page(examples: list[Path]) -> str:
    names = "\n".join(example.stem for example in examples)
    intro = "Each shows one idea, is run by the tests, and is shown with its output."
    return f"# Examples\n\n{intro}\n\n```{{toctree}}\n{names}\n```\n"


def _fence(text: str, kind: str) -> str:
    return f"````{kind}\n{text.rstrip()}\n````\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")

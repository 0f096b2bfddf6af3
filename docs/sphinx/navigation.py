"""The navigation of the documentation: docs/index.md is its table of contents, for readers and for the site alike.

Every heading of the second level is a section, and every item of its list begins with a link to a page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECTION = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
_ITEM = re.compile(r"^- \[([^\]]+)\]\(([^)#]+\.md)\)", re.MULTILINE)


class Entry(NamedTuple):
    """A page in the navigation: what it is called there, and its file, seen from docs."""

    label: str
    file: str


class Section(NamedTuple):
    """A part of the navigation."""

    title: str
    entries: tuple[Entry, ...]


def sections(index: str) -> list[Section]:
    """The sections that the text of docs/index.md lists, in order.

    >>> sections("# Docs\\n\\n## How-to\\n\\n- [Play](playing.md): be a guest.\\n")
    [Section(title='How-to', entries=(Entry(label='Play', file='playing.md'),))]
    """
    return [
        Section(title, tuple(Entry(*found) for found in _ITEM.findall(text))) for title, text in _SECTION.findall(index)
    ]


def toctrees(navigation: list[Section]) -> str:
    """The sections as Sphinx reads them: hidden lists of pages, each under its title."""
    return "\n".join(_toctree(section) for section in navigation)


def _toctree(section: Section) -> str:
    lines = [f"{entry.label} <{entry.file.removesuffix('.md')}>" for entry in section.entries]
    return "\n".join(["```{toctree}", ":hidden:", ":titlesonly:", f":caption: {section.title}", "", *lines, "```", ""])


def files(navigation: list[Section]) -> Iterator[str]:
    """The file of every entry."""
    return (entry.file for section in navigation for entry in section.entries)

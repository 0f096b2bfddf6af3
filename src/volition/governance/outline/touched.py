"""Which parts a change really touches, as claims: `path`, `path#Qualified.name`, or `path#L10-L40`.

A part is touched if its own text differs before and after: its lines that are in no part inside it, without blank ones.
So a change in a method touches the method and not its class, and a function that another one was put beside is not
touched. What lies outside of every part, such as imports, is claimed by its lines in the old file. If parts only changed
places, those are touched whose lines the diff has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct

from volition.core.errors import VolitionError
from volition.governance.outline.languages import outline_of
from volition.governance.outline.parts import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from volition.governance.outline.diffs import Block, FileChange

    Owners = list[tuple[str, ...]]
    Texts = Callable[[FileChange], tuple[bytes, bytes] | None]
    """The old and the new text of a file that changed; None if they are not known."""


@dataclass(slots=True)
class Touched:
    """What a change touches, as claims, each once and in the order of the diff."""

    files: list[str] = field(default_factory=list)
    """Files, parts and lines that are written."""
    removes: list[str] = field(default_factory=list)
    """Files and parts that are gone afterwards."""
    renames: dict[str, str] = field(default_factory=dict)
    """Files that have another name afterwards: old -> new."""
    whole: dict[str, str] = field(default_factory=dict)
    """The changed files whose parts cannot be told, which are claimed whole, and why."""


class TouchedParts(Struct, frozen=True):
    """What a change touches in one file: names of parts that are written or gone, and lines outside of every part."""

    names: tuple[str, ...]
    gone: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]

    def claims(self, path: str) -> list[str]:
        """The claims on what is written."""
        return [*(claim_on(path, name) for name in self.names), *(lines_of(path, *span) for span in self.lines)]


def claim_on(path: str, name: str) -> str:
    """The claim on a part of a file."""
    return f"{path}#{name}"


def lines_of(path: str, first: int, last: int) -> str:
    """The claim on some lines of a file."""
    return f"{path}#L{first}-L{last}"


def touched_by(changes: Iterable[FileChange], texts: Texts) -> Touched:
    """What a change touches in all files. A file that was added, or whose parts cannot be told, is claimed whole."""
    touched = Touched()
    for change in changes:
        if change.old is None or change.new is None:
            (touched.files if change.old is None else touched.removes).append(change.path)
        elif change.old != change.new:
            touched.renames[change.old] = change.new
        else:
            _add_file(touched, change, texts)
    # A file whose type changes is removed and added in one diff: it is written.
    back = set(touched.removes) & set(touched.files)
    touched.removes = list(dict.fromkeys(path for path in touched.removes if path not in back))
    touched.files = list(dict.fromkeys(touched.files))
    return touched


def _add_file(touched: Touched, change: FileChange, texts: Texts) -> None:
    path = change.path
    texts_of = texts(change) if change.hunks and not change.special else None
    if texts_of is None:
        touched.whole[path] = "its text is not known" if change.hunks else "it is no text, or only its mode changed"
        touched.files.append(path)
        return
    try:
        parts = touched_parts(change, *texts_of)
    except VolitionError as error:
        touched.whole[path] = error.problems[0].what
        touched.files.append(path)
        return
    touched.files += parts.claims(path)
    touched.removes += [claim_on(path, name) for name in parts.gone]


def touched_parts(change: FileChange, old: bytes, new: bytes) -> TouchedParts:
    """What a change touches in one file, from its text before and after; raises what `outline_of` raises.

    A name that is touched covers the parts inside it, which are then not listed.
    """
    before, after = _OwnedText(change.path, old), _OwnedText(change.path, new)
    names = dict.fromkeys([*after.texts, *before.texts])
    differ = {name for name in names if before.texts.get(name) != after.texts.get(name)}
    written = [name for name in names if name in differ and name in after.texts and name]
    gone = [name for name in names if name in differ and name not in after.texts and name]
    moved = before.layout(differ) != after.layout(differ)
    blocks = list(change.blocks())
    lines = [span for block in blocks for span in before.outside(block, after)] if "" in differ else []
    if "" in differ and not lines:
        lines = [block.span() for block in blocks]
    for block in blocks:
        if moved or not any(line.strip() for line in (*block.old, *block.new)):
            written += [name for name in before.owners_in(block, after) if name in after.texts and name]
            lines += before.outside(block, after)
    if blocks and not (written or gone or lines):
        lines = [block.span() for block in blocks]
    return TouchedParts(_outermost(written), _outermost(gone), _merge_spans(lines))


class _OwnedText:
    """A text with the parts that its lines belong to; what belongs to none has the name ''."""

    def __init__(self, path: str, content: bytes) -> None:
        self.lines = split_lines(content)
        self.owners = [names or ("",) for names in outline_of(path, content).owners(len(self.lines))]
        self.texts: dict[str, list[bytes]] = {}
        """The lines of each part, without those of the parts inside it and without blank ones."""
        for line, names in zip(self.lines, self.owners, strict=True):
            for name in names:
                text = self.texts.setdefault(name, [])
                if line.strip():
                    text.append(line)
        if not self.texts.get(""):
            self.texts.pop("", None)  # blank lines between parts say nothing

    def layout(self, without: Container[str]) -> list[str]:
        """The parts in the order of their lines, without some of them."""
        in_order = (
            name
            for line, names in zip(self.lines, self.owners, strict=True)
            if line.strip()
            for name in names
            if name not in without
        )
        return [name for name, _ in groupby(in_order)]

    def owners_in(self, block: Block, after: _OwnedText) -> dict[str, None]:
        """The parts that a block has lines of, before or after."""
        old = _rows(block.old_first, block.old, self)
        return dict.fromkeys([name for _, names in (*old, *_rows(block.new_first, block.new, after)) for name in names])

    def outside(self, block: Block, after: _OwnedText) -> list[tuple[int, int]]:
        """The old lines of a block outside of every part; those on either side where such lines are only added."""
        rows = [row for row, names in _rows(block.old_first, block.old, self) if "" in names]
        if rows:
            apart = groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0])
            runs = ([row for _, row in run] for _, run in apart)
            return [(run[0] + 1, run[-1] + 1) for run in runs]
        return [block.span()] if any("" in names for _, names in _rows(block.new_first, block.new, after)) else []


def _rows(first: int, lines: tuple[bytes, ...], text: _OwnedText) -> list[tuple[int, tuple[str, ...]]]:
    """The places of a block's lines in a text, with their owners; blank lines count only if there are no others."""
    rows = range(first - 1, first - 1 + len(lines))
    full = [row for row, line in zip(rows, lines, strict=True) if line.strip()]
    return [(row, text.owners[row]) for row in full or rows]


def _outermost(names: Iterable[str]) -> tuple[str, ...]:
    """Names, each once and in order, without those that lie in another of them.

    >>> _outermost(["Cart.add", "price", "Cart", "Cart.add", "Carton"])
    ('price', 'Cart', 'Carton')
    """
    outermost = dict.fromkeys(names)
    return tuple(name for name in outermost if not any(outer in outermost for outer in _outer_names(name)))


def _outer_names(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _merge_spans(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans of lines in order, with those made one that overlap or follow each other.

    >>> _merge_spans([(7, 8), (1, 2), (3, 3)])
    ((1, 3), (7, 8))
    """
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)

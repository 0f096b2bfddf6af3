"""Contract conflicts: one line of work removes or renames a part that another one uses, and git merges both without a word.

What is gone is read from the outlines of the files before and after. What is used is read from the lines that the other
line adds: the name of the part, in a file that has to do with the file of the part. Names are compared, not meanings, so
this finds evidence, and a person or a test decides.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final

import msgspec

from volition.agents.check.changes import batched_names
from volition.agents.guard.git import ask_git, git
from volition.core.errors import VolitionError
from volition.governance.outline.diffs import WHOLE_DIFF, read_diff, whole_texts
from volition.governance.outline.languages import language_of, outline_of
from volition.governance.outline.touched import touched_by
from volition.governance.paths.names import split_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.agents.worktrees.lines_of_work import WorkLine
    from volition.governance.outline.diffs import FileChange

MOST_FILES: Final = 400
"""How many source files of one line are read by parts."""
_WORD: Final = re.compile(rb"\.?[^\W\d]\w*")
_IMPORT: Final = re.compile(rb"\b(?:import|from|require|include|use|using|mod|export)\b")
_DEFINES: Final = re.compile(
    rb"\b(?:def|class|function|func|fn|fun|interface|struct|enum|trait|type|const|let|var|val|module|namespace|static|public"
    rb"|private|protected|export|define)\b|^\w+\s*[:=(]|\)\s*\{"
)
"""What a line that begins a part has, in any of the languages; a file without such a line among those removed has lost none."""
_BY_FOLDER: Final = frozenset({"Java", "Go", "Kotlin", "C#", "C", "C++", "Swift", "Scala"})
"""Languages in which the files of a folder see each other without importing."""


class ContractBreak(msgspec.Struct, frozen=True):
    """That one line removes or renames a part, or a file, which another line uses in a file that it changed."""

    remover: str
    part: str
    user: str
    file: str


class LineParts(msgspec.Struct, frozen=True):
    """What a line of work removed, as claims, and the words of the lines that it added, for each source file."""

    gone: tuple[str, ...]
    words: dict[str, frozenset[bytes]]
    imports: dict[str, tuple[bytes, ...]]
    unread: int
    """How many source files were too many."""


def contract_breaks(root: str, lines: Sequence[WorkLine]) -> tuple[list[ContractBreak], list[str]]:
    """The contract conflicts between all lines, and the names of the lines that were not read as a whole."""
    parts = [parts_of_line(root, line.parted, line.commit, line.changed) for line in lines]
    users: dict[bytes, list[tuple[int, str]]] = {}
    for number, read in enumerate(parts):
        for file, words in read.words.items():
            for word in words:
                users.setdefault(word, []).append((number, file))
    breaks: dict[ContractBreak, None] = {}
    for number, (line, read) in enumerate(zip(lines, parts, strict=True)):
        for claim in read.gone:
            for user, file in chain.from_iterable(users.get(word, ()) for word in _words_for(claim)):
                if (
                    user != number
                    and claim not in parts[user].gone
                    and _uses(root, lines[user], parts[user], file, claim)
                ):
                    breaks[ContractBreak(line.name, claim, lines[user].name, file)] = None
    return list(breaks), [line.name for line, read in zip(lines, parts, strict=True) if read.unread]


@lru_cache(maxsize=1024)
def parts_of_line(root: str, parted: str, commit: str, changed: frozenset[str]) -> LineParts:
    """What a line did since it parted, by parts; remembered, because commits do not change."""
    files = sorted(path for path in changed if language_of(path) and path.isprintable())
    if not files:
        return LineParts((), {}, {}, 0)
    read, unread = files[:MOST_FILES], len(files[MOST_FILES:])
    short = _diff(root, parted, commit, read, "--unified=0")
    words, imports = {}, {}
    suspects, gone = [], []
    for change in short:
        if change.new is None or change.old not in {None, change.new}:
            gone.append(change.old or "")
        elif any(_DEFINES.search(line) for block in change.blocks() for line in block.old):
            suspects.append(change.path)
        added = [line for block in change.blocks() for line in block.new]
        if change.new and added:
            words[change.new] = frozenset(word for line in added for word in _WORD.findall(line))
            imports[change.new] = tuple(line for line in added if _IMPORT.search(line))
    if suspects:
        whole = _diff(root, parted, commit, suspects)
        texts = {change.path: whole_texts(change)[1] for change in whole}
        removed = touched_by(whole, whole_texts).removes
        gone += [claim for claim in removed if not _is_imported(claim, texts.get(split_part(claim)[0], b""))]
    return LineParts(tuple(dict.fromkeys(filter(None, gone))), words, imports, unread)


def _diff(root: str, parted: str, commit: str, paths: Sequence[str], *options: str) -> list[FileChange]:
    """What changed in some files; nothing where git's words cannot be read."""
    changes: list[FileChange] = []
    for some in batched_names(paths):
        named = [f":(literal){path}" for path in some]
        printed = git(root, "diff", *WHOLE_DIFF, *options, parted, commit, "--", *named)
        try:
            changes += read_diff(printed)
        except VolitionError:
            continue
    return changes


def _is_imported(claim: str, text: bytes) -> bool:
    """Whether the file of a part that is gone imports its name, and so still offers it."""
    name = split_part(claim)[1].encode()
    return any(name in _WORD.findall(line) for line in text.splitlines() if _IMPORT.search(line))


def _words_for(claim: str) -> Iterator[bytes]:
    """The words by which a part or a file is used: a method after a dot, anything else with or without one."""
    path, part = split_part(claim)
    name = part.rpartition(".")[2] if part else _module(path)
    yield os.fsencode(f".{name}")
    if "." not in part:
        yield os.fsencode(name)


def _module(path: str) -> str:
    """The name of a file as imports write it.

    >>> _module("src/shop/cart.py"), _module("src/shop/__init__.py")
    ('cart', 'shop')
    """
    folder, _, file = path.rpartition("/")
    stem = file.partition(".")[0]
    return folder.rpartition("/")[2] if stem in {"__init__", "index", "mod"} and folder else stem


def _uses(root: str, line: WorkLine, parts: LineParts, file: str, claim: str) -> bool:
    """Whether a line of work uses a part, or a file, in a file where it added the name."""
    path, part = split_part(claim)
    if language_of(path) != language_of(file):
        return False
    module = os.fsencode(_module(path))
    if not part:
        folder = os.fsencode(path.rpartition("/")[0].rpartition("/")[2])
        beside = path.rpartition("/")[0] == file.rpartition("/")[0]
        named = [{word.lstrip(b".") for word in _WORD.findall(text)} for text in parts.imports.get(file, ())]
        return any(module in words and (beside or not folder or folder == b"src" or folder in words) for words in named)
    if file == path:
        return True
    content = os.fsencode(ask_git(root, "cat-file", "blob", f"{line.commit}:{file}") or "")
    if _defines(file, content, part.rpartition(".")[2]):
        return False
    if path.rpartition("/")[0] == file.rpartition("/")[0] and language_of(path) in _BY_FOLDER:
        return True
    return module in {word.lstrip(b".") for word in _WORD.findall(content)}


def _defines(file: str, content: bytes, name: str) -> bool:
    try:
        return any(part.name == name for part in outline_of(file, content).parts)
    except VolitionError:
        return False

"""Unified diffs, as `git diff` writes them: which files changed, and which lines of each.

Read by hand because the libraries for it leave quoted names quoted and fail where a name has a space. Lines are bytes, as
git counts them: a line ends with a line feed and nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.errors import refuse
from volition.governance.outline.parts import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    Sign = str
    """Of a line in a diff: a space for context, `-` or `+`."""

_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_ESCAPED: Final = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES: Final = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_NOWHERE: Final = b"/dev/null"
_SPECIAL_MODES: Final = (b"120000", b"160000")
"""The modes of a link and of a submodule, whose content is no text."""


WHOLE_DIFF: Final = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--find-renames", "--indent-heuristic",
    "--diff-algorithm=histogram", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", "-O/dev/null",
    "--unified=100000000",
)  # fmt: skip
"""Options of git for a diff that no setting changes, and that holds the whole text of every file."""


class Block(Struct, frozen=True):
    """Lines that were replaced by others, without a line between them that stayed."""

    old_first: int
    """The first old line; where there is none, the line that the new ones come before."""
    old: tuple[bytes, ...]
    new_first: int
    new: tuple[bytes, ...]

    def span(self) -> tuple[int, int]:
        """The first and last old line that it concerns: for lines that are only added, those on either side.

        >>> Block(4, (b"a",), 4, ()).span(), Block(4, (), 4, (b"a",)).span(), Block(1, (), 1, (b"a",)).span()
        ((4, 4), (3, 4), (1, 1))
        """
        last = self.old_first + len(self.old) - 1
        return (self.old_first, last) if self.old else (max(1, last), self.old_first)


class Hunk(Struct, frozen=True):
    """Neighbouring changes with the lines around them."""

    old_first: int
    new_first: int
    section: str
    """What git writes after the second @@, usually the line of the function that the hunk begins in."""
    lines: tuple[tuple[Sign, bytes], ...]

    def side(self, without: Sign) -> list[bytes]:
        """The old lines, which are those without `+`, or the new ones, without `-`."""
        return [line for sign, line in self.lines if sign != without]

    def blocks(self) -> Iterator[Block]:
        """The changes, without the lines around them."""
        places = {"-": self.old_first, "+": self.new_first}
        begun, changed = dict(places), {"-": list[bytes](), "+": list[bytes]()}
        for sign, line in (*self.lines, (" ", b"")):
            if sign != " ":
                changed[sign].append(line)
                places[sign] += 1
                continue
            if changed["-"] or changed["+"]:
                yield Block(begun["-"], tuple(changed["-"]), begun["+"], tuple(changed["+"]))
            places = {side: place + 1 for side, place in places.items()}
            begun, changed = dict(places), {"-": [], "+": []}


class FileChange(Struct, frozen=True):
    """One file that changed: `old` is None if it was added, `new` if it was removed; two names mean that it was renamed."""

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...] = ()
    """Its changes; none if it is binary, or only its name or mode changed."""
    special: bool = False
    """Whether it is a link or a submodule."""

    @property
    def path(self) -> str:
        """Its name; the new one if it was renamed."""
        return self.new or self.old or ""

    def blocks(self) -> Iterator[Block]:
        """All changes of its lines."""
        for hunk in self.hunks:
            yield from hunk.blocks()

    def apply(self, content: bytes, *, backwards: bool = False) -> bytes | None:
        """The new text of the file from the old one, or the old from the new one; None if the change does not fit."""
        lines, patched, at = split_lines(content), list[bytes](), 0
        for hunk in self.hunks:
            present, wanted = (hunk.side("-"), hunk.side("+")) if backwards else (hunk.side("+"), hunk.side("-"))
            start = (hunk.new_first if backwards else hunk.old_first) - 1
            if start < at or lines[start : start + len(present)] != present:
                return None
            patched += lines[at:start] + wanted
            at = start + len(present)
        return b"".join(patched + lines[at:])


def read_diff(content: bytes) -> list[FileChange]:
    r"""The files that a unified diff changes, in its order; other text, such as the message of a commit, is skipped.

    InvalidInput if a hunk is cut short, if it is the combined diff of a merge, or if it is no diff at all.

    >>> read_diff(b'diff --git "a/\\303\\244.py" "b/\\303\\244.py"\nold mode 100644\nnew mode 100755\n')[0].path
    'ä.py'
    """
    reader = _Reader(content.removesuffix(b"\n").split(b"\n"))
    changes = list(reader.files())
    if not changes and content.strip():
        refuse(
            "this is not a unified diff",
            where="the diff",
            expected="text as `git diff` prints it",
            remedy="make it with git diff, or diff -u",
        )
    return changes


class _Reader:
    def __init__(self, lines: list[bytes]) -> None:
        self.lines, self.at = lines, 0

    def files(self) -> Iterator[FileChange]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.startswith((b"diff --cc ", b"diff --combined ", b"@@@ ")):
                refuse(
                    "this is the combined diff of a merge",
                    where=f"the diff, line {self.at + 1}",
                    expected="a diff between two states",
                    remedy="compare two commits: git diff main...HEAD",
                )
            if line.startswith(b"diff --git ") or self._has_names():
                yield self._file()
            else:
                self.at += 1

    def _has_names(self) -> bool:
        some = self.lines[self.at : self.at + 3]
        return len(some) == 3 and some[0][:4] == b"--- " and some[1][:4] == b"+++ " and some[2][:4] == b"@@ -"

    def _file(self) -> FileChange:
        """Read one file: its headers, then its hunks."""
        headers: dict[bytes, bytes] = {}
        header = b""
        if self.lines[self.at].startswith(b"diff --git "):
            header = self.lines[self.at][11:].rstrip(b"\r")
            self.at += 1
        while self.at < len(self.lines):
            line = self.lines[self.at].rstrip(b"\r")
            key = next((key for key in _HEADERS if line.startswith(key)), None)
            if key is None or key in headers or (key == b"--- " and not self._has_names()):
                break
            headers[key] = line[len(key) :]
            self.at += 1
        hunks = []
        while self.at < len(self.lines) and self.lines[self.at].startswith(b"@@ -"):
            hunks.append(self._hunk())
        old, new = _paths(header, headers)
        modes = b" ".join(
            headers.get(key, b"") for key in (b"index ", b"new mode ", b"new file mode ", b"deleted file mode ")
        )
        return FileChange(old, new, tuple(hunks), any(mode in modes.split() for mode in _SPECIAL_MODES))

    def _hunk(self) -> Hunk:
        """Read one hunk, by the numbers of lines that it announces: its text may look like anything."""
        began = self.at
        header = _HUNK.match(self.lines[began])
        left = {"-": 1, "+": 1}
        if header:
            left = {"-": int(header[2] or 1), "+": int(header[4] or 1)}
        lines: list[tuple[Sign, bytes]] = []
        self.at += 1
        while header and self.at < len(self.lines):
            line = self.lines[self.at]
            sign = chr(line[0]) if line.rstrip(b"\r") else " "  # some programs strip the space of an empty line
            if sign == "\\" and lines:
                lines[-1] = (lines[-1][0], lines[-1][1].removesuffix(b"\n"))
            elif not any(left.values()) or sign not in " -+":
                break
            else:
                for side in left if sign == " " else (sign,):
                    left[side] -= 1
                lines.append((sign, line[1 if line[:1] == sign.encode() else 0 :] + b"\n"))
            self.at += 1
        if not header or any(left.values()):
            refuse(
                "this hunk does not have the lines that it announces",
                where=f"the diff, line {began + 1}",
                expected=f"{self.lines[began].decode(errors='replace')[:80]}",
                remedy="take the whole diff, without changes by hand",
            )
        first = {"-": int(header[1]) + (header[2] == b"0"), "+": int(header[3]) + (header[4] == b"0")}
        return Hunk(first["-"], first["+"], header[5].decode(errors="replace").rstrip("\r"), tuple(lines))


_HEADERS: Final = (
    b"old mode ", b"new mode ", b"deleted file mode ", b"new file mode ", b"similarity index ", b"dissimilarity index ",
    b"rename from ", b"rename to ", b"copy from ", b"copy to ", b"index ", b"Binary files ", b"GIT binary patch",
    b"--- ", b"+++ ",
)  # fmt: skip


def _paths(header: bytes, headers: dict[bytes, bytes]) -> tuple[str | None, str | None]:
    """The old and the new name of a file: lines about a rename have no prefix, all others may have one."""
    if b"rename from " in headers and b"rename to " in headers:
        return _decode(_unquote(headers[b"rename from "])), _decode(_unquote(headers[b"rename to "]))
    if b"copy to " in headers:
        return None, _decode(_unquote(headers[b"copy to "]))
    old, new = (_unquote(headers.get(key, b"")) for key in (b"--- ", b"+++ "))
    path = _common_path(*_halves(header)) or _common_path(old, new)
    if not path and _NOWHERE in (old, new):
        path = (new if old == _NOWHERE else old).removeprefix(b"b/" if old == _NOWHERE else b"a/")
    name = _decode(path or new.removeprefix(b"b/"))
    added = b"new file mode " in headers or old == _NOWHERE
    removed = b"deleted file mode " in headers or new == _NOWHERE
    return None if added else name, None if removed else name


def _halves(header: bytes) -> tuple[bytes, bytes]:
    """The two names after `diff --git`, which are equal or differ by their prefixes: so the space is in the middle."""
    if header[:1] == b'"':
        end = re.match(rb'"(?:[^"\\]|\\.)*"', header)
        return (_unquote(end[0]), _unquote(header[end.end() + 1 :])) if end else (b"", b"")
    middle = len(header) // 2
    return (header[:middle], header[middle + 1 :]) if header[middle : middle + 1] == b" " else (b"", b"")


def _common_path(old: bytes, new: bytes) -> bytes:
    """The path that two names have in common: all of it, or what follows their prefixes; empty if there is none."""
    if old == new:
        return old
    (one, _, path), (other, _, same) = old.partition(b"/"), new.partition(b"/")
    return path if path == same and one and other else b""


def _unquote(name: bytes) -> bytes:
    """A name without git's quotes and escapes, and without the time that may follow it after a tab."""
    quoted = re.match(rb'"((?:[^"\\]|\\.)*)"', name)
    if not quoted:
        return name.partition(b"\t")[0]
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1]) or _escape_value(match[1]), quoted[1])


def _escape_value(text: bytes) -> bytes:
    return bytes([int(text, 8) & 255]) if len(text) == 3 else text


def _decode(name: bytes) -> str:
    if not name:
        refuse(
            "a file has no name", where="the diff", expected="diff --git a/NAME b/NAME", remedy="take the whole diff"
        )
    try:
        return name.decode()
    except UnicodeDecodeError:
        refuse(
            f"the name {name!r} is not UTF-8",
            where="the diff",
            expected="names of files in UTF-8, as documents hold them",
            remedy="rename the file, or leave it out of the diff",
        )


def whole_texts(change: FileChange) -> tuple[bytes, bytes]:
    """The old and the new text of a file whose diff holds every line."""
    old, new = (b"".join(line for hunk in change.hunks for line in hunk.side(without)) for without in "+-")
    return old, new

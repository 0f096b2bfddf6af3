"""Where the values of a TOML file are in its text, so that one can be changed and every other byte stays.

The file has been parsed before; this only finds the places. No library is used for it: the one that keeps comments
(tomlkit) moves those above a section below the keys that are added before it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

Path = tuple[str | int, ...]

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY: Final = re.compile(r"""[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*(\.?)""")
_BARE: Final = re.compile(r"[^,\]}#\r\n]*[^,\]}#\s]")
_TEXT: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}|\'\'\'(?:[^\']|\'{1,2}(?!\'))*\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)


class TextSpan(NamedTuple):
    """Where something begins and ends in the text."""

    start: int
    end: int


class Layout:
    """The places of a file: of every value by its path, and for every section the end of its last line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.values: dict[Path, TextSpan] = {}
        self.sections: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}
        self._read()

    def _read(self) -> None:
        section: Path = ()
        at = self._skip(0)
        while at < len(self.text):
            if self.text[at] == "[":
                is_entry = self.text.startswith("[[", at)
                names, at = self._names(at + 1 + is_entry)
                section = self._section(names, is_entry)
                at += 1 + is_entry
            else:
                names, at = self._names(at)
                at = self._value(at + 1, (*section, *names))
            self.sections[section] = self._line_end(at)
            at = self._skip(at)

    def _section(self, names: list[str], is_entry: bool) -> Path:
        """The path of a section: names lead into the last entry of each list of sections."""
        path: Path = ()
        for place, name in enumerate(names):
            path = (*path, name)
            if is_entry and place == len(names) - 1:
                self._counts[path] = self._counts.get(path, 0) + 1
            if path in self._counts:
                path = (*path, self._counts[path] - 1)
        return path

    def _names(self, at: int) -> tuple[list[str], int]:
        """The parts of a key, and where what follows it begins."""
        names: list[str] = []
        while (match := _KEY.match(self.text, at)) is not None:
            names.append(next(part for part in match.groups()[:3] if part is not None))
            at = match.end()
            if not match[4]:
                break
        return names, at

    def _value(self, at: int, path: Path) -> int:
        """Note the value that begins here, and all inside it; where it ends."""
        at = self._skip(at)
        start, first = at, self.text[at]
        if first in "\"'":
            match = _TEXT.match(self.text, at)
            at = match.end() if match else at + 1
        elif first in "[{":
            at, number = self._skip(at + 1), 0
            while self.text[at] not in "]}":
                names, at = self._names(at) if first == "{" else ([], at - 1)
                inner: Path = (*names,) if first == "{" else (number,)
                at = self._value(at + 1, (*path, *inner))
                number += 1
                at = self._skip(at)
                at = self._skip(at + 1) if self.text[at] == "," else at
            at += 1
        else:
            match = _BARE.match(self.text, at)
            at = match.end() if match else at + 1
        self.values[path] = TextSpan(start, at)
        return at

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        return match.end() if match else at

    def _line_end(self, at: int) -> int:
        """The beginning of the next line."""
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end + 1

    def value(self, path: Path) -> str:
        """The text of a value."""
        place = self.values[path]
        return self.text[place.start : place.end]

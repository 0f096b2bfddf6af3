"""Names of people: what can be read, and is told from any other name by reading it."""

from __future__ import annotations

from typing import Final
from unicodedata import normalize

_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Letters, marks and signs that are drawn as nothing, though Unicode calls them printable."""
_SELECTORS: Final = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""What chooses a form of the letter before it, and is drawn as nothing."""


def is_readable_name(name: str) -> bool:
    """Whether a name can be seen as a whole: not blank or padded, without control characters and invisible ones, and spelled in
    the one way that Unicode calls normal.

    >>> [is_readable_name(name) for name in ("Ann Lee", "李", " ann", "", " ", "a\\u200bb", "\\u2800", "\\x1b[2J")]
    [True, True, False, False, False, False, False, False]
    """
    return bool(name) and name.isprintable() and name.strip() == name == normalize("NFKC", name) and _is_seen(name)


def _is_seen(name: str) -> bool:
    return not any(letter in _UNSEEN or any(ord(letter) in selectors for selectors in _SELECTORS) for letter in name)

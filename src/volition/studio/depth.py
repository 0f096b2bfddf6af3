"""How deeply a JSON text is nested, found without parsing it: a bound before any parser sees the text."""

from __future__ import annotations

import re
from typing import Final

DEEPEST: Final = 64
"""How deep a body may be; documents are read no deeper either."""

# A string that does not end is taken to the end of the text, so that every byte is looked at only once.
_STRINGS: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_AS_BRACKETS: Final = bytes.maketrans(b"{}", b"[]")
_OTHERS: Final = bytes(letter for letter in range(256) if letter not in b"[]{}")


def too_deep(body: bytes | bytearray, most: int = DEEPEST) -> bool:
    """Whether brackets outside of strings are nested more than `most` deep, or too many are never closed.

    >>> too_deep(b'{"a": [1, "[["]}', most=2), too_deep(b'{"a": [[1]]}', most=2)
    (False, True)
    """
    if body.count(b"[") + body.count(b"{") <= most:
        return False
    left = _STRINGS.sub(b"", body).translate(_AS_BRACKETS, _OTHERS)
    for _ in range(most):
        fewer = left.replace(b"[]", b"")
        if len(fewer) == len(left):
            break
        left = fewer
    # What is left is too deep, or closes what was never opened; a few of the latter are left to the parser.
    return b"[]" in left or len(left) > most

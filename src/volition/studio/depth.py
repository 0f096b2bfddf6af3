"""How deeply a JSON text is nested, told without reading it: a bound before any parser is asked."""

from __future__ import annotations

import re
from typing import Final

MOST: Final = 64
"""How deep a body may be; documents are read no deeper either."""

# A text that does not end is taken to the end, so that every byte is looked at once.
_TEXTS: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_SHAPE: Final = bytes.maketrans(b"{}", b"[]")
_OTHERS: Final = bytes(letter for letter in range(256) if letter not in b"[]{}")


def too_deep(body: bytes, most: int = MOST) -> bool:
    """Whether brackets outside of texts are nested more than `most` deep, or are too many that nothing closes.

    >>> too_deep(b'{"a": [1, "[["]}', most=2), too_deep(b'{"a": [[1]]}', most=2)
    (False, True)
    """
    if body.count(b"[") + body.count(b"{") <= most:
        return False
    left = _TEXTS.sub(b"", body).translate(_SHAPE, _OTHERS)
    for _ in range(most):
        fewer = left.replace(b"[]", b"")
        if len(fewer) == len(left):
            break
        left = fewer
    # What is left is too deep, or closes what was never opened; a parser may judge a little of the latter.
    return b"[]" in left or len(left) > most

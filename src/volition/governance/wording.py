"""Names and texts in sentences: joined, counted, and cut to a length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN: Final = 4
"""How many names a sentence lists; the others are counted."""


def join_names(names: Sequence[str], shown: int | None = None, between: str = ", ") -> str:
    """The names as a list in a sentence; with `shown`, at most that many of them, and how many others there are.

    The last name takes no more room than the words for one other, so it is listed.

    >>> join_names(["a", "b", "c"]), join_names(list("abcdefg"), SHOWN), join_names(list("abcde"), SHOWN)
    ('a, b and c', 'a, b, c, d and 3 others', 'a, b, c, d and e')
    """
    if shown is not None and len(names) > shown + 1:
        return f"{between.join(names[:shown])} and {len(names) - shown} others"
    if between != ", " or len(names) < 2:
        return between.join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def fit_names(names: Sequence[str], most: int, between: str = ", ") -> str:
    """As many whole names as fit into `most` characters, but at least one, and how many others there are.

    >>> fit_names(["one", "two"], 20), fit_names(["one", "two", "three", "four"], 16)
    ('one and two', 'one and 3 others')
    """
    shown = len(names)
    while shown > 1 and len(join_names(names, shown, between)) > most:
        shown -= 2 if shown == len(names) else 1
    shown = max(shown, 1)
    return join_names(names, shown, between)


def shorten(text: str, most: int) -> str:
    """A text of at most `most` characters.

    >>> shorten("abcdefgh", 6)
    'abc...'
    """
    return text if len(text) <= most else text[: most - 3] + "..."

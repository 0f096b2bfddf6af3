"""Whose a file is, among many claims: looked up by the folders that it lies in rather than compared with every claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from volition.governance.paths.names import split_part
from volition.governance.paths.patterns import WHOLE_PROJECT, anchor_of, is_pattern, matches_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


class ClaimLookup(Generic[T]):
    """Claims with whatever is known of each: a claim on a file, or a part of it, is found by the path of the file.

    The answers are those of `claims_file` for every claim. 5 000 files beside 2 000 claims take 10 million of these.

    >>> ClaimLookup([("src", 1), ("src/*.py", 2), ("a.py#Cart", 3)]).at("src/a.py")
    [('src', 1), ('src/*.py', 2)]
    """

    def __init__(self, claims: Iterable[tuple[str, T]]) -> None:
        self._places: dict[str, list[tuple[int, str, str, T]]] = {}
        for number, (claim, about) in enumerate(claims):
            path = split_part(claim)[0]
            self._places.setdefault(anchor_of(path), []).append((number, claim, path, about))

    def at(self, file: str) -> list[tuple[str, T]]:
        """The claims on a file or a part of it, in the order in which they were given."""
        found = [
            row
            for place in _with_folders(file)
            for row in self._places.get(place, ())
            if not is_pattern(row[2]) or matches_path(row[2], file)
        ]
        return [(claim, about) for _, claim, _, about in sorted(found, key=lambda row: row[0])]


def _with_folders(file: str) -> Iterator[str]:
    yield WHOLE_PROJECT
    at = file.find("/")
    while at >= 0:
        yield file[:at]
        at = file.find("/", at + 1)
    if file != WHOLE_PROJECT:
        yield file

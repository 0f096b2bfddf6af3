"""States as rows of numbers: which parts of a state's data become columns, and which are left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

LONGEST_LIST: Final = 64
MOST_TEXTS: Final = 64
MOST_COLUMNS: Final = 4096


def leaves(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number, boolean and string in a state's data, with its path.

    >>> dict(leaves({"hero": {"at": [1, 2], "mode": "idle"}}))
    {'hero.at[0]': 1, 'hero.at[1]': 2, 'hero.mode': 'idle'}
    """
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, f"{path}.{key}" if path else key)
    elif isinstance(data, list):
        for index, value in enumerate(data[:LONGEST_LIST]):
            yield from leaves(value, f"{path}[{index}]")
    elif data is not None:
        yield path or "value", data


@dataclass(slots=True)
class _Seen:
    """The values found under one path."""

    count: int = 0
    numbers: int = 0
    texts: set[str] = field(default_factory=set)
    too_many: bool = False

    def meet(self, value: Any) -> None:
        self.count += 1
        if not isinstance(value, str):
            self.numbers += 1
        elif len(self.texts) < MOST_TEXTS:
            self.texts.add(value)
        elif value not in self.texts:
            self.too_many = True

    @property
    def is_column(self) -> bool:
        if self.numbers:
            return not self.texts
        return len(self.texts) > 1 and not self.too_many


class Columns(Struct, frozen=True):
    """How a state becomes a row.

    Numbers and booleans are taken as they are; strings with 2 to 64 distinct values become their index in the sorted
    list `texts`. Where a path is not in every state, its column is followed by one that is 1 where it is present and 0
    where it is not (`path?`). Everything else (strings with one or too many values, mixed types, columns beyond 4096) is
    `left_out`.
    """

    names: tuple[str, ...]
    texts: dict[str, tuple[str, ...]]
    left_out: tuple[str, ...]

    @classmethod
    def of(cls, states: Iterable[Any]) -> Columns:
        """The columns for these states' data; the same states give the same columns in any order."""
        seen: dict[str, _Seen] = {}
        total = 0
        for data in states:
            total += 1
            for path, value in leaves(data):
                if path not in seen:
                    seen[path] = _Seen()
                seen[path].meet(value)
        names: list[str] = []
        left_out: list[str] = []
        for path in sorted(seen):
            more = [path] if seen[path].count == total else [path, f"{path}?"]
            if seen[path].is_column and len(names) + len(more) <= MOST_COLUMNS:
                names += more
            else:
                left_out.append(path)
        texts = {name: tuple(sorted(seen[name].texts)) for name in names if name in seen and seen[name].texts}
        return cls(tuple(names), texts, tuple(left_out))

    def row(self, data: Any) -> NDArray[np.float64]:
        """The numbers of one state."""
        values = dict(leaves(data))
        row = np.zeros(len(self.names), dtype=np.float64)
        for column, name in enumerate(self.names):
            if name in values:
                value = values[name]
                row[column] = self.texts[name].index(value) if name in self.texts else value
            elif name.endswith("?"):
                row[column] = name[:-1] in values
        return row

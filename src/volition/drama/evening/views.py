"""Views of a person's part of a state: rows and tables as mappings by name, and bits as sets.

An entry is missing where the number says that there is none. What is written through a view is written into the state.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping, MutableSet, ValuesView
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from volition.drama.evening.names import NamedPart, ScenarioNames
    from volition.drama.evening.state import EveningState

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class RowOwner(Protocol):
    """Whose row of a state is shown: `who` is their place in it."""

    evening: EveningState
    who: int
    names: ScenarioNames


class Entries(MutableMapping[K, V]):
    """A part as a mapping; None is written for no entry."""

    __slots__ = ("me", "part")

    def __init__(self, me: RowOwner, part: NamedPart) -> None:
        self.me, self.part = me, part

    def read(self, key: Any) -> V | None:
        """The entry, or None for none."""
        try:
            place = self.part.find(self.me.evening, self.me.who, key)
        except KeyError:
            return None
        return self.part.read(place)  # type: ignore[no-any-return]

    def entries(self) -> list[tuple[K, V]]:
        """All entries, as they are now."""
        return self.part.entries(self.me.evening, self.me.who)

    def write(self, key: K, value: Any) -> None:
        """Let this be the entry, or none for None; TypeError where there always is one."""
        self.part.write(self.part.find(self.me.evening, self.me.who, key), value)

    def reset(self, key: K) -> None:
        """Let the number say that there is none, or 0 where there always is one."""
        self.part.reset(self.part.find(self.me.evening, self.me.who, key))

    def replace(self, entries: Mapping[K, Any]) -> None:
        """Hold these entries and no others."""
        entries = dict(entries)
        for key in list(self):
            self.reset(key)
        for key, value in entries.items():
            self.write(key, value)

    def get(self, key: Any, default: Any = None) -> Any:
        value = self.read(key)
        return default if value is None else value

    def clear(self) -> None:
        for key in list(self):
            self.write(key, None)

    def __getitem__(self, key: K) -> V:
        value = self.read(key)
        if value is None:
            raise KeyError(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self.write(key, value)

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self.write(key, None)

    def __contains__(self, key: object) -> bool:
        return self.read(key) is not None

    def items(self) -> ItemsView[K, V]:
        return dict(self.entries()).items()

    def values(self) -> ValuesView[V]:
        return dict(self.entries()).values()

    def __iter__(self) -> Iterator[K]:
        return iter([key for key, _ in self.entries()])

    def __len__(self) -> int:
        return len(self.entries())

    def __ior__(self, other: Mapping[K, V]) -> Any:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(dict(self))


class MemberView(MutableSet[T]):
    """A part as a set of people, or of people and secrets; what operators make of it is an ordinary set."""

    __slots__ = ("me", "part")

    def __init__(self, me: RowOwner, part: NamedPart) -> None:
        self.me, self.part = me, part

    def replace(self, members: Iterable[T]) -> None:
        """Hold these members and no others."""
        members = set(members)
        self.clear()
        for member in members:
            self.add(member)

    def add(self, member: T) -> None:
        self.part.write(self.part.find(self.me.evening, self.me.who, member), True)

    def discard(self, member: T) -> None:
        self.part.write(self.part.find(self.me.evening, self.me.who, member), False)

    def clear(self) -> None:
        for member in list(self):
            self.discard(member)

    def __contains__(self, member: object) -> bool:
        try:
            return bool(self.part.read(self.part.find(self.me.evening, self.me.who, member)))
        except KeyError:
            return False

    def __iter__(self) -> Iterator[T]:
        return iter([member for member, _ in self.part.entries(self.me.evening, self.me.who)])

    def __len__(self) -> int:
        return len(self.part.entries(self.me.evening, self.me.who))

    def __repr__(self) -> str:
        return repr(set(self))

    @classmethod
    def _from_iterable(cls, members: Iterable[Any]) -> Any:
        return set(members)

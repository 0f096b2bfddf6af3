"""Views of the numbers of a state by name: rows as mappings, and bits as sets.

An entry is missing where the number says that there is none. What is written through a view is written into the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, MutableSet
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from volition.drama.evening.record import NONE, RecordPart
from volition.drama.evening.state import PEOPLE

if TYPE_CHECKING:
    from volition.drama.evening.names import ScenarioNames
    from volition.drama.evening.state import EveningState

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

Pair = tuple[str, str]
"""A person and a secret."""
Sighting = tuple[str, int]
"""A room, and since which tick."""


class RowOwner(Protocol):
    """Whose row of a state is shown: `who` is their place in it."""

    evening: EveningState
    who: int
    names: ScenarioNames


class Entries(MutableMapping[K, V]):
    """A mapping over numbers of a state: `_read` gives None where there is no entry, and `write` takes None for none."""

    __slots__ = ()

    def _read(self, key: Any) -> V | None:
        raise NotImplementedError

    def write(self, key: K, value: Any) -> None:
        raise NotImplementedError

    def _keys(self) -> Iterable[K]:
        """Every key that there may be."""
        raise NotImplementedError

    def _clear(self) -> None:
        """Let every number say that there is none."""
        raise NotImplementedError

    def replace(self, entries: Mapping[K, Any]) -> None:
        """Hold these entries and no others; every other number says that there is none."""
        entries = dict(entries)
        self._clear()
        for key, value in entries.items():
            self.write(key, value)

    def get(self, key: Any, default: Any = None) -> Any:
        value = self._read(key)
        return default if value is None else value

    def clear(self) -> None:
        for key in list(self):
            self.write(key, None)

    def __getitem__(self, key: K) -> V:
        value = self._read(key)
        if value is None:
            raise KeyError(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self.write(key, value)

    def __delitem__(self, key: K) -> None:
        if self._read(key) is None:
            raise KeyError(key)
        self.write(key, None)

    def __contains__(self, key: object) -> bool:
        return self._read(key) is not None

    def __iter__(self) -> Iterator[K]:
        return (key for key in self._keys() if self._read(key) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __ior__(self, other: Mapping[K, V]) -> Any:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(dict(self))


class RowEntries(Entries[str, V]):
    """One row: an entry for each person but oneself, each secret, each need or each emotion."""

    __slots__ = ("_blank", "_own", "_places", "_row", "_spelling", "_whole")

    def __init__(self, me: RowOwner, part: RecordPart) -> None:
        names, dimension = me.names, part.shape[1]
        self._row, self._blank = getattr(me.evening, part.name)[me.who], getattr(names.blank, part.name)[me.who]
        self._places, self._whole = names.places[dimension], names.keys[dimension]
        self._own = me.who if dimension == PEOPLE else NONE
        self._spelling = names.spellings[part.kind.name]

    def _read(self, key: Any) -> V | None:
        place = self._places.get(key, NONE)
        if place in (NONE, self._own):
            return None
        return self._spelling.read(self._row[place])  # type: ignore[no-any-return]

    def write(self, key: str, value: Any) -> None:
        self._row[self._places[key]] = self._spelling.write(value)

    def _keys(self) -> Iterable[str]:
        return self._whole

    def replace(self, entries: Mapping[str, Any]) -> None:
        numbers = {self._places[key]: self._spelling.write(value) for key, value in entries.items()}
        self._row[:] = [numbers.get(place, number) for place, number in enumerate(self._blank)]


class QuestionEntries(Entries[Pair, int]):
    """A table of ticks: an entry for each person and secret."""

    __slots__ = ("_names", "_spelling", "_table")

    def __init__(self, me: RowOwner, part: RecordPart) -> None:
        self._names, self._table = me.names, getattr(me.evening, part.name)[me.who]
        self._spelling = me.names.spellings[part.kind.name]

    def _read(self, key: Any) -> int | None:
        person, secret = key
        if person not in self._names.person or secret not in self._names.secret:
            return None
        return self._spelling.read(self._table[self._names.person[person]][self._names.secret[secret]])  # type: ignore[no-any-return]

    def write(self, key: Pair, value: Any) -> None:
        person, secret = key
        self._table[self._names.person[person]][self._names.secret[secret]] = self._spelling.write(value)

    def _keys(self) -> Iterable[Pair]:
        return ((person, secret) for secret in self._names.secrets for person in self._names.people)

    def _clear(self) -> None:
        for row in self._table:
            row[:] = [NONE] * len(row)


class Sightings(Entries[str, Sighting]):
    """Where each other person was last seen, and since which tick."""

    __slots__ = ("_names", "_rooms", "_ticks")

    def __init__(self, me: RowOwner, _: RecordPart | None = None) -> None:
        self._names = me.names
        self._rooms, self._ticks = me.evening.seen_in[me.who], me.evening.seen_since[me.who]

    def _read(self, key: Any) -> Sighting | None:
        place = self._names.person.get(key)
        if place is None or self._rooms[place] == NONE:
            return None
        return self._names.room(self._rooms[place]), self._ticks[place]

    def write(self, key: str, value: Any) -> None:
        place = self._names.person[key]
        room, tick = (None, NONE) if value is None else value
        self._rooms[place], self._ticks[place] = NONE if room is None else self._names.place[room], tick

    def _keys(self) -> Iterable[str]:
        return self._names.people

    def _clear(self) -> None:
        self._rooms[:] = self._ticks[:] = [NONE] * len(self._rooms)


class NamedSet(MutableSet[T]):
    """A set over bits of a state; what is made of it by operators is an ordinary set."""

    __slots__ = ()

    def replace(self, members: Iterable[T]) -> None:
        """Hold these members and no others."""
        members = set(members)
        self.clear()
        for member in members:
            self.add(member)

    def clear(self) -> None:
        for member in list(self):
            self.discard(member)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(set(self))

    @classmethod
    def _from_iterable(cls, members: Iterable[Any]) -> Any:
        return set(members)


class PeopleSet(NamedSet[str]):
    """A set of people."""

    __slots__ = ("_names", "_sets", "_who")

    def __init__(self, me: RowOwner, part: RecordPart) -> None:
        self._names, self._sets, self._who = me.names, getattr(me.evening, part.name), me.who

    def __contains__(self, who: object) -> bool:
        place = self._names.person.get(who)  # type: ignore[call-overload]
        return place is not None and bool(self._sets[self._who] >> place & 1)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.members(self._sets[self._who]))

    def add(self, who: str) -> None:
        self._sets[self._who] |= 1 << self._names.person[who]

    def discard(self, who: str) -> None:
        self._sets[self._who] &= ~(1 << self._names.person[who])


class PairSet(NamedSet[Pair]):
    """A set of people for each secret, as a set of pairs."""

    __slots__ = ("_names", "_sets")

    def __init__(self, me: RowOwner, part: RecordPart) -> None:
        self._names, self._sets = me.names, getattr(me.evening, part.name)[me.who]

    def __contains__(self, pair: object) -> bool:
        who, secret = pair  # type: ignore[misc]
        place, about = self._names.person.get(who), self._names.secret.get(secret)  # type: ignore[has-type]
        return place is not None and about is not None and bool(self._sets[about] >> place & 1)

    def __iter__(self) -> Iterator[Pair]:
        for secret, people in zip(self._names.secrets, self._sets, strict=True):
            for who in self._names.members(people):
                yield who, secret

    def add(self, pair: Pair) -> None:
        who, secret = pair
        self._sets[self._names.secret[secret]] |= 1 << self._names.person[who]

    def discard(self, pair: Pair) -> None:
        who, secret = pair
        self._sets[self._names.secret[secret]] &= ~(1 << self._names.person[who])

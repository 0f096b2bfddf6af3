"""Records: every part of an evening declared once, from which its plain form and its packed form are made.

A record's class names its parts with `part`. The laws of an evening read and write a record by attributes and chained
indices, `evening.trust[who][whom]`, so the same source runs over both forms:

- the plain form is an object whose parts are Python numbers and nested lists, as long as the scenario needs;
- the packed form is an entry of a numpy array with fixed sizes, which compiled code takes by its address.

Neither dataclasses nor msgspec have kinds, shapes and widths of numbers, which Numba and CUDA need to compile the laws; so
these records have their own decorator. From the same declaration come the views of a person and a world, the deltas of a
log, the rows of measures and the digests of states.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

T = TypeVar("T")

Reals = list[float]
RealTable = list[list[float]]
RealCube = list[list[list[float]]]
RealBlock = list[list[list[list[float]]]]
Ints = list[int]
IntTable = list[list[int]]
IntCube = list[list[list[int]]]
PeopleSets = list[int]
"""Sets of people, as many as there are people or secrets."""

Name = int
"""The 64 bits by which chance knows a name: unsigned where laws are compiled, and so told apart from other numbers."""

Sizes = dict[str, int]
"""How long each named dimension is."""


class Kind(NamedTuple):
    """How a number is to be read: the number that says that there is none, and its codes for numpy.

    `packed` is what holds it in a packed record, where a state should be small; `code` is what it is taken for where
    states are compared, in whichever form they are held.
    """

    name: str
    code: str
    packed: str
    none: float


NONE = -1
"""In place of a person, a room, a secret, a task, an act or a tick that there is not."""
DEPARTED = -2
"""In place of the room of a person who has left."""

REAL = Kind("real", "f8", "f8", 0.0)
COUNT = Kind("count", "i8", "i4", 0)
PACE = Kind("pace", "i8", "i8", 0)
"""A count that is a whole number of a `Pace`, which is as wide in every form."""
FLAG = Kind("flag", "i8", "i1", 0)
BELIEF = Kind("belief", "i8", "i1", 0)
TICK = Kind("tick", "i8", "i4", NONE)
MINUTE = Kind("minute", "f8", "f8", -1.0)
LEVEL = Kind("level", "f8", "f8", -1.0)
"""A number from 0 on that may be missing altogether."""
AMOUNT = Kind("amount", "f8", "f8", 0.0)
"""A number above 0: 0 says that there is none."""
PERSON = Kind("person", "i8", "i1", NONE)
ROOM = Kind("room", "i8", "i1", NONE)
SECRET = Kind("secret", "i8", "i1", NONE)
TASK = Kind("task", "i8", "i1", NONE)
THING = Kind("thing", "i8", "i1", NONE)
ACT = Kind("act", "i8", "i2", NONE)
PRESENT = Kind("present", "i8", "u1", 0)
OFFERED = Kind("offered", "i8", "u2", 0)
"""A person or an act where there always is one: compiled code need not ask whether such an index counts from the end."""
PEOPLE_SET = Kind("people", "i8", "i4", 0)
"""A set of people: the bit `1 << who` is on for each of them; `sets.has` asks for one."""
SECRET_SET = Kind("secrets", "i8", "i4", 0)
ROOM_SET = Kind("rooms", "i8", "i4", 0)
CAUSE = Kind("cause", "i8", "i4", NONE)
"""What a wrong is, or what a quarrel is about: `cause_of` makes it, and `sort_of` and `object_of` read it."""
NAME = Kind("name", "u8", "u8", 0)


@dataclass(frozen=True, slots=True)
class RecordPart:
    """One part of a record: how its numbers are read, its dimensions, and its name in the deltas of a log.

    `delta` is the kind of delta that changes it; a part without one is no part of the state that a log rebuilds.
    `scratch` is set for what an evening is measured with and its row does not keep.
    """

    name: str
    kind: Kind
    shape: tuple[str | int, ...]
    delta: str | None = None
    scratch: bool = False

    def shape_for(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """How long each dimension is."""
        return tuple([sizes[size] if isinstance(size, str) else size for size in self.shape])


@dataclass(frozen=True, slots=True)
class Nested:
    """A part that is a record itself: its numpy type. The plain form holds whatever object it is made of."""

    name: str
    type: np.dtype[Any]


def part(kind: Kind, *shape: str | int, delta: str | None = None, scratch: bool = False) -> Any:
    """Declare a part of a record."""
    return RecordPart("", kind, shape, delta, scratch)


def nested_part(type: np.dtype[Any]) -> Any:
    """Declare a part that is a record itself."""
    return Nested("", type)


PARTS: dict[str, dict[str, RecordPart | Nested]] = {}
"""The parts of every record class, by its name."""


def record(cls: type[T]) -> type[T]:
    """Make a record class of a class whose attributes are parts.

    The parts leave the class, and their names become its slots: no law can write a part that is not declared.
    """
    parts = {
        name: replace(value, name=name) for name, value in vars(cls).items() if isinstance(value, RecordPart | Nested)
    }
    PARTS[cls.__name__] = parts
    kept = {name: value for name, value in vars(cls).items() if name not in (*parts, "__dict__", "__weakref__")}
    return type(cls.__name__, (), {**kept, "__slots__": tuple(parts)})


def parts_of(cls: type) -> list[RecordPart]:
    """The parts of a record class that are numbers, in the order in which it names them."""
    return [part for part in PARTS[cls.__name__].values() if isinstance(part, RecordPart)]


def new_plain(cls: type[T], sizes: Mapping[str, int]) -> T:
    """A plain record in which nothing is yet."""
    plain = cls()
    for part in parts_of(cls):
        setattr(plain, part.name, _fill(part.shape_for(sizes), _number(part.kind, part.kind.none)))
    return plain


def packed_type(cls: type, sizes: Mapping[str, int]) -> np.dtype[Any]:
    """The numpy type of a packed record."""
    fields: list[Any] = []
    for part in PARTS[cls.__name__].values():
        if isinstance(part, Nested):
            fields.append((part.name, part.type))
        else:
            fields.append((part.name, part.kind.packed, part.shape_for(sizes)))
    return np.dtype(fields, align=True)


def write_packed(target: Any, source: Any, cls: type, sizes: Mapping[str, int]) -> None:
    """Copy a plain record of some sizes into a packed one, which is at least as large; the rest of it says none."""
    for part in PARTS[cls.__name__].values():
        value = getattr(source, part.name)
        if isinstance(part, Nested):
            names = part.type.names or ()
            target[part.name] = tuple(tuple(getattr(value, name)) for name in names)
        elif part.shape:
            shape, packed = part.shape_for(sizes), target[part.name]
            packed.fill(part.kind.none)
            packed[tuple(map(slice, shape))] = np.array(value, part.kind.packed).reshape(shape)
        else:
            target[part.name] = value


def read_packed(source: Any, cls: type[T], sizes: Mapping[str, int]) -> T:
    """The plain record of some sizes that is in a packed one."""
    plain = cls()
    for part in parts_of(cls):
        held = source[part.name]
        setattr(plain, part.name, held[_corner(part, sizes)].tolist() if part.shape else held.item())
    return plain


def bytes_of(held: Any, part: RecordPart, sizes: Mapping[str, int]) -> bytes:
    """What a part of a plain or packed record holds, as bytes that are the same for both."""
    value = held[part.name][_corner(part, sizes)] if isinstance(held, np.void) else getattr(held, part.name)
    numbers: NDArray[Any] = np.ascontiguousarray(value, part.kind.code)
    return numbers.tobytes()


def digest_of(held: Any, cls: type, sizes: Mapping[str, int]) -> str:
    """One short name for all parts that a log rebuilds, equal for the plain and the packed form of the same state."""
    total = sha256()
    for part in parts_of(cls):
        if part.delta is not None:
            total.update(part.name.encode() + bytes_of(held, part, sizes))
    return total.hexdigest()


def copy_plain(source: T, cls: type[T]) -> T:
    """Another plain record that says the same."""
    copy = cls()
    for name, part in PARTS[cls.__name__].items():
        value = getattr(source, name)
        setattr(copy, name, value if isinstance(part, Nested) else copy_value(value, len(part.shape)))
    return copy


def copy_value(value: Any, depth: int) -> Any:
    """A number, or a copy of lists that are nested this deep."""
    if depth == 0:
        return value
    if depth == 1:
        return value[:]
    if depth == 2:
        return [row[:] for row in value]
    return [copy_value(table, depth - 1) for table in value]


def _corner(part: RecordPart, sizes: Mapping[str, int]) -> tuple[slice, ...]:
    return tuple(map(slice, part.shape_for(sizes)))


def _number(kind: Kind, value: float) -> float:
    return float(value) if kind.code == "f8" else int(value)


def _fill(shape: tuple[int, ...], value: float) -> Any:
    if not shape:
        return value
    if len(shape) == 1:
        return [value] * shape[0]
    if len(shape) == 2:
        count, length = shape
        return [[value] * length for _ in range(count)]
    return [_fill(shape[1:], value) for _ in range(shape[0])]

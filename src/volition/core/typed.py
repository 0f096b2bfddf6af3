"""Data read as types by msgspec, from any number of threads at once, and records written as data.

msgspec works out how to read a type when it first meets it, and remembers it in the type before it is complete. A second
thread that reads the same type meanwhile crashes the process. So every type is first met here, under a lock.
"""

from __future__ import annotations

from os import fspath
from threading import RLock
from typing import Any, Final, TypeVar, overload

import msgspec
from msgspec.structs import asdict, replace

__all__ = ["DataStruct", "FrozenStruct", "asdict", "convert", "decoder", "replace"]

T = TypeVar("T")

_LOCK: Final = RLock()  # looking up what a type names may import a module that makes a decoder itself
_decoders: Final[dict[Any, msgspec.json.Decoder[Any]]] = {}


@overload
def convert(data: Any, kind: type[T]) -> T: ...
@overload
def convert(data: Any, kind: Any) -> Any: ...
def convert(data: Any, kind: Any) -> Any:
    """Plain data as a value of this type; msgspec.ValidationError where it is none.

    >>> convert({"a": [1, 2]}, dict[str, tuple[int, ...]])
    {'a': (1, 2)}
    """
    if kind not in _decoders:
        decoder(kind)
    return msgspec.convert(data, kind)


def decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """The decoder of JSON for a type, made once."""
    known = _decoders.get(kind)
    if known is None:
        with _LOCK:
            known = _decoders.setdefault(kind, msgspec.json.Decoder(kind))
    return known


class FrozenStruct(msgspec.Struct, frozen=True):
    """A record of plain data, which does not change; `replace` makes another, and `asdict` lists its fields.

    For arbitration, which takes nothing but the standard library and this package.
    """


class DataStruct(FrozenStruct, frozen=True):
    """A record that is shown or sent as data."""

    def to_data(self) -> dict[str, Any]:
        """Plain data, field by field; a path as its text.

        >>> class Point(DataStruct, frozen=True):
        ...     at: tuple[int, int]
        >>> Point((1, 2)).to_data()
        {'at': (1, 2)}
        """
        data: dict[str, Any] = msgspec.to_builtins(self, enc_hook=fspath)
        return data

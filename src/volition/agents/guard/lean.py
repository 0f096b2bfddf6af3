"""Records, JSON and digests for a process that has to start fast.

Importing `typing`, `re` and `json` takes as long as starting Python (11 ms; `benchmarks/guard.py`), and a hook is started
for every call of a tool. So nothing that a hook imports on its way to a verdict about a named file imports them: types are
imported for a type checker only, `LeanTuple` is a NamedTuple, and JSON is read and written by the compiled part of `json`.
Digests do without OpenSSL: loading that takes a tenth of the time that a hook may take.
"""

from __future__ import annotations

from operator import itemgetter

__all__ = ["TYPE_CHECKING", "LeanTuple", "read_json", "write_json"]

TYPE_CHECKING = False
"""True for a type checker, whatever is written here."""

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any
    from typing import NamedTuple as LeanTuple
else:

    class LeanTuple(tuple):
        """What `typing.NamedTuple` is to a class with annotated fields, in a tenth of the time."""

        __slots__ = ()

        def __init_subclass__(cls) -> None:
            if not cls.__annotations__:
                return  # it adds methods to a record
            cls._fields = tuple(cls.__annotations__)
            cls._defaults = {name: cls.__dict__[name] for name in cls._fields if name in cls.__dict__}
            for place, name in enumerate(cls._fields):
                setattr(cls, name, property(itemgetter(place)))

        def __new__(cls, *positional: Any, **named: Any) -> LeanTuple:  # noqa: PYI034
            if named or len(positional) != len(cls._fields):
                left = cls._fields[len(positional) :]
                values = {**cls._defaults, **named}
                if not named.keys() <= set(left) <= values.keys() or len(positional) > len(cls._fields):
                    raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._fields)}: {positional}, {named}")
                positional += tuple(values[name] for name in left)
            return tuple.__new__(cls, positional)

        def __repr__(self) -> str:
            fields = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({', '.join(fields)})"

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def _replace(self, **named: Any) -> LeanTuple:
            return type(self)(**(self._asdict() | named))

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))


class _Reading:
    """How `json` reads unless it is told otherwise."""

    strict, object_hook, object_pairs_hook, parse_float, parse_int = True, None, None, float, int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


def _refuse(value: object) -> None:
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")


try:
    import _json

    _scan: Callable[[str, int], tuple[Any, int]] | None = _json.make_scanner(_Reading)  # type: ignore[arg-type]
    _write = _json.make_encoder(None, _refuse, _json.encode_basestring_ascii, None, ": ", ", ", False, False, True)
except (ImportError, AttributeError, TypeError):  # another Python
    _scan = None


def read_json(content: bytes) -> Any:
    """The value that JSON text has; ValueError if it is none, RecursionError if it is too deep.

    >>> read_json(b'{"a": [1, null]}')
    {'a': [1, None]}
    """
    try:
        if _scan is not None:
            text = content.decode().strip(" \t\n\r")
            value, end = _scan(text, 0)
            if end == len(text):
                return value
    except (ValueError, StopIteration):
        pass
    from json import loads  # another encoding, or the words for what is wrong

    return loads(content)


def write_json(value: object) -> str:
    """A value as JSON in ASCII, as `json.dumps` writes it.

    >>> write_json({"é": 1.5})
    '{"\\\\u00e9": 1.5}'
    """
    if _scan is not None:
        return "".join(_write(value, 0))
    from json import dumps

    return dumps(value)


try:
    from _blake2 import blake2b
except ImportError:  # another Python
    from hashlib import blake2b


def digest_of(text: str, length: int = 32) -> str:
    """The digest of a text, of any text that can be a path, in hexadecimal digits.

    >>> digest_of("a"), len(digest_of("a", 16))
    ('27c35e6e9373877f29e562464e46497e', 16)
    """
    return str(blake2b(text.encode(errors="surrogatepass"), digest_size=length // 2).hexdigest())

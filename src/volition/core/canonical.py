"""One sequence of bytes for each value: JSON as RFC 8785 (JCS) writes it, and its SHA-256.

Canonical data is None, True, False, str, int, float, list, tuple (an array) and dict with str keys, of exactly these
types: what only resembles one of them (an enum, a UUID, a named tuple, a numpy scalar) is refused, not converted.

JSON has one kind of number, the double: 59.0 is written `59`, and a float of 2^53 or more without an exponent, so a
reader that turns such digits into a Python int holds an integer that is refused here.
"""

from __future__ import annotations

import json
import math
import re
from hashlib import sha256
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exact."""

MAX_DEPTH = 256
"""How deeply arrays and objects may be nested."""

_STRICT = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)
_ASTRAL = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")
"""The bytes with which characters beyond U+FFFF begin, in UTF-8."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def canonical(data: Any) -> bytes:
    """The RFC 8785 bytes of `data`; InvalidInput names the path of the first value that cannot be written.

    >>> canonical({"b": 59.0, "a": [True, None, 1e-7]})
    b'{"a":[true,null,1e-7],"b":59}'
    """
    try:
        quick = orjson.dumps(data, option=_STRICT)
    except orjson.JSONEncodeError:
        return _encode_exactly(data)
    # orjson, with the walk, is over ten times faster than the exact writer below, so its bytes are used wherever they
    # are the same. It has read the data to the end, so there is no cycle and the walk ends too. Keys in UTF-8 order are
    # in UTF-16 order unless one has a character beyond U+FFFF.
    whole = _has_whole_floats(data)
    if whole is None or (not quick.isascii() and any(lead in quick for lead in _ASTRAL)):
        return _encode_exactly(data)
    return orjson.dumps(_with_integers(data), option=_STRICT) if whole else quick


def digest(data: Any) -> str:
    """The SHA-256 of the canonical bytes, in hexadecimal.

    >>> digest({"a": 1.0}) == digest({"a": 1})
    True
    """
    return sha256(canonical(data)).hexdigest()


def number(value: float) -> str:
    """A finite float as ECMAScript writes it: the shortest digits that read back to the same value.

    >>> [number(x) for x in (59.0, -0.0, 1e21, 1.5e-7, 123456789012345680000.0)]
    ['59', '0', '1e+21', '1.5e-7', '123456789012345680000']
    """
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS * 10**point; zeros at either end of the digits mean nothing.
    point = len(digits) - len(fraction) + int(exponent or 0)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    head, tail = digits[0], digits[1:]
    return f"{sign}{head}{'.' + tail if tail else ''}e{point - 1:+d}"


def _has_whole_floats(data: Any) -> bool | None:
    """Whether there are whole floats in `data`, which orjson writes with a zero that RFC 8785 leaves out.

    None if orjson differs otherwise: it also accepts enums, UUIDs and ready-made fragments, writes NaN as null, and differs
    for floats that need an exponent, or so many digits that no integer stands for them. `data` must have no cycle.
    """
    has_any = False
    found: list[Iterable[Any]] = [(data,)]
    for values in found:  # which grows by every container in it
        for value in values:
            kind = type(value)
            if kind is str or kind is int or kind is bool or value is None:
                continue
            if kind is float:
                if value.is_integer() and abs(value) <= MAX_INTEGER:
                    has_any = True
                elif not 1e-5 <= abs(value) < MAX_INTEGER:
                    return None
            elif kind is list or kind is tuple:
                found.append(value)
            elif kind is dict:
                found.append(value.values())
            else:
                return None
    return has_any


def _with_integers(data: Any) -> Any:
    """The same data with an integer for each whole float."""
    kind = type(data)
    if kind is dict:
        return {key: _with_integers(value) for key, value in data.items()}
    if kind is list or kind is tuple:
        return [_with_integers(value) for value in data]
    return int(data) if kind is float and data.is_integer() else data


def _encode_exactly(data: Any) -> bytes:
    """The canonical bytes exactly as the RFC defines them, for data that orjson writes differently or refuses."""
    parts: list[str] = []
    path: list[str | int] = []
    try:
        _write(data, parts, path, [])
    except RecursionError:
        _refuse("nested deeper than the stack allows", path, "flatter data", "refer to inner parts by an id")
    return "".join(parts).encode()


def _write(data: Any, parts: list[str], path: list[str | int], inside: list[int]) -> None:
    """Append the text of `data`; `path` leads to it, `inside` holds the identities of the containers around it."""
    kind = type(data)
    if data is None:
        parts.append("null")
    elif kind is bool:
        parts.append("true" if data else "false")
    elif kind is str:
        parts.append(_text(data, path))
    elif kind is int:
        if abs(data) > MAX_INTEGER:
            _refuse(
                "an integer that JSON readers do not keep exact", path, "-(2^53 - 1) to 2^53 - 1", "write it as text"
            )
        parts.append(str(data))
    elif kind is float:
        if not math.isfinite(data):
            _refuse(f"{data} is not a JSON number", path, "a finite number", "leave it out or use null")
        parts.append(number(data))
    elif kind is list or kind is tuple or kind is dict:
        _write_container(data, parts, path, inside)
    else:
        _refuse(
            f"a value of type {kind.__module__}.{kind.__qualname__}",
            path,
            "None, bool, int, float, str, list, tuple or dict",
            "convert it to plain data first",
        )


def _write_container(data: Any, parts: list[str], path: list[str | int], inside: list[int]) -> None:
    if id(data) in inside:
        _refuse("the data contains itself", path, "data without cycles", "refer to it by an id")
    if len(inside) >= MAX_DEPTH:
        _refuse(f"nested deeper than {MAX_DEPTH} levels", path, "flatter data", "refer to inner parts by an id")
    inside.append(id(data))
    named = type(data) is dict
    parts.append("{" if named else "[")
    comma = ""
    for step in _sorted_keys(data, path) if named else range(len(data)):
        parts.append(f"{comma}{_text(step, path)}:" if isinstance(step, str) else comma)
        path.append(step)
        _write(data[step], parts, path, inside)
        path.pop()
        comma = ","
    parts.append("}" if named else "]")
    inside.pop()


def _sorted_keys(data: dict[Any, Any], path: list[str | int]) -> list[str]:
    for key in data:
        if type(key) is not str:
            _refuse(f"a key of type {type(key).__name__}: {key!r}", path, "keys that are text", "write the key as text")
    return sorted(data, key=lambda key: key.encode("utf-16-be", "surrogatepass"))


def _text(text: str, path: list[str | int]) -> str:
    if _SURROGATE.search(text):
        _refuse(f"half a character (a lone surrogate) in {text!a}", path, "whole characters", "repair the text")
    return encode_basestring(text)


def _refuse(what: str, path: list[str | int], expected: str, remedy: str) -> NoReturn:
    refuse(what, where=json_path(path), expected=expected, remedy=remedy)


def json_path(steps: list[str | int]) -> str:
    """The path from the root of a document to one of its values, as people write it.

    >>> json_path(["a", 3, "two words"])
    '$.a[3]["two words"]'
    """
    return "$" + "".join(
        f".{step}" if isinstance(step, str) and _IDENTIFIER.fullmatch(step) else f"[{json.dumps(step)}]"
        for step in steps
    )

"""Modified lines, and a slow and obvious reader of lines."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from volition.execution.wire.codec import MAX_DEPTH

NUMBERS = [
    "0", "-0", "-1", "1", "1.0", "1e2", "1E2", "01", "1.", ".5", "-0.0", "1e999", "5e-324", "NaN", "Infinity", "null",
    "true", "9007199254740991", "9007199254740992", "-9007199254740992", "9007199254740993.0", "9007199254740992e0",
    "18446744073709551615", "18446744073709551616", "1" + "0" * 30, "100000000000000000000e-5", "1e300", "1.7976931348623157e308",
    "0.30000000000000004", "0.12345678901234567890123", "12345678901234567.25", "123456789.123456789",
]  # fmt: skip
TEXTS = [
    '"x"',
    '"a:b"',
    r'"\u003a"',
    r'"\ud800"',
    r'"\ud83d\ude00"',
    '"\x7f"',
    '"\x01"',
    '"é"',
    '""',
    '"\\""',
    '"SUCCESS"',
]
VALUES = st.sampled_from([*NUMBERS, *TEXTS, "{}", "[]", '{"a":1,"a":2}', '{"a":1,"b":[{}]}', "[[[]]]"])
SPACES = st.sampled_from(["", "", "", " ", "\t", "\r", "\n", "  "])


@st.composite
def scribbled(draw: st.DrawFn, line: bytes) -> bytes:
    """A line after some changes: bytes put in, cut out or replaced, or its keys and values handled as a whole."""
    if draw(st.booleans()):
        return draw(_bytewise(line))
    pairs = json.loads(line, object_pairs_hook=list)
    for _ in range(draw(st.integers(0, 3))):
        _meddle(draw, pairs)
    text = _text(draw, pairs, spaced=draw(st.booleans()))
    return text.encode("utf-8", "surrogatepass")


def slowly_read(line: bytes) -> Any:
    """The object on a line as strict JSON, or None where there is none; depth is looked at first, as text."""
    depth = deepest = 0
    for byte in line:
        depth += (byte in b"[{") - (byte in b"]}")
        deepest = max(deepest, depth)
    if deepest > 500:
        return None
    try:
        text = line.decode("utf-8")
        data = json.loads(text, object_pairs_hook=_once, parse_int=_whole, parse_float=_finite, parse_constant=_never)
    except ValueError:
        return None
    return data if isinstance(data, dict) and _fits(data, MAX_DEPTH) else None


@st.composite
def _bytewise(draw: st.DrawFn, line: bytes) -> bytes:
    found = bytearray(line)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(found)))
        put = draw(
            st.binary(max_size=3) | st.sampled_from([b'"', b"{", b",", b":", b'":', b"\\", b"1e999", b" ", b"0"])
        )
        found[at : at + draw(st.integers(0, 3))] = put
    return bytes(found)


class _Verbatim(str):
    """A value written verbatim."""

    __slots__ = ()


def _meddle(draw: st.DrawFn, pairs: list[tuple[str, Any]]) -> None:
    """Change one object, this one or one inside: a pair doubled, moved, dropped, added, renamed or given another value."""
    objects = [pairs, *(value for _, value in pairs if _is_object(value))]
    inside = draw(st.sampled_from(objects))
    if inside is not pairs and draw(st.booleans()):
        _meddle(draw, inside)
        return
    if not inside:
        inside.append(("x", _Verbatim(draw(VALUES))))
        return
    at = draw(st.integers(0, len(inside) - 1))
    key, value = inside[at]
    match draw(st.sampled_from(["double", "move", "drop", "add", "rename", "replace", "replace"])):
        case "double":
            inside.insert(draw(st.integers(0, len(inside))), (key, draw(st.sampled_from([value, _Verbatim("1")]))))
        case "move":
            inside.insert(draw(st.integers(0, len(inside) - 1)), inside.pop(at))
        case "drop":
            del inside[at]
        case "add":
            inside.append(
                (draw(st.sampled_from(["x", "id", "type", "status", "a:b", "", "detail"])), _Verbatim(draw(VALUES)))
            )
        case "rename":
            inside[at] = (draw(st.sampled_from(["x", key.upper(), key + " ", "detail", "type"])), value)
        case _:
            inside[at] = (key, _Verbatim(draw(VALUES)))


def _is_object(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(pair) is tuple for pair in value)


def _text(draw: st.DrawFn, value: Any, *, spaced: bool) -> str:
    def gap() -> str:
        return draw(SPACES) if spaced else ""

    if isinstance(value, _Verbatim):
        return str(value)
    if _is_object(value):
        inner = ",".join(
            f"{gap()}{_key(draw, key)}{gap()}:{gap()}{_text(draw, item, spaced=spaced)}{gap()}" for key, item in value
        )
        return f"{{{inner}}}"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _key(draw: st.DrawFn, key: str) -> str:
    if key and draw(st.integers(0, 40)) == 40:
        return f'"\\u{ord(key[0]) & 0xFFFF:04x}' + json.dumps(key[1:], ensure_ascii=False)[1:]
    return json.dumps(key, ensure_ascii=False)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def _whole(digits: str) -> int:
    if len(digits) > 20 or abs(int(digits)) > 2**53 - 1:
        raise ValueError("too large")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise ValueError("not finite")
    return number


def _never(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _fits(value: Any, room: int) -> bool:
    """Whether nothing is nested too deeply and no text holds half a character."""
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, list):
        return room > 0 and all(_fits(inner, room - 1) for inner in value)
    if isinstance(value, dict):
        return room > 0 and all(_fits(key, 0) and _fits(inner, room - 1) for key, inner in value.items())
    return True

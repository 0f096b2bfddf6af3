"""Records: what a ledger contains, and bytes stored verbatim inside it."""

from __future__ import annotations

from base64 import b64encode
from enum import Enum
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from volition.core.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

# Dataclasses are refused, so that the search for a NaN knows every possible container.
_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


class Record(NamedTuple):
    """One record: its number, counted from 1, its hash, and the bytes of its body as they are in the file."""

    seq: int
    hash: str
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The body, decoded again at each call.

        >>> Record(1, "", b'{"act":"chat"}').body
        {'act': 'chat'}
        """
        body: dict[str, Any] = orjson.loads(self.raw)
        return body


def encode(record: dict[str, Any], *, where: str = "record") -> bytes:
    """The JSON bytes of a record, keys in the order given.

    A record is a dict of JSON values with text keys. Anything that would be read back differently is refused: NaN,
    infinity, integers beyond 64 bits, text that is not Unicode, objects of other types.

    >>> encode({"who": "victor", "bonds": [0.5, None]})
    b'{"who":"victor","bonds":[0.5,null]}'
    """
    if not isinstance(record, dict):
        refuse(
            f"a record is a {type(record).__name__}",
            where=where,
            expected="a dict with text keys",
            remedy="put the value under a key",
        )
    try:
        raw = orjson.dumps(record, option=_OPTIONS)
    except TypeError as error:
        refuse(
            f"a record cannot be written as JSON: {error}",
            where=where,
            expected="text keys, and JSON values: text, numbers within 64 bits, true, false, null, lists, dicts",
            remedy="convert the value first; verbatim() stores bytes",
        )
    # orjson writes NaN as null, so only data with a null needs the slower search.
    if b"null" in raw and (found := next(_not_finite(record, where), None)) is not None:
        refuse(
            f"a record contains {found[1]!r}",
            where=found[0],
            expected="a finite number: JSON has no others",
            remedy="leave it out, or use None or a text",
        )
    return raw


def _not_finite(value: Any, where: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float):
        if not isfinite(value):
            yield where, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _not_finite(item, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _not_finite(item, f"{where}[{index}]")
    elif isinstance(value, Enum):
        yield from _not_finite(value.value, where)


def verbatim(data: bytes) -> dict[str, str]:
    """Store bytes inside a record: UTF-8 as readable text, anything else as base64.

    >>> verbatim(b"stop"), verbatim(b"\\xff")
    ({'text': 'stop'}, {'base64': '/w=='})
    """
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}

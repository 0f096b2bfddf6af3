"""The line of an intent in the usual case: written from a template that the codec has made.

An intent that has no agent and rests on a state differs from others of its type in a few numbers only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from volition.execution.codec import encode
from volition.execution.frames import IntentFrame
from volition.execution.intents import CANONICAL, Move

if TYPE_CHECKING:
    from volition.execution.intents import CanonicalIntent

_ID, _TTL, _SEQ = _NUMBERS = 9_007_000_000_000_001, 9_007_000_000_000_002, 9_007_000_000_000_003
_VECTOR: Final = "vector"
_encode: Final = msgspec.json.Encoder().encode


def _template(name: str) -> bytes:
    """The line with places for id, ttl, the vector of a MOVE, and the state's seq."""
    parameters = {"vector": _VECTOR} if name == Move.name else {}
    line = encode(IntentFrame(id=_ID, intent=name, ttl_ms=_TTL, parameters=parameters, based_on=_SEQ))
    for number in _NUMBERS:
        line = line.replace(b"%d" % number, b"%d")
    return line.replace(b':"%b"' % _VECTOR.encode(), b":%b")


_TEMPLATES: Final[dict[type, bytes]] = {kind: _template(name) for name, kind in CANONICAL.items()}


def plain_line(intent: CanonicalIntent, id: int, ttl_ms: int, based_on: int) -> bytes:
    r"""What `encode` gives for an intent without an agent.

    >>> from volition.execution.intents import Jump
    >>> plain_line(Jump(), 1, 500, 0)
    b'{"v":1,"type":"intent","id":1,"intent":"JUMP","ttl_ms":500,"based_on":0}\n'
    """
    template = _TEMPLATES[type(intent)]
    if type(intent) is Move:
        return template % (id, ttl_ms, _encode(intent.vector), based_on)
    return template % (id, ttl_ms, based_on)

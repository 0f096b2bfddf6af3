"""The usual attempt, written quickly: from a template that the general way has made.

Nearly all attempts are alike: a bare intent, answered well, with no damage and nobody dead. The records of such attempts
differ in a few numbers and in the bytes of the result. So the first one of a kind is written field by field, its numbers
are taken out, and those that follow fill them in again. What is not beyond doubt is left to the general way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from volition.execution.journal.records import Attempt, StateKey, body

if TYPE_CHECKING:
    from volition.execution.door.outcome import Outcome
    from volition.execution.results import Result

_encode: Final = msgspec.json.Encoder().encode
_NUMBERS: Final = tuple(range(9_007_000_000_000_001, 9_007_000_000_000_010))
"""What stands for the numbers of a record while its template is made: nothing else in it is as large."""


class Templates:
    """One template for each kind of usual attempt; it gives the bytes that `body` would give, or none.

    It knows nothing of rewards but this: of all usual attempts of one kind the reward is the same. So it is only for a
    reward function that looks at nothing but the label and at what `_usual` asks for.
    """

    def __init__(self) -> None:
        self._templates: dict[tuple[str, str, str, bool, str], bytes] = {}

    def fill(
        self, outcome: Outcome, state: StateKey | None, next_state: StateKey | None, body: str = ""
    ) -> bytes | None:
        """The body of the record of a usual attempt of a known kind; None for any other."""
        requested, result = outcome.requested, outcome.result
        kind = (outcome.purpose, requested.intent, outcome.label, next_state is None, body)
        template = self._templates.get(kind)
        if template is None or not _usual(outcome, state, next_state):
            return None
        words = _encode(result)
        line = outcome.line
        # A good frame that ends so has these words as its result. No text can hold the beginning: its quote would end it.
        if not line.endswith(b',"result":%b}' % words) and payload_of(line, result) is not UNSET:  # type: ignore[union-attr]
            return None
        keys = state if next_state is None else (*state, *next_state)  # type: ignore[misc]
        return template % (
            outcome.ticket, words, round(outcome.elapsed * 1e6), outcome.connection, outcome.id,
            *keys, outcome.state.episode,  # type: ignore[misc, union-attr]
        )  # fmt: skip

    def learn(self, outcome: Outcome, record: Attempt) -> None:
        """Keep the template of an attempt that was written in the general way, if it is a usual one."""
        if not _usual(outcome, record.state, record.next_state) or record.payload is not UNSET:
            return
        ticket, elapsed, connection, id, *keys, episode = _NUMBERS
        next_key = None if record.next_state is None else tuple(keys[2:])
        blank = msgspec.structs.replace(
            record,
            ticket=ticket,
            elapsed_us=elapsed,
            connection=connection,
            id=id,
            state=tuple(keys[:2]),
            next_state=next_key,
            episode=episode,
        )
        template = body(blank).replace(_encode(record.result), b"%b")
        for number in _NUMBERS:
            template = template.replace(b"%d" % number, b"%d")
        kind = (outcome.purpose, outcome.requested.intent, outcome.label, next_key is None, record.body)
        self._templates[kind] = template


def _usual(outcome: Outcome, state: StateKey | None, next_state: StateKey | None) -> bool:
    """Whether nothing but the kind and the numbers of an attempt can show in its record."""
    requested, sent, before, after = outcome.requested, outcome.sent, outcome.state, outcome.next_state
    happened = outcome.result.outcomes
    return (
        outcome.line is not None
        and sent is not None
        and sent.name == requested.intent != "MOVE"
        and requested.parameters is None
        and requested.agent is None
        and not outcome.violations
        and not outcome.detail
        and happened.is_alive
        and not happened.action_wasted
        and not happened.damage_dealt
        and not happened.damage_received
        and before is not None
        and len(state) == 2  # type: ignore[arg-type]
        and (after is None or (len(next_state) == 2 and after.episode == before.episode))  # type: ignore[arg-type]
    )


class _Answer(msgspec.Struct):
    """Of an answer's line, the bytes of the result alone."""

    result: msgspec.Raw = msgspec.Raw(b"null")


_answer: Final = msgspec.json.Decoder(_Answer).decode


def payload_of(line: bytes | None, result: Result) -> Any | UnsetType:
    """The executor's own words, where they are not those of the result: more, less, or otherwise."""
    if line is None:
        return UNSET
    words = _answer(line).result
    if bytes(words) == _encode(result) or msgspec.json.decode(words) == msgspec.to_builtins(result):
        return UNSET
    return words

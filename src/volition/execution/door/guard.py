"""What may cross the bridge: only the seven intents and declared ones, and a failing one only a few times.

The retry rule, for each agent separately: after an intent has failed `retries + 1` times in a row for the same reason,
the next similar one is refused. Similar means the same name and the same parameters, but for MOVE a direction within 15
degrees of the first one in the row, at any distance. A result counts as a failure if it has a reason, whether FAILURE or PARTIAL. Success, a
different reason or a different intent of the policy starts a new row. A request waits while the similar ones in flight
could still use up the retries, so that a full window of them does not fail as a whole. STOP is exempt, and only sent
intents count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, hypot, radians
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

from volition.core.errors import InvalidInput, Problem, format_value
from volition.execution.wire.declared import Custom
from volition.execution.wire.intents import CANONICAL, NONE_DECLARED, AnyIntent, Move, Stop, parse_intent

if TYPE_CHECKING:
    from volition.execution.wire.declared import DeclaredIntents
    from volition.execution.wire.intents import Vector
    from volition.execution.wire.results import FailureReason, Result

_KINDS: Final = frozenset(CANONICAL.values())
_STRAIGHT: Final = cos(radians(15)) - 1e-12
"""The minimum cosine between the vectors of two similar MOVEs; exactly 15 degrees is still similar."""


class Admit(Struct, frozen=True, gc=False):
    """The intent may be sent."""

    intent: AnyIntent


class Wait(Struct, frozen=True, gc=False):
    """Whether the intent may be sent depends on similar ones in flight."""

    intent: AnyIntent


class RefuseRetry(Struct, frozen=True, gc=False):
    """The intent has failed too often: `failures` times in a row for `reason`."""

    intent: AnyIntent
    reason: FailureReason
    failures: int

    @property
    def detail(self) -> str:
        """Why it is refused, and what to do about it."""
        remedy = "send another intent first (STOP always may be)"
        if isinstance(self.intent, Move):
            remedy += ", or a MOVE that turns away by more than 15 degrees"
        return f"not sent: {self.intent.name} failed {self.failures} times in a row with {self.reason}; {remedy}"


class Intercept(Struct, frozen=True, gc=False):
    """This is neither a canonical intent nor a declared one; STOP is sent in its place."""

    problems: tuple[Problem, ...]


Ruling: TypeAlias = Admit | Wait | RefuseRetry | Intercept


@dataclass(slots=True)
class _Row:
    """The newest similar attempts of one agent: failures in a row for `reason`, tickets in flight.

    Attempts are compared with `first`, so that a row does not drift in direction.
    """

    first: AnyIntent
    reason: FailureReason = "NONE"
    failures: int = 0
    open: set[int] = field(default_factory=set)


class Guard:
    """Judges requests, from what it is told about sent intents and their results.

    >>> from volition.execution.wire.intents import Jump
    >>> Guard().judge("JUMP", None, None)
    Admit(intent=Jump())
    >>> Guard().judge("JUMP", {"if": "grounded"}, None).problems[0].what
    "JUMP has no parameter 'if'"
    """

    def __init__(self, retries: int = 3) -> None:
        self._most = retries + 1
        self._rows: dict[str | None, _Row] = {}
        self.declared: DeclaredIntents | None = None
        """What the newest executor has declared; None before the first one, when any `Custom` may be one of them."""

    def judge(self, intent: object, parameters: Any, agent: str | None) -> Ruling:
        """What to do with a request now. It changes nothing and never raises."""
        canonical = _canonical(intent, parameters, self.declared)
        if isinstance(canonical, Intercept):
            return canonical
        row = self._rows.get(agent)
        if row is None or type(canonical) is Stop or not alike(row.first, canonical):
            return Admit(canonical)
        if row.failures >= self._most:
            return RefuseRetry(canonical, row.reason, row.failures)
        return Admit(canonical) if row.failures + len(row.open) < self._most else Wait(canonical)

    def has_used_retries(self, agent: str | None) -> bool:
        """Whether the newest attempts of an agent have used up their retries."""
        row = self._rows.get(agent)
        return row is not None and row.failures >= self._most

    def note_sent(self, ticket: int, intent: AnyIntent, agent: str | None) -> None:
        """An intent of the policy was sent."""
        row = self._rows.get(agent)
        if row is None:
            row = self._rows[agent] = _Row(intent)
        elif not row.failures and not row.open:
            row.first = intent
        elif not alike(row.first, intent):
            row = self._rows[agent] = _Row(intent)
        if type(intent) is not Stop:
            row.open.add(ticket)

    def forget_failures(self) -> None:
        """The world begins again: what failed in it says nothing about the next."""
        self._rows.clear()

    def note_result(self, ticket: int, agent: str | None, result: Result) -> None:
        """An intent has its result. It no longer counts if a different intent was sent after it."""
        row = self._rows.get(agent)
        if row is None or ticket not in row.open:
            return
        row.open.remove(ticket)
        if result.status == "SUCCESS" or result.failure_reason == "NONE":
            row.failures = 0
            return
        if row.failures and result.failure_reason == row.reason:
            row.failures += 1
        else:
            row.reason, row.failures = result.failure_reason, 1


def alike(one: AnyIntent, other: AnyIntent) -> bool:
    """Whether two intents count as the same attempt: equal, or MOVEs with directions within 15 degrees.

    >>> alike(Move((1, 0, 0)), Move((7, 1, 0))), alike(Move((1, 0, 0)), Move((1, 1, 0)))
    (True, False)
    """
    if one == other:
        return True
    return isinstance(one, Move) and isinstance(other, Move) and _straight(_unit(one.vector), _unit(other.vector))


def _straight(one: Vector | None, other: Vector | None) -> bool:
    if one is None or other is None:
        return one is other
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2] >= _STRAIGHT


def _unit(vector: Vector) -> Vector | None:
    """The unit vector, or None for a zero vector. Scaled first, so that it neither overflows nor underflows."""
    size = max(map(abs, vector))
    if not size:
        return None
    x, y, z = (number / size for number in vector)
    length = hypot(x, y, z)
    return x / length, y / length, z / length


def _canonical(intent: object, parameters: object, declared: DeclaredIntents | None) -> AnyIntent | Intercept:
    if type(intent) in _KINDS or isinstance(intent, Custom):
        if parameters is None:
            return _check_declared(intent, declared) if isinstance(intent, Custom) else intent  # type: ignore[return-value]
        what = f"parameters beside an intent that has its own: {format_value(parameters)}"
        return Intercept((Problem(what, "parameters", "none", "put them into the intent, or give its name"),))
    try:
        return parse_intent(intent, parameters, declared or NONE_DECLARED)
    except InvalidInput as error:
        return Intercept(error.problems)
    except Exception as error:  # noqa: BLE001  whatever a policy hands over, the answer is STOP
        what = f"{format_value(intent)} cannot be read: {format_value(error)}"
        return Intercept((Problem(what, "intent", "one of the seven canonical intents", "give plain data"),))


def _check_declared(intent: Custom, declared: DeclaredIntents | None) -> Custom | Intercept:
    problems = () if declared is None else declared.problems(intent.name, intent.parameters)
    return Intercept(problems) if problems else intent

"""What may cross the bridge: the seven intents and no other, and a failing one not for ever.

The rule of retries, for each agent by itself: after an intent has failed `retries + 1` times in a row for the same
reason, the next one like it is refused. Like it is an intent of the same name; a MOVE also has the same direction, to
15 degrees from that of the first one in the row, however far it goes. A result fails if it has a reason, be it FAILURE
or PARTIAL. Success, another reason or another intent of the policy begins a new row. Once a failure is known, an attempt
waits as long as those in flight, should they fail too, would use the retries up. STOP is exempt, and only what was sent
counts.
"""

from __future__ import annotations

from math import cos, hypot, radians
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

from volition.core.errors import InvalidInput, Problem, shown
from volition.execution.intents import CANONICAL, CanonicalIntent, Move, Stop, read_intent

if TYPE_CHECKING:
    from volition.execution.intents import Vector
    from volition.execution.results import FailureReason, Result

_KINDS: Final = frozenset(CANONICAL.values())
_STRAIGHT: Final = cos(radians(15)) - 1e-12
"""The least cosine between the vectors of two MOVEs that are alike; an angle of 15 degrees is within it."""
_BARE: Final[dict[str, CanonicalIntent]] = {name: read_intent(name) for name in CANONICAL if name != "MOVE"}


class Admit(Struct, frozen=True, gc=False):
    """The intent may be sent."""

    intent: CanonicalIntent


class Wait(Struct, frozen=True, gc=False):
    """The intent may be sent or not, as soon as more is known of those like it in flight."""

    intent: CanonicalIntent


class RefuseRetry(Struct, frozen=True, gc=False):
    """The intent has failed too often: `failures` times in a row for `reason`."""

    intent: CanonicalIntent
    reason: FailureReason
    failures: int

    @property
    def detail(self) -> str:
        """What is wrong, and what ends it."""
        way_out = "send another intent first (STOP always may be)"
        if isinstance(self.intent, Move):
            way_out += ", or a MOVE that turns away by more than 15 degrees"
        return f"not sent: {self.intent.name} failed {self.failures} times in a row with {self.reason}; {way_out}"


class Intercept(Struct, frozen=True, gc=False):
    """This is no canonical intent; STOP goes in its place."""

    problems: tuple[Problem, ...]


Verdict: TypeAlias = Admit | Wait | RefuseRetry | Intercept


class _Row:
    """The newest attempts of one agent that are alike: failures in a row for `reason`, tickets in flight.

    `first` is the attempt that began it: a row does not turn with its members.
    """

    __slots__ = ("failures", "first", "open", "reason")

    def __init__(self, first: CanonicalIntent) -> None:
        self.first = first
        self.reason: FailureReason = "NONE"
        self.failures = 0
        self.open: set[int] = set()


class Guard:
    """Judges what is about to be sent, and is told what was sent and what came of it.

    >>> from volition.execution.intents import Jump
    >>> Guard().judge("JUMP", None, None)
    Admit(intent=Jump())
    >>> Guard().judge("JUMP", {"if": "grounded"}, None).problems[0].what
    "JUMP has no parameter 'if'"
    """

    def __init__(self, retries: int = 3) -> None:
        self._most = retries + 1
        self._rows: dict[str | None, _Row] = {}
        self.failing: set[str | None] = set()
        """The agents whose newest attempts are known to have failed; all others may send any canonical intent."""

    def judge(self, intent: object, parameters: Any, agent: str | None) -> Verdict:
        """What to do with a request now; it changes nothing, and no request makes it raise."""
        canonical = _canonical(intent, parameters)
        if isinstance(canonical, Intercept):
            return canonical
        row = self._rows.get(agent)
        if row is None or not row.failures or not alike(row.first, canonical):
            return Admit(canonical)
        if row.failures >= self._most:
            return RefuseRetry(canonical, row.reason, row.failures)
        return Admit(canonical) if row.failures + len(row.open) < self._most else Wait(canonical)

    def exhausted(self, agent: str | None) -> bool:
        """Whether the newest attempts of an agent have used their retries up."""
        row = self._rows.get(agent)
        return row is not None and row.failures >= self._most

    def sent(self, ticket: int, intent: CanonicalIntent, agent: str | None) -> None:
        """An intent of the policy is on its way."""
        row = self._rows.get(agent)
        if row is None:
            row = self._rows[agent] = _Row(intent)
        elif not row.failures and not row.open:
            row.first = intent
        elif not alike(row.first, intent):
            row = self._rows[agent] = _Row(intent)
            self.failing.discard(agent)
        if type(intent) is not Stop:
            row.open.add(ticket)

    def learned(self, ticket: int, agent: str | None, result: Result) -> None:
        """An intent has had its final word. One that another intent has followed meanwhile counts no more."""
        row = self._rows.get(agent)
        if row is None or ticket not in row.open:
            return
        row.open.remove(ticket)
        if result.status == "SUCCESS" or result.failure_reason == "NONE":
            if row.failures:
                row.failures = 0
                self.failing.discard(agent)
            return
        self.failing.add(agent)
        if row.failures and result.failure_reason == row.reason:
            row.failures += 1
        else:
            row.reason, row.failures = result.failure_reason, 1


def alike(one: CanonicalIntent, other: CanonicalIntent) -> bool:
    """Whether two intents are the same attempt: the same name, and for MOVE the same direction to 15 degrees.

    >>> alike(Move((1, 0, 0)), Move((7, 1, 0))), alike(Move((1, 0, 0)), Move((1, 1, 0)))
    (True, False)
    """
    if type(one) is not type(other):
        return False
    if type(one) is not Move or one.vector == other.vector:  # type: ignore[union-attr]
        return True
    return _straight(_unit(one.vector), _unit(other.vector))  # type: ignore[union-attr]


def _straight(one: Vector | None, other: Vector | None) -> bool:
    if one is None or other is None:
        return one is other
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2] >= _STRAIGHT


def _unit(vector: Vector) -> Vector | None:
    """The direction of a vector; None where it has none. Neither the largest nor the smallest number breaks it."""
    size = max(map(abs, vector))
    if not size:
        return None
    x, y, z = (number / size for number in vector)
    length = hypot(x, y, z)
    return x / length, y / length, z / length


def _canonical(intent: object, parameters: object) -> CanonicalIntent | Intercept:
    if type(intent) in _KINDS:
        if parameters is None:
            return intent  # type: ignore[return-value]
        what = f"parameters beside an intent that has its own: {shown(parameters)}"
        return Intercept((Problem(what, "parameters", "none", "put them into the intent, or give its name"),))
    if parameters is None and type(intent) is str and intent in _BARE:
        return _BARE[intent]
    try:
        return read_intent(intent, parameters)
    except InvalidInput as error:
        return Intercept(error.problems)
    except Exception as error:  # noqa: BLE001  whatever a policy hands over, the answer is STOP
        what = f"{shown(intent)} cannot be read: {shown(error)}"
        return Intercept((Problem(what, "intent", "one of the seven canonical intents", "give plain data"),))

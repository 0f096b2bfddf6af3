"""What may cross the bridge: the seven intents and no other, and a failing one not for ever.

The rule of retries, for each agent by itself: after an intent has failed `retries + 1` times in a row for the same
reason, whatever its parameters, the next one like it is refused. Success, another reason or another intent of the
policy begins anew. Once a failure is known, an attempt waits as long as those in flight, should they fail too, would
use the retries up. STOP is exempt, and only what was sent counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

from volition.core.errors import InvalidInput, Problem, shown
from volition.execution.intents import CANONICAL, CanonicalIntent, read_intent

if TYPE_CHECKING:
    from volition.execution.door.outcome import Outcome
    from volition.execution.results import FailureReason

_KINDS: Final = frozenset(CANONICAL.values())
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


class Intercept(Struct, frozen=True, gc=False):
    """This is no canonical intent; STOP goes in its place."""

    problems: tuple[Problem, ...]


Verdict: TypeAlias = Admit | Wait | RefuseRetry | Intercept


class _Run:
    """The newest attempts of one agent that have one name: failures in a row for `reason`, tickets in flight."""

    __slots__ = ("failures", "name", "open", "reason")

    def __init__(self, name: str) -> None:
        self.name = name
        self.reason: FailureReason = "NONE"
        self.failures = 0
        self.open: set[int] = set()

    def begin(self, name: str) -> None:
        """Another intent follows: what is in flight, and what has failed, counts no more."""
        self.name, self.failures = name, 0
        if self.open:
            self.open = set()


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
        self._runs: dict[str | None, _Run] = {}
        self.failing: set[str | None] = set()
        """The agents whose newest attempts are known to have failed; all others may send any canonical intent."""

    def judge(self, intent: object, parameters: Any, agent: str | None) -> Verdict:
        """What to do with a request now; it changes nothing, and no request makes it raise."""
        canonical = _canonical(intent, parameters)
        if isinstance(canonical, Intercept):
            return canonical
        run = self._runs.get(agent)
        if run is None or not run.failures or run.name != canonical.name:
            return Admit(canonical)
        if run.failures >= self._most:
            return RefuseRetry(canonical, run.reason, run.failures)
        return Admit(canonical) if run.failures + len(run.open) < self._most else Wait(canonical)

    def sent(self, ticket: int, name: str, agent: str | None) -> None:
        """An intent of the policy is on its way."""
        run = self._runs.get(agent)
        if run is None:
            run = self._runs[agent] = _Run(name)
        elif run.name != name:
            run.begin(name)
            self.failing.discard(agent)
        if name != "STOP":
            run.open.add(ticket)

    def learned(self, outcome: Outcome) -> None:
        """An intent has had its final word. One that another name has followed meanwhile counts no more."""
        agent = outcome.requested.agent
        run = self._runs.get(agent)
        if run is None or outcome.ticket not in run.open:
            return
        run.open.remove(outcome.ticket)
        result = outcome.result
        if result.status != "FAILURE":
            if run.failures:
                run.failures = 0
                self.failing.discard(agent)
            return
        self.failing.add(agent)
        if run.failures and result.failure_reason == run.reason:
            run.failures += 1
        else:
            run.reason, run.failures = result.failure_reason, 1


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

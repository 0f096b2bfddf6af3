"""What the bridge's side of a session sends: intents, cancels and requests for states, each with an id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from volition.core.errors import refuse
from volition.execution.wire import frames
from volition.execution.wire.intents import Stop
from volition.execution.wire.session import checks
from volition.execution.wire.session.events import SessionEvent
from volition.execution.wire.session.link import Link
from volition.execution.wire.session.open_intents import OpenIntent, OpenIntents
from volition.execution.wire.session.phases import GREETED, BridgePhase
from volition.execution.wire.session.states import States

if TYPE_CHECKING:
    from volition.execution.wire.intents import CanonicalIntent
    from volition.execution.wire.marks import RequestMark
    from volition.execution.wire.session.events import Purpose
    from volition.execution.wire.session.handshake import Offer
    from volition.execution.wire.session.link import Timing


class Sender(Link[BridgePhase, SessionEvent]):
    """The sending half of a session; `Session` adds the receiving half."""

    def __init__(self, offer: Offer, *, now: float, timing: Timing | None) -> None:
        super().__init__("greeting", now=now, timing=timing)
        self.offer = offer
        self.welcome: frames.Welcome | None = None
        self._next_id = 1
        self._open = OpenIntents()
        self._states = States(now=now)
        self._send(offer.hello())

    @property
    def state(self) -> frames.StateFrame | None:
        """The newest state; an intent is based on it unless another is named."""
        return self._states.newest

    @property
    def full_state(self) -> frames.StateFrame | None:
        """The newest full state."""
        return self._states.newest_full

    def find_state(self, seq: int | None) -> frames.StateFrame | None:
        """The state with this `seq`, if it is one of the last 128; the newest one for None."""
        return self._states.newest if seq is None else self._states.recent.get(seq)

    @property
    def open_ids(self) -> tuple[int, ...]:
        """The intents without a result, oldest first."""
        return self._open.ids

    @property
    def room(self) -> int:
        """How many intents other than STOP may be sent now: none while the session's own STOP is open."""
        if self.phase != "ready" or self.welcome is None or self._open.stop is not None or self.offer.observes:
            return 0
        return max(0, self.welcome.limits.max_inflight - len(self._open))

    def send(
        self,
        intent: CanonicalIntent,
        *,
        now: float,
        ttl: float,
        based_on: int | None = None,
        agent: str | None = None,
        purpose: Purpose = "policy",
        request: Any = None,
        mark: RequestMark | None = None,
    ) -> int:
        """Send an intent that is valid for `ttl` seconds, and return its id; InvalidInput if it may not be sent now.

        `purpose` and `request`, which may be any object, come back with its `Finished`. The purpose "instead" is for a
        STOP in place of a refused intent.
        """
        checks.check_intent(intent)
        checks.check_terms(ttl, based_on, agent)
        if self.offer.observes:
            checks.refuse_acting()
        if not (self.room or (isinstance(intent, Stop) and self.phase in GREETED)):
            refuse(
                f"{intent.name} cannot be sent now: the session is {self.phase}, with {len(self._open)} intents open",
                where="session",
                expected="a ready session with room",
                remedy="wait until room is above 0; STOP may be sent as soon as the handshake is over",
            )
        if based_on is None and self.state is not None:
            based_on = self.state.seq
        return self._dispatch(intent, purpose, now, ttl, based_on, agent, request, mark)

    def _dispatch(
        self,
        intent: CanonicalIntent,
        purpose: Purpose,
        now: float,
        ttl: float,
        based_on: int | None = None,
        agent: str | None = None,
        request: Any = None,
        mark: RequestMark | None = None,
    ) -> int:
        id = self._take_id()
        frame = frames.IntentFrame(
            id=id,
            intent=intent.name,
            parameters=intent.parameters,
            ttl_ms=max(1, round(ttl * 1000)),
            based_on=based_on,
            agent=agent,
            **({} if mark is None else msgspec.structs.asdict(mark)),
        )
        self._send(frame)
        self._open.add(id, OpenIntent(intent, purpose, now, now + ttl + self.timing.grace, request))
        return id

    def cancel(self, id: int) -> None:
        """Ask the executor to cancel an intent; its result still follows. No effect on a finished intent."""
        if id in self._open:
            self._send(frames.Cancel(id=id))

    def request_state(self, *, now: float, full: bool = True, ttl: float = 1.0) -> int:
        """Ask for a state; `StateArrived` or `StateMissing` follows."""
        if self.phase not in GREETED:
            refuse(
                f"no state can be asked for: the session is {self.phase}",
                where="session",
                expected="a session after its handshake",
                remedy="wait for Welcomed",
            )
        id = self._take_id()
        self._send(frames.StateRequest(id=id, full=full))
        self._states.expect(id, full=full, deadline=now + ttl)
        return id

    def _take_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _send_stop(self, purpose: Purpose, now: float) -> None:
        if not self.offer.observes:
            self._open.stop = self._dispatch(Stop(), purpose, now, self.timing.stop)

"""The test bed of the laws: connections to one executor, one after the other, and what is known about it.

A law begins with a connection: `connect` (nothing said yet), `begin_session` (after the welcome), `open_session` (after the
opening) or `session`, the opened one that laws share while nothing is wrong with it. A new connection closes all others
first, unless it is opened beside them. After each law `settle` ends what it left open, or hangs up where it did not hold.
An experiment that several laws judge is made once (`once`). The first welcome says what is offered, and the probe reads
what the states mean: `need...` raise Unoffered where a law needs more than there is.
"""

from __future__ import annotations

from contextlib import suppress
from math import ceil
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from volition import __version__
from volition.core.clock import SystemClock
from volition.core.errors import refuse
from volition.execution.conformance.connection import ANSWER, KitConnection, Log
from volition.execution.conformance.offering import Offering
from volition.execution.conformance.patience import Blocked, Unjudged, call_within
from volition.execution.conformance.verdict import Breaks, Frame, NotApplicable, TooLate, Unoffered
from volition.execution.conformance.world_time import LOOKS, WATCHED, WATCHED_SECONDS, Patience, let_pass
from volition.execution.wire.probe import FEATURE, WireProbe
from volition.execution.wire.session.handshake import HandshakeFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.core.clock import Clock
    from volition.execution.conformance.verdict import Frame
    from volition.execution.transports.stream import Stream
    from volition.execution.wire.probe import Probe, Sight


T = TypeVar("T")

FEATURES: Final = ("events", "next_state", "progress", "state_push")
GREETING: Final = 5.0
RELEASE: Final = 3.5
"""How long, in seconds, an executor may take to notice that its bridge is gone."""
_WELCOME: Final = "a welcome other than not_ready"
_FAULTS: Final = 50
"""After this many bad lines the kit opens a new connection: an executor may hang up after 100."""
_REST: Final = 0.5


class Gone(Exception):
    """The executor cannot be reached any more."""


class TestBed(Offering):
    """One executor under test. `shared` is false where every dial starts another executor."""

    __test__: ClassVar = False
    """pytest takes a class of this name for tests otherwise."""

    def __init__(
        self, dial: Callable[[], Stream], clock: Clock, *, token: str | None, seed: int, probe: Probe | None,
        known_probes: Iterable[Probe] = (), shared: bool, restart: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        self.restart = restart
        super().__init__(probe, shared=shared)
        self.clock, self.token, self.seed = clock, token, seed
        self.log = Log()
        self.known_probes = tuple(known_probes)
        self.findings: dict[str, Any] = {}
        """Results of experiments, by name, for the checks that share them."""
        self._dial = dial
        self._connections: list[KitConnection] = []
        self._session: KitConnection | None = None
        self._dialled = 0

    # Connections.

    def connect(self, *, beside: bool = False) -> KitConnection:
        """A new connection without any traffic yet; all others are closed first, unless it is opened `beside` them."""
        if not beside:
            self.hang_up()
        try:
            stream = self._dial_in_time()
        except (HandshakeFailed, OSError) as error:
            raise Gone(str(error)) from error
        self._dialled += 1
        connection = KitConnection(stream, self._dialled, self.clock, self.log)
        self._connections.append(connection)
        return connection

    def _dial_in_time(self) -> Stream:
        """Dial, and give up where the kit's time is over; a manual clock stands still meanwhile."""
        waiting, left = self.log.waiting, self.log.waiting.left(self.clock.monotonic())
        waiting.expect_time(self.clock.monotonic())
        if left is None or not isinstance(self.clock, SystemClock):
            return self._dial()
        stream = call_within(self._dial, left, lambda late: late.close())
        if stream is None:
            raise Unjudged("the executor could not be reached in the time that was left")
        return stream

    def hang_up(self) -> None:
        """Close every connection with a goodbye."""
        for connection in self._connections:
            if not connection.ended:
                with suppress(Unjudged):
                    connection.say({"type": "goodbye", "reason": "next check"})
            connection.close()
        self._connections.clear()
        self._session = None

    def hello(self, **changes: Any) -> Frame:
        """The greeting; a change to None removes a field."""
        frame: Frame = {
            "type": "hello",
            "spec": "1.0.0",
            "client": {"name": "volition-conformance", "version": __version__},
            "features": [*FEATURES, FEATURE] if self._probes_by_wire else list(FEATURES),
            "token": self.token,
            **changes,
        }
        return {key: value for key, value in frame.items() if value is not None}

    def greet(self, connection: KitConnection, **changes: Any) -> Frame:
        """Send the greeting; returns the welcome or the reject."""
        connection.say(self.hello(**changes))
        return connection.until(lambda frame: frame.get("type") in {"welcome", "reject"}, "welcome or reject", GREETING)

    def connect_and_greet(self, **changes: Any) -> tuple[KitConnection, Frame]:
        """Greet on a new connection: the connection and the answer.

        An executor may need a moment to notice that the previous bridge is gone: until then, not_ready is retried.
        """
        waiting = self.log.waiting
        until = self.clock.monotonic() + waiting.time_for(_WELCOME, RELEASE)
        while True:
            connection = self.connect()
            answer = self.greet(connection, **changes)
            if answer.get("code") != "not_ready":
                waiting.note_answer(_WELCOME)
                return connection, answer
            if self.clock.monotonic() > until:
                waiting.note_silence(_WELCOME)
                return connection, answer
            self.clock.sleep(0.02)

    def begin_session(self, **changes: Any) -> KitConnection:
        """A new connection after its welcome."""
        connection, answer = self.connect_and_greet(**changes)
        found = f"a reject ({answer.get('code')})"
        if answer["type"] != "welcome":
            # An executor that has no core may notice late that the previous bridge is gone.
            raise (TooLate if answer.get("code") == "not_ready" else Breaks)(found, expected="a welcome")
        return connection

    def open_session(self, **changes: Any) -> KitConnection:
        """A new connection after its opening: full state and STOP."""
        connection = self.begin_session(**changes)
        connection.state()
        connection.do("STOP")
        return connection

    def open_with(self, feature: str, **changes: Any) -> KitConnection:
        """A new connection after its opening, with one more feature; Unoffered where the executor does not have it."""
        connection = self.open_session(features=[*self.hello()["features"], feature], **changes)
        if feature not in connection.features:
            raise Unoffered(f"the executor does not offer the feature {feature!r}")
        return connection

    def session(self) -> KitConnection:
        """The connection that checks share while nothing is wrong with it: opened, with nothing under way."""
        connection = self._session
        if connection is None or connection.ended or len(connection.frames("error")) > _FAULTS:
            connection = self._session = self.open_session()
        return connection

    def settle(self, *, clean: bool) -> None:
        """After a check: the shared connection is kept only where the check held and STOP ends what it left open."""
        if not clean:
            self.hang_up()
        elif self._session is not None and not self._session.ended:
            try:
                self._session.do("STOP")
            except (Breaks, Unjudged):
                self.hang_up()

    def forget(self) -> None:
        """Before a check is retried: drop everything that may depend on timing."""
        self.hang_up()
        self.findings.clear()
        self.log.waiting.forgive()

    def once(self, experiment: Callable[[TestBed], T]) -> T:
        """The result of an experiment, which is made once for all checks that share it, and so is that it has none."""
        name = experiment.__name__
        if name not in self.findings:
            try:
                self.findings[name] = experiment(self)
            except (NotApplicable, Unjudged) as reason:
                self.findings[name] = reason
        result: T = self.findings[name]
        if isinstance(result, NotApplicable | Unjudged):
            raise result
        return result

    # What the welcome says.

    def know(self, welcome: Frame) -> None:
        """Keep the first welcome, and choose the probe: the one given, the executor's own, or a known one for this schema."""
        self.welcome = welcome
        schema = welcome.get("state_schema")
        schema = schema if isinstance(schema, dict) else {}
        features = welcome.get("features")
        if self.probe is not None:
            if not self.probe.fits(schema):
                refuse(
                    f"{type(self.probe).__name__} does not read the states of this executor: {schema.get('name')!r}",
                    where="probe",
                    expected="a probe for the schema of the welcome",
                    remedy="name another class, or let `fits` accept this schema",
                )
        elif isinstance(features, list) and FEATURE in features:
            self.probe = WireProbe()
        else:
            self.probe = next((probe for probe in self.known_probes if probe.fits(schema)), None)

    @property
    def _probes_by_wire(self) -> bool:
        """Whether to ask for the feature `probe`: first to learn whether it is offered, then while it is used."""
        return isinstance(self.probe, WireProbe) or (self.probe is None and not self.welcome)

    # What the states say.

    def state(self, connection: KitConnection) -> Frame:
        """A full state whose data the probe reads: the state's own, or the executor's answer to a probe of the same moment."""
        if not isinstance(self.probe, WireProbe):
            return connection.state()
        request, read = connection.next_id(), connection.next_id()
        since = len(connection.heard)
        connection.say({"type": "state_request", "id": request, "full": True}, {"type": "probe.read", "id": read})
        answer = connection.await_frame("probe.sight", id=read)
        states = connection.frames("state", since=since, id=request)
        if not states:
            raise Breaks("a probe.sight before the state that was requested first", expected="answers in order")
        return {**states[0], "data": answer}

    def see(self, connection: KitConnection) -> Sight:
        """The world now, as the probe reads it."""
        return self.read(self.state(connection))

    def read(self, state: Frame) -> Sight:
        """What the probe sees in a state returned by `state`."""
        try:
            return self.need_probe().see(state.get("data"))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            what = f"a state that does not match its schema: {type(error).__name__}: {error}"
            raise Breaks(what, expected="states of the schema that the welcome names") from error

    def look(
        self, connection: KitConnection, wanted: Callable[[Sight], bool], what: str, within: float = 6.0
    ) -> tuple[Frame, Sight]:
        """Poll until the world is as wanted: the state and what the probe sees in it; NotApplicable where it never is."""
        kind = f"an actor that is {what}"
        share = min(1.0, self.log.waiting.time_for(kind, within) / within)
        patience = Patience(connection, within * share, self.tick, looks=round(LOOKS * share))
        for _ in patience:
            state = self.state(connection)
            sight = self.read(state)
            if wanted(sight):
                self.log.waiting.note_answer(kind)
                return state, sight
            connection.gather(self.tick or 0.05)
        try:
            self.log.waiting.note_silence(kind)
        except Blocked as known:
            raise NotApplicable(str(known)) from known
        raise patience.give_up(f"within {within:g} s the actor was never {what}")

    def patience(self, connection: KitConnection, seconds: float) -> Patience:
        """For looking again until this much time has passed in the world."""
        return Patience(connection, seconds, self.tick)

    def let_pass(self, connection: KitConnection, ticks: int) -> None:
        """Listen until the world has gone on by this many ticks."""
        let_pass(connection, ticks, self.tick)

    def let_coast(self, connection: KitConnection, share: float = 1.0) -> None:
        """Listen until the actor has had the time to coast that its executor declares, or a share of it."""
        if self.coast:
            self._let_seconds_pass(connection, self.coast * share)

    def watch(self, connection: KitConnection, ticks: int = WATCHED) -> None:
        """Listen for as long as it takes to see whether the actor moves."""
        if self.tolerance:
            self._let_seconds_pass(connection, WATCHED_SECONDS)
        else:
            self.let_pass(connection, ticks)

    def _let_seconds_pass(self, connection: KitConnection, seconds: float) -> None:
        let_pass(connection, ceil(seconds / self.tick) if self.tick else 0, self.tick, usual=seconds)

    def watch_tick(self, connection: KitConnection, read: Callable[[], Any]) -> tuple[Any, Any]:
        """The tick that `read` returns now, and the one that it returns once it has grown or the time is over."""
        if not self.tick:
            raise Unoffered("tick_hz is 0: the world moves only when acted upon")
        first = last = read()
        until = connection.now + ANSWER + 4 * self.tick
        while isinstance(last, int) and last <= first and connection.now <= until:
            connection.gather(self.tick)
            last = read()
        return first, last

    def consult(self, question: Callable[[Any], T], state: Frame) -> T:
        """Ask the probe about a state; NotApplicable where the state lacks the data for it."""
        try:
            return question(state.get("data"))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise NotApplicable(f"the states do not show the ground: {type(error).__name__}: {error}") from error

    def ready(self, connection: KitConnection) -> tuple[Frame, Sight]:
        """Wait until the actor is alive, on the ground and idle."""
        return self.look(connection, attrgetter("free"), "alive and at rest")

    def free_for(self, connection: KitConnection, name: str) -> tuple[Frame, Sight]:
        """Wait until nothing in the states prevents this intent."""
        return self.look(
            connection,
            lambda sight: sight.free and not sight.holding and name not in sight.cooling | sight.tired,
            f"free to {name}",
        )

    def rest(self, connection: KitConnection, name: str | None = None) -> None:
        """Wait until the actor is idle, or free for an intent, as far as the kit can see."""
        if self.probe is None:
            connection.gather(_REST)
        elif name is None:
            self.ready(connection)
        else:
            self.free_for(connection, name)

    def step_aside(self, connection: KitConnection, state: Frame) -> None:
        """Go somewhere else, where the actor can move: the place may be why something cannot be seen."""
        if self.supports("MOVE"):
            for way in self.consult(self.need_probe().ways, state)[:1]:
                connection.do("MOVE", {"vector": list(way)})

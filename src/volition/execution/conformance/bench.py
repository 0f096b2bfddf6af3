"""Where checks work: connections to one executor, one after the other, and what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from volition import __version__
from volition.core.errors import refuse
from volition.execution.conformance.arena_probe import ArenaProbe
from volition.execution.conformance.talk import Log, Talk
from volition.execution.conformance.verdict import Breaks, Late, NotApplicable
from volition.execution.conformance.wire_probe import FEATURE, WireProbe
from volition.execution.session.refusals import HandshakeFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.core.clock import Clock
    from volition.execution.conformance.probe import Probe, Sight, Vector
    from volition.execution.transports.stream import Stream

    Frame = dict[str, Any]

T = TypeVar("T")

FEATURES: Final = ("events", "next_state", "progress", "state_push")
GREETING: Final = 5.0
RELEASE: Final = 3.5
"""How long, in seconds, an executor may take to notice that its bridge is gone."""
NO_PROBE: Final = (
    "nothing tells what the states mean: pass a probe (--probe MODULE:CLASS), or let the executor offer the feature "
    "probe (docs/conformance-kit.md)"
)
_FAULTS: Final = 50
"""After so many bad lines the kit takes a new connection: an executor may hang up after 100."""
_REST: Final = 0.5
_OPEN: Final = 0.12
"""A MOVE that has no result after so long stays open for a while."""


class Gone(Exception):
    """Nobody answers where an executor was."""


class Bench:
    """One executor under trial. `shared` is false where every dial starts another executor."""

    def __init__(
        self, dial: Callable[[], Stream], clock: Clock, *, token: str | None, seed: int, probe: Probe | None,
        shared: bool,
    ) -> None:  # fmt: skip
        self.clock, self.token, self.seed, self.shared = clock, token, seed, shared
        self.log = Log()
        self.welcome: Frame = {}
        self.probe = probe
        self.findings: dict[str, Any] = {}
        """What an experiment has shown, by its name, for the checks that share it."""
        self._dial = dial
        self._talks: list[Talk] = []
        self._session: Talk | None = None
        self._dialled = 0

    # Connections.

    def connect(self, *, beside: bool = False) -> Talk:
        """A new connection on which nothing was said; all others are ended before, unless it stands `beside` them."""
        if not beside:
            self.hang_up()
        try:
            stream = self._dial()
        except (HandshakeFailed, OSError) as error:
            raise Gone(str(error)) from error
        self._dialled += 1
        talk = Talk(stream, self._dialled, self.clock, self.log)
        self._talks.append(talk)
        return talk

    def hang_up(self) -> None:
        """End every connection, with a goodbye."""
        for talk in self._talks:
            if not talk.ended:
                talk.say({"type": "goodbye", "reason": "next check"})
            talk.close()
        self._talks.clear()
        self._session = None

    def hello(self, **changes: Any) -> Frame:
        """The greeting; a change to None takes a field out."""
        frame: Frame = {
            "type": "hello",
            "spec": "1.0.0",
            "client": {"name": "volition-conformance", "version": __version__},
            "features": [*FEATURES, FEATURE] if self._probes_by_wire else list(FEATURES),
            "token": self.token,
            **changes,
        }
        return {key: value for key, value in frame.items() if value is not None}

    def greet(self, talk: Talk, **changes: Any) -> Frame:
        """Greet; the answer, which is a welcome or a reject."""
        talk.say(self.hello(**changes))
        return talk.until(lambda frame: frame.get("type") in {"welcome", "reject"}, "welcome or reject", GREETING)

    def answered(self, **changes: Any) -> tuple[Talk, Frame]:
        """Greet on a new connection: the connection, and the answer.

        An executor may need a moment to see that the bridge before is gone: not_ready is no answer until then.
        """
        until = self.clock.monotonic() + RELEASE
        while True:
            talk = self.connect()
            answer = self.greet(talk, **changes)
            if answer.get("code") != "not_ready" or self.clock.monotonic() > until:
                return talk, answer
            self.clock.sleep(0.02)

    def greeted(self, **changes: Any) -> Talk:
        """A new connection that was welcomed."""
        talk, answer = self.answered(**changes)
        if answer["type"] != "welcome":
            raise Breaks(f"a reject ({answer.get('code')})", expected="a welcome")
        return talk

    def opened(self, **changes: Any) -> Talk:
        """A new connection after its opening: full state and STOP."""
        talk = self.greeted(**changes)
        talk.state()
        talk.do("STOP")
        return talk

    def session(self) -> Talk:
        """The connection that checks share as long as nothing is wrong with it, opened, with nothing under way."""
        talk = self._session
        if talk is None or talk.ended or len(talk.frames("error")) > _FAULTS:
            talk = self._session = self.opened()
        return talk

    def settle(self, *, clean: bool) -> None:
        """After a check: the shared connection goes on only where the check held and STOP ends what it left."""
        if not clean:
            self.hang_up()
        elif self._session is not None and not self._session.ended:
            try:
                self._session.do("STOP")
            except Breaks:
                self.hang_up()

    def forget(self) -> None:
        """Before a check is tried again: nothing that time decided is taken over."""
        self.hang_up()
        self.findings.clear()

    # What the welcome says.

    def know(self, welcome: Frame) -> None:
        """Keep the first welcome, and find the probe: the one that was given, the executor's own, or the arena's."""
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
        elif ArenaProbe().fits(schema):
            self.probe = ArenaProbe()

    @property
    def _probes_by_wire(self) -> bool:
        """Whether to ask for the feature `probe`: to learn whether it is offered, then as long as it is used."""
        return isinstance(self.probe, WireProbe) or (self.probe is None and not self.welcome)

    def limit(self, name: str, usual: int) -> int:
        limits = self.welcome.get("limits")
        value = limits.get(name) if isinstance(limits, dict) else None
        return value if isinstance(value, int) and value > 0 else usual

    def supports(self, name: str) -> bool:
        intents = self.welcome.get("intents")
        return isinstance(intents, list) and name in intents

    def need(self, *names: str) -> None:
        """The check needs these intents."""
        for name in names:
            if not self.supports(name):
                raise NotApplicable(f"the executor does not support {name}")

    @property
    def tick(self) -> float:
        """The length of a tick in seconds; 0 where the world moves only when acted upon."""
        hz = self.welcome.get("tick_hz")
        return 1 / hz if isinstance(hz, int | float) and hz > 0 else 0.0

    # What the states say.

    def state(self, talk: Talk) -> Frame:
        """A full state with what the probe needs: its own data, or the executor's answer to the probe beside it."""
        if not isinstance(self.probe, WireProbe):
            return talk.state()
        request, read = talk.next_id(), talk.next_id()
        since = len(talk.heard)
        talk.say({"type": "state_request", "id": request, "full": True}, {"type": "probe.read", "id": read})
        answer = talk.until(
            lambda frame: frame.get("type") == "probe.sight" and frame.get("id") == read, "a probe.sight with its id"
        )
        states = talk.frames("state", since=since, id=request)
        if not states:
            raise Breaks("a probe.sight before the state that was asked for first", expected="answers in order")
        return {**states[0], "data": answer}

    def see(self, talk: Talk) -> Sight:
        """The world now, as the probe reads it."""
        return self.read(self.state(talk))

    def read(self, state: Frame) -> Sight:
        """What the probe sees in a state that `state` gave."""
        if self.probe is None:
            raise NotApplicable(NO_PROBE)
        try:
            return self.probe.see(state.get("data"))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            what = f"a state that is not of its schema: {type(error).__name__}: {error}"
            raise Breaks(what, expected="states of the schema that the welcome names") from error

    def look(self, talk: Talk, wanted: Callable[[Sight], bool], what: str, within: float = 6.0) -> tuple[Frame, Sight]:
        """Look until the world is as wanted: the state and its reading; NotApplicable where it never is."""
        until = self.clock.monotonic() + within
        while True:
            state = self.state(talk)
            sight = self.read(state)
            if wanted(sight):
                return state, sight
            if self.clock.monotonic() > until:
                raise NotApplicable(f"within {within:g} s there was no moment in which the actor was {what}")
            talk.gather(self.tick or 0.05)

    def consult(self, question: Callable[[Any], T], state: Frame) -> T:
        """Ask the probe about a state's data; NotApplicable where the state does not hold what it takes."""
        try:
            return question(state.get("data"))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise NotApplicable(f"the states do not show the ground: {type(error).__name__}: {error}") from error

    def ready(self, talk: Talk) -> tuple[Frame, Sight]:
        """A moment in which the actor lives, stands and does nothing."""
        return self.look(talk, lambda sight: sight.alive and sight.grounded and not sight.busy, "alive and at rest")

    def rest(self, talk: Talk) -> None:
        """Wait until the actor stands and does nothing, as far as that can be known."""
        if self.probe is not None:
            self.ready(talk)
        else:
            talk.gather(_REST)

    def long_move(self, talk: Talk) -> int:
        """Begin a MOVE that stays open: its id. NotApplicable where none does."""
        self.need("MOVE")
        for vector in self.long_ways(talk):
            id = talk.ask("MOVE", {"vector": list(vector)}, ttl_ms=10_000)
            talk.gather(_OPEN)
            if id not in talk.results:
                return id
        raise NotApplicable("no MOVE stays open for longer than a moment here")

    def long_ways(self, talk: Talk) -> Iterable[Vector]:
        """Vectors for a MOVE that may stay open, the longest first."""
        self.need("MOVE")
        if self.probe is not None and self.welcome.get("move_frame") == "relative":
            state, _ = self.ready(talk)
            yield from self.consult(self.probe.ways, state)[:6]
            return
        for length in (4.0, 2.0):
            for axis in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)):
                yield (axis[0] * length, axis[1] * length, axis[2] * length)


def payload(frame: Frame) -> Frame:
    """The result inside a result frame; empty where it is none."""
    inner = frame.get("result")
    return inner if isinstance(inner, dict) else {}


def words(frame: Frame) -> str:
    """A result frame in a few words."""
    inner = payload(frame)
    detail = f" ({frame['detail']})" if frame.get("detail") else ""
    return f"{frame.get('intent')}: {inner.get('status')}/{inner.get('failure_reason')}{detail}"


def in_time(true: bool, found: str, expected: str) -> None:
    """Late, unless it is true: only the clock speaks against the executor."""
    if not true:
        raise Late(found, expected=expected)


def expect(true: bool, found: str, expected: str) -> None:
    """Breaks, unless it is true."""
    if not true:
        raise Breaks(found, expected=expected)

"""The pilot: perceive, collect options, arbitrate, send, and judge from later states.

It works on anything with the methods of a bridge. It never takes a result for a reached goal, and it keeps no cooldowns:
it may retry what failed later, and meanwhile prefers something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from volition.arbitration import CompositeIntention, Decision, arbitrate
from volition.core.errors import refuse
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.session.handshake import HandshakeFailed
from volition.execution.worlds.pilot.candidates import PilotOption, options
from volition.execution.worlds.pilot.course import Course, PilotStep
from volition.execution.worlds.pilot.intentions import CONSTRAINTS, HEURISTICS
from volition.execution.worlds.pilot.judge import DefeatOpponent, Goal, Judge
from volition.execution.worlds.pilot.situation import ArenaPerception, Perception
from volition.execution.worlds.pilot.view import AttemptMemory, View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from volition.execution.wire.frames import StateFrame, Welcome
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.request import Outcome
    from volition.execution.worlds.pilot.situation import PilotSituation

PILOT = CompositeIntention(*CONSTRAINTS, *HEURISTICS)
"""The default intentions of a pilot; change weights or add to it like to any composite."""
DEADLINE = 0.5
"""Seconds for an intent, beyond the duration of its way."""
PATIENCE = 3
"""How often in a row a drive may fail to get a state before it gives up."""
TICK = 0.05
"""Seconds of a tick where the executor has no tick rate."""


class Body(Protocol):
    """The methods of a bridge that a pilot needs. Where it also has `record_decision`, every decision is recorded."""

    @property
    def state(self) -> StateFrame | None: ...
    @property
    def welcome(self) -> Welcome | None: ...
    def execute(self, intent: AnyIntent, /, *, deadline: float = ..., based_on: int | None = ...) -> Outcome: ...
    def refresh(self) -> StateFrame: ...
    def next_state(self, timeout: float) -> StateFrame | None: ...


class Pilot:
    """Drives one body towards a goal, with one arbitration per step.

    Every `step(bridge).decision` answers `why`, `why_not`, `what_if` and `sensitivity`. A custom composite judges and
    scores `PilotOption` objects, with a `View` as context; a custom perception reads another executor's states. `offer`
    gives further options for a view, such as intents that the executor has declared. Decisions are recorded where the
    bridge has a journal, unless `record` is false.
    """

    def __init__(
        self,
        composite: CompositeIntention | None = None,
        goal: Goal | None = None,
        *,
        perception: Perception | None = None,
        offer: Callable[[View], Iterable[PilotOption]] | None = None,
        record: bool = True,
    ) -> None:
        self.composite = PILOT if composite is None else composite
        self.goal: Goal = DefeatOpponent() if goal is None else goal
        self.perception: Perception = ArenaPerception() if perception is None else perception
        self._offer = offer
        self._record = record
        self.judge = Judge(self.goal)
        self.memory = AttemptMemory()
        self.steps = 0
        self._session: str | None = None
        self._seen: tuple[StateFrame, PilotSituation] | None = None
        self._asked_for_map: tuple[str | None, int] | None = None

    def step(self, bridge: Body) -> PilotStep:
        """Look, choose, send or wait, look again and judge."""
        frame, situation = self._look(bridge)
        self.steps += 1
        self.memory.see(situation.episode, situation.tick)
        self.judge.begin(situation)
        decision = self.decide(situation, bridge.welcome, version=frame.seq)
        record = getattr(bridge, "record_decision", None)
        if self._record and record is not None:
            record(decision, step=self.steps, frame=frame)
        option = decision.candidate
        outcome: Outcome | None = None
        if option is None or option.intent is None:
            bridge.next_state(2 * _tick(bridge.welcome))
        else:
            deadline = DEADLINE + 2 * option.ticks * _tick(bridge.welcome)
            outcome = bridge.execute(option.intent, deadline=deadline, based_on=frame.seq)
            self.memory.note(option.id, option.intent, outcome.result, sent=outcome.sent is not None)
        self.memory.last = option.id if option is not None else ""
        after = self._later(bridge, frame, outcome)
        return PilotStep(self.steps, frame, situation, decision, outcome, after, self.judge.see(after))

    def decide(
        self, situation: PilotSituation, welcome: Welcome | None = None, *, version: Any = None
    ) -> Decision[PilotOption]:
        """Choose what to do in a situation; nothing is sent."""
        declared = () if welcome is None else welcome.declares
        supported = frozenset(CANONICAL) if welcome is None else frozenset(welcome.intents)
        if welcome is not None and not welcome.hold_supported:
            supported -= {"HOLD", "RELEASE"}
        frame = "relative" if welcome is None else welcome.move_frame
        view = View(situation, self.goal, self.memory, supported, frame, {each.name: each for each in declared})
        further = () if self._offer is None else self._offer(view)
        return arbitrate([*options(view), *further], self.composite, context=view, version=version)

    def _look(self, bridge: Body) -> tuple[StateFrame, PilotSituation]:
        """The newest state and its perception; a full one at first, and while the map is unknown."""
        session = None if bridge.welcome is None else bridge.welcome.session
        frame = bridge.state
        if session != self._session or frame is None or self._seen is None:
            self._session, self._seen = session, None
            self.judge.forget()
            frame = bridge.refresh()
        elif frame.seq <= self._seen[0].seq:
            # An attempt may have changed the world since.
            frame = bridge.refresh()
        situation = self._perceive(frame)
        asked = (session, frame.episode)
        if situation.ground is None and self._asked_for_map != asked:
            self._asked_for_map = asked
            frame = bridge.refresh()
            situation = self._perceive(frame)
        return frame, situation

    def _later(self, bridge: Body, before: StateFrame, outcome: Outcome | None) -> PilotSituation | None:
        """The perception of the newest state after the one decided on; None where there is none yet."""
        if (None if bridge.welcome is None else bridge.welcome.session) != self._session:
            return None
        following = None if outcome is None else outcome.next_state
        known = [frame for frame in (bridge.state, following) if frame is not None]
        newest = max(known, key=lambda frame: frame.seq, default=None)
        return None if newest is None or newest.seq <= before.seq else self._perceive(newest)

    def _perceive(self, frame: StateFrame) -> PilotSituation:
        if self._seen is None or self._seen[0] is not frame:
            self._seen = (frame, self.perception.perceive(frame))
        return self._seen[1]


def drive(
    bridge: Body,
    steps: int,
    on_step: Callable[[PilotStep], object] | None = None,
    *,
    pilot: Pilot | None = None,
) -> Course:
    """Let a pilot take up to this many steps, until later states show that its goal is met; `on_step` gets each of them.

    A lost connection is awaited a few times; then HandshakeFailed reaches the caller.
    """
    if steps < 1:
        refuse(f"{steps} steps", where="steps", expected="at least 1", remedy="give the maximal number of steps")
    driver = Pilot() if pilot is None else pilot
    course, lost = Course(driver.goal), 0
    while course.steps < steps:
        try:
            step = driver.step(bridge)
        except HandshakeFailed:
            lost += 1
            if lost > PATIENCE:
                raise
            continue
        lost = 0
        course.add(step)
        if on_step is not None:
            on_step(step)
        if step.judged.verdict == "met":
            break
    return course


def _tick(welcome: Welcome | None) -> float:
    return TICK if welcome is None or not welcome.tick_hz else max(0.005, 1 / welcome.tick_hz)

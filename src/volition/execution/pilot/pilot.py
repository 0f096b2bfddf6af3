"""The pilot: perceive, offer options, arbitrate, send, and judge from what is seen later.

It works on anything that has the verbs of a bridge. It never takes a result for a goal, and it keeps no cooldown: what
fails it may try again later, and meanwhile it would rather do something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from volition.arbitration import CompositeIntention, Decision, arbitrate
from volition.core.errors import refuse
from volition.execution.intents import CANONICAL
from volition.execution.pilot.candidates import Option, options
from volition.execution.pilot.composite import PILOT
from volition.execution.pilot.course import Course
from volition.execution.pilot.judge import Goal, Judge, Judged, Opponent
from volition.execution.pilot.memory import Memory
from volition.execution.pilot.perceive import ArenaPerception, Perception
from volition.execution.pilot.view import View
from volition.execution.session.refusals import HandshakeFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.door.outcome import Outcome
    from volition.execution.frames import StateFrame, Welcome
    from volition.execution.intents import CanonicalIntent
    from volition.execution.pilot.situation import Situation

DEADLINE = 0.5
"""Seconds for an intent, beyond the time that its way takes."""
PATIENCE = 3
"""How often in a row a drive looks for a state in vain before it gives up."""
TICK = 0.05
"""Seconds of a tick where the executor names no rate."""


class Body(Protocol):
    """The verbs of a bridge that a pilot needs."""

    @property
    def state(self) -> StateFrame | None: ...
    @property
    def welcome(self) -> Welcome | None: ...
    def execute(self, intent: CanonicalIntent, /, *, deadline: float = ..., based_on: int | None = ...) -> Outcome: ...
    def refresh(self) -> StateFrame: ...
    def next_state(self, timeout: float) -> StateFrame | None: ...


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a pilot: what it knew, what it chose and why, what came of it, and what later states say of the goal.

    `outcome` is None where it waited. `judged` never rests on the outcome's status.
    """

    number: int
    frame: StateFrame
    situation: Situation
    decision: Decision[Option]
    outcome: Outcome | None
    after: Situation | None
    judged: Judged

    def to_data(self) -> dict[str, Any]:
        """The step as plain data; times that a clock measured are left out."""
        why, outcome, after = self.decision.why(), self.outcome, self.after or self.situation
        return {
            "step": self.number,
            "seq": self.situation.seq,
            "tick": self.situation.tick,
            "episode": self.situation.episode,
            "chosen": self.decision.id,
            "rule": why.rule,
            "why": why.text,
            "rival": why.over,
            "vetoed": len(self.decision.tally.vetoed),
            "outcome": None
            if outcome is None
            else {
                "status": outcome.status,
                "reason": outcome.reason,
                "label": outcome.label,
                "detail": outcome.detail,
                "violations": len(outcome.violations),
            },
            "health": after.me.health,
            "opponent": None if after.foe is None else after.foe.health,
            "verdict": self.judged.verdict,
            "because": self.judged.because,
        }


class Pilot:
    """Drives one body towards a goal, one arbitration a step.

    Every `step(bridge).decision` can be asked `why`, `why_not`, `what_if` and `sensitivity`. Another composite judges
    and scores `Option` objects, with a `View` as context; another perception reads another executor's states.
    """

    def __init__(
        self,
        composite: CompositeIntention | None = None,
        goal: Goal | None = None,
        *,
        perception: Perception | None = None,
    ) -> None:
        self.composite = PILOT if composite is None else composite
        self.goal: Goal = Opponent() if goal is None else goal
        self.perception: Perception = ArenaPerception() if perception is None else perception
        self.judge = Judge(self.goal)
        self.memory = Memory()
        self.steps = 0
        self._session: str | None = None
        self._seen: tuple[StateFrame, Situation] | None = None
        self._asked_for_map: tuple[str | None, int] | None = None

    def step(self, bridge: Body) -> Step:
        """Look, choose, send or wait, look again and judge."""
        frame, situation = self._look(bridge)
        self.steps += 1
        self.memory.see(situation.episode, situation.tick)
        self.judge.begin(situation)
        decision = self.decide(situation, bridge.welcome, version=frame.seq)
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
        return Step(self.steps, frame, situation, decision, outcome, after, self.judge.see(after))

    def decide(self, situation: Situation, welcome: Welcome | None = None, *, version: Any = None) -> Decision[Option]:
        """Choose what to do in a situation; nothing is sent."""
        offered = frozenset(CANONICAL) if welcome is None else frozenset(welcome.intents)
        if welcome is not None and not welcome.hold_supported:
            offered -= {"HOLD", "RELEASE"}
        frame = "relative" if welcome is None else welcome.move_frame
        view = View(situation, self.goal, self.memory, offered, frame)
        return arbitrate(options(view), self.composite, context=view, version=version)

    def _look(self, bridge: Body) -> tuple[StateFrame, Situation]:
        """The newest state, understood; a full one at first, and wherever the map is not known yet."""
        session = None if bridge.welcome is None else bridge.welcome.session
        frame = bridge.state
        if session != self._session or frame is None or self._seen is None:
            self._session, self._seen = session, None
            self.judge.forget()
            frame = bridge.refresh()
        elif frame.seq <= self._seen[0].seq:
            # An attempt may have changed the world since: nothing is taken for granted.
            frame = bridge.refresh()
        situation = self._perceive(frame)
        asked = (session, frame.episode)
        if situation.ground is None and self._asked_for_map != asked:
            self._asked_for_map = asked
            frame = bridge.refresh()
            situation = self._perceive(frame)
        return frame, situation

    def _later(self, bridge: Body, before: StateFrame, outcome: Outcome | None) -> Situation | None:
        """The newest state that is later than the one decided on, understood; None where there is none yet."""
        if (None if bridge.welcome is None else bridge.welcome.session) != self._session:
            return None
        told = None if outcome is None else outcome.next_state
        known = [frame for frame in (bridge.state, told) if frame is not None]
        newest = max(known, key=lambda frame: frame.seq, default=None)
        return None if newest is None or newest.seq <= before.seq else self._perceive(newest)

    def _perceive(self, frame: StateFrame) -> Situation:
        if self._seen is None or self._seen[0] is not frame:
            self._seen = (frame, self.perception.perceive(frame))
        return self._seen[1]


def drive(
    bridge: Body,
    steps: int,
    on_step: Callable[[Step], object] | None = None,
    *,
    pilot: Pilot | None = None,
) -> Course:
    """Let a pilot take up to so many steps, until later states show that its goal is met; `on_step` sees each of them.

    A connection that is lost on the way is waited for, a few times; what HandshakeFailed says then reaches the caller.
    """
    if steps < 1:
        refuse(f"{steps} steps", where="steps", expected="at least 1", remedy="give the most steps to take")
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

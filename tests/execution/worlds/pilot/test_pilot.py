"""The pilot's step: it looks, chooses, sends once, looks again, and never takes an answer for a success."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace as replaced

from tests.execution.quarry import DIG, dig
from tests.execution.worlds.pilot.bodies import WELCOME, ArenaBody
from tests.execution.worlds.pilot.maps import arena_map
from volition.arbitration import CompositeIntention, Constraint, Heuristic
from volition.core.errors import InvalidInput, Problem
from volition.execution.wire.declared import Custom
from volition.execution.wire.intents import Move
from volition.execution.wire.results import make_result
from volition.execution.wire.session.handshake import NoAnswer
from volition.execution.worlds.arena import shipped_map
from volition.execution.worlds.pilot import PILOT, Pilot, PilotOption, Spot, drive
from volition.execution.worlds.pilot.situation import ArenaPerception, PilotSituation

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.wire.request import Outcome

YARD = shipped_map("courtyard")
ROOM = arena_map("########", "#@....&#", "#......#", "########")


class Boaster(ArenaBody):
    """An executor that does nothing and answers SUCCESS to everything, with high damage."""

    def execute(self, intent: AnyIntent, /, *, deadline: float = 0.5, based_on: int | None = None) -> Outcome:
        self._tickets += 1
        self._tick()
        return self._outcome(intent, make_result("SUCCESS", damage_dealt=100.0), "positive", sent=True)


class Mute(ArenaBody):
    """An executor that says nothing of the world any more after its first state."""

    def execute(self, intent: AnyIntent, /, *, deadline: float = 0.5, based_on: int | None = None) -> Outcome:
        self._tickets += 1
        return self._outcome(intent, make_result("SUCCESS"), "positive", sent=False)

    def next_state(self, timeout: float) -> StateFrame | None:
        return None

    def refresh(self) -> StateFrame:
        if self._state is None:
            return super().refresh()
        return self._state


@pytest.mark.req("EX-10")
def test_success_is_not_the_goal() -> None:
    """An executor that claims success after success never meets the goal: no later state shows it."""
    body = Boaster(YARD)
    course = drive(body, 60, pilot=Pilot(goal=Spot(4.5, 2.5)))
    assert course.labels == {"positive": 60}
    assert (course.verdict, course.steps) == ("open", 60)
    assert drive(Boaster(YARD), 60).verdict == "open"


@pytest.mark.req("EX-10")
def test_silence_is_not_the_goal() -> None:
    """Where no later state comes nothing is concluded, whatever the answers say."""
    steps = [*(Pilot().step(Mute(ROOM)) for _ in range(3))]
    assert [(step.judged.verdict, step.judged.seq, step.after) for step in steps] == [("open", None, None)] * 3


@pytest.mark.req("EX-10")
def test_the_verdict_rests_on_the_state_whatever_the_status() -> None:
    """A state that shows the goal met counts even where the answer was a failure."""

    class Modest(ArenaBody):
        def _outcome(self, intent: AnyIntent, result: Any, label: Any, *, sent: bool) -> Outcome:
            return super()._outcome(intent, make_result("FAILURE", "UNKNOWN"), "unknown", sent=sent)

    course = drive(Modest(ROOM), 40, pilot=Pilot(goal=Spot(3.5, 1.5)))
    assert (course.verdict, {*course.labels}) == ("met", {"unknown"})


@pytest.mark.req("EX-11")
def test_an_intent_names_the_state_it_rests_on() -> None:
    """Every intent is based on the state that was decided on, and that is newer with every step."""
    body, pilot = ArenaBody(YARD, next_state=False), Pilot()
    seqs = [pilot.step(body).frame.seq for _ in range(20)]
    assert seqs == sorted({*seqs})
    assert [each.based_on for each in body.arrived] == [
        seq for seq in seqs if seq in {a.based_on for a in body.arrived}
    ]


def test_every_decision_can_be_asked(told: Told) -> None:
    """A step's decision answers why, why not, what if and how firmly, as any decision does."""
    decision = Pilot().step(ArenaBody(YARD)).decision
    assert decision.id is not None
    assert decision.why().text.startswith(decision.id)
    told(decision.why_not("release").text)
    assert decision.what_if(without="reach").decision.id != decision.id
    assert decision.sensitivity().exact
    assert decision.id in str(decision)


def test_a_pilot_may_have_a_composite_of_its_own() -> None:
    """Weights may be changed and intentions added; the pilot decides by what it is given."""
    lazy = CompositeIntention(*PILOT, Heuristic("lazy", lambda option: float(option.intent is None), weight=50.0))
    body = ArenaBody(YARD)
    course = drive(body, 5, pilot=Pilot(lazy))
    assert (course.waited, course.sent, body.arrived) == (5, 0, [])


def test_an_empty_decision_sends_nothing() -> None:
    """Where a composite forbids everything the pilot waits: nothing crosses the bridge."""
    body = ArenaBody(YARD)
    step = Pilot(CompositeIntention(Constraint("never", lambda option: True))).step(body)
    assert (step.decision.kind, step.outcome, body.arrived) == ("hold", None, [])
    assert step.to_data()["chosen"] is None


def test_moves_are_written_in_the_frame_of_the_executor() -> None:
    """Where the welcome says that vectors are absolute, a move names the place and not the way."""

    class Absolute(ArenaBody):
        def execute(self, intent: AnyIntent, /, *, deadline: float = 0.5, based_on: int | None = None) -> Outcome:
            assert isinstance(intent, Move)
            actor = self.arena.state()["actor"]
            x, y, _ = intent.vector
            relative = Move((x - actor["x"] / 1000, y - actor["y"] / 1000, 0))
            return super().execute(relative, deadline=deadline, based_on=based_on)

    body = Absolute(ROOM)
    body.welcome = msgspec.structs.replace(WELCOME, move_frame="absolute")
    assert drive(body, 10, pilot=Pilot(goal=Spot(3.5, 1.5))).verdict == "met"


def test_what_the_executor_cannot_do_is_not_asked() -> None:
    """An executor that moves and stops is driven with moves and stops."""
    body = ArenaBody(shipped_map("foundry"))
    body.welcome = msgspec.structs.replace(WELCOME, intents=("MOVE", "STOP"), hold_supported=False)
    drive(body, 60)
    assert {each.intent.name for each in body.arrived} <= {"MOVE", "STOP"}


def test_without_a_map_the_pilot_takes_care() -> None:
    """A perception that knows no map is driven by short moves alone, and gets there on open ground."""

    class Blind(ArenaPerception):
        def perceive(self, frame: StateFrame) -> PilotSituation:
            return replaced(super().perceive(frame), ground=None)

    body = ArenaBody(ROOM)
    course = drive(body, 60, pilot=Pilot(goal=Spot(4.5, 2.5), perception=Blind()))
    assert course.verdict == "met"
    moves = [each.intent for each in body.arrived if isinstance(each.intent, Move)]
    assert max(abs(move.vector[0]) + abs(move.vector[1]) for move in moves) <= 0.75
    assert not {each.intent.name for each in body.arrived} & {"EVADE", "JUMP"}


def test_a_new_session_is_looked_at_again() -> None:
    """After a reconnection the pilot asks for a full state, and does not compare it with what was before."""
    body, pilot = ArenaBody(YARD), Pilot()
    for _ in range(5):
        pilot.step(body)
    fresh = ArenaBody(YARD)
    actor = fresh.arena.state()["actor"]
    fresh_place = (actor["x"] / 1000, actor["y"] / 1000)
    fresh.welcome = msgspec.structs.replace(WELCOME, session="s-2")
    step = pilot.step(fresh)
    assert step.frame.full
    assert step.situation.me.place == fresh_place
    assert step.judged.seq is not None


def test_a_lost_connection_is_waited_for_a_while() -> None:
    """A drive survives a few states that do not come; one that never comes reaches the caller."""

    class Patchy(ArenaBody):
        missing = 2

        def refresh(self) -> StateFrame:
            if self._state is not None and self.missing:
                self.missing -= 1
                raise NoAnswer(Problem("no state", "refresh", "a state", "wait"))
            return super().refresh()

    assert drive(Patchy(ROOM), 40, pilot=Pilot(goal=Spot(3.5, 1.5))).verdict == "met"
    gone = Patchy(ROOM)
    gone.missing = 10**9
    with pytest.raises(NoAnswer):
        drive(gone, 40)


def test_a_dead_actor_is_left_in_peace() -> None:
    """Between a death and the next episode nothing is sent; then the drive continues, and the death is counted."""
    body, pilot = ArenaBody(YARD), Pilot()
    pilot.step(body)
    body.arena._actor.health = 1
    body.arena._actor.x, body.arena._actor.y = 12_500, 3_500
    for _ in range(2):
        body.arena.step()
    body.refresh()
    before = len(body.arrived)
    course = drive(body, 25, pilot=pilot)
    assert course.deaths == 1
    assert {each.intent.name for each in body.arrived[before:] if not each.state["actor"]["alive"]} <= {"STOP"}
    assert body.arena.episode == 2


@pytest.mark.parametrize("steps", [0, -3])
def test_a_drive_takes_a_step(steps: int) -> None:
    """No steps are refused."""
    with pytest.raises(InvalidInput, match="steps"):
        drive(ArenaBody(YARD), steps)


@pytest.mark.req("EX-24")
def test_a_mind_may_offer_what_the_executor_has_declared(told: Told) -> None:
    """Further options are judged like the others: by vetoes, by votes, and by whether the executor declared them."""
    situation = ArenaPerception().perceive(ArenaBody(ROOM).refresh())
    loud = Heuristic("loud", lambda option, _: 1.0 if option.id.startswith("own:") else None, weight=50.0)
    further = [PilotOption("own:dig", dig(1)), PilotOption("own:dance", Custom("DANCE"))]
    pilot = Pilot(CompositeIntention(*PILOT, loud), offer=lambda view: further if view.declared else ())
    decision = pilot.decide(situation, msgspec.structs.replace(WELCOME, declares=(DIG,)))
    assert (decision.id, decision.candidate) == ("own:dig", further[0])
    told(decision.why_not("own:dance").text)
    for _ in range(4):
        pilot.memory.note("own:dig", dig(1), make_result("FAILURE", "BLOCKED"))
    again = pilot.decide(situation, msgspec.structs.replace(WELCOME, declares=(DIG,)))
    told(again.why_not("own:dig").text)
    assert pilot.decide(situation, WELCOME).id not in {"own:dig", "own:dance"}

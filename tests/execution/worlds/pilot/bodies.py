"""A body for tests: the verbs of a bridge over an arena in this process, with a spy on the executor's side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from volition.execution.door.guard import Guard, RefuseRetry
from volition.execution.wire.frames import EngineClock, Limits, Party, StateFrame, StateSchema, Welcome
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.request import Outcome, Request
from volition.execution.wire.results import Result, label_of, make_result
from volition.execution.worlds.arena import Arena

if TYPE_CHECKING:
    from volition.execution.wire.intents import AnyIntent
    from volition.execution.worlds.arena import ArenaMap

WELCOME = Welcome(
    spec="1.0.0",
    session="s-1",
    executor=Party(name="arena", version="0"),
    engine="none",
    tick_hz=20.0,
    clock=EngineClock(unit="tick", epoch="engine_start"),
    intents=tuple(CANONICAL),
    hold_supported=True,
    double_jump=False,
    move_frame="relative",
    state_schema=StateSchema(name="arena", version="1", hash="0"),
    limits=Limits(),
)


@dataclass(frozen=True, slots=True)
class Arrived:
    """An intent as it reached the executor, with the whole state in which it did."""

    intent: AnyIntent
    based_on: int | None
    state: dict[str, Any]


class ArenaBody:
    """An arena whose time passes while an intent is open or a state is awaited."""

    def __init__(self, ground: ArenaMap, seed: int = 0, *, next_state: bool = True) -> None:
        self.arena = Arena(ground, seed)
        self.arrived: list[Arrived] = []
        self.states: list[dict[str, Any]] = []
        self.welcome: Welcome | None = WELCOME
        self._guard = Guard()
        self._tickets = 0
        self._gives_next = next_state
        self._state: StateFrame | None = None
        self.refresh()

    @property
    def state(self) -> StateFrame | None:
        return self._state

    def execute(self, intent: AnyIntent, /, *, deadline: float = 0.5, based_on: int | None = None) -> Outcome:
        self._tickets += 1
        if isinstance(verdict := self._guard.judge(intent, None, None), RefuseRetry):
            return self._outcome(intent, make_result("FAILURE", verdict.reason), "refused_retry", sent=False)
        self._guard.note_sent(self._tickets, intent, None)
        self.arrived.append(Arrived(intent, based_on, self.arena.state()))
        finished = self.arena.attempt(intent.name, intent.parameters, self._tickets, based_on).results
        for _ in range(round(deadline * 20) + 5):
            if any(each.id == self._tickets for each in finished):
                break
            finished = self._tick()
        else:
            finished = self.arena.cancel(self._tickets).results
        (result,) = [each.result for each in finished if each.id == self._tickets]
        outcome = self._outcome(intent, result, label_of(result), sent=True)
        self._guard.note_result(outcome.ticket, None, outcome.result)
        return outcome

    def refresh(self) -> StateFrame:
        self._state = self._frame(full=True)
        return self._state

    def next_state(self, timeout: float) -> StateFrame | None:
        self._tick()
        self._state = self._frame(full=False)
        return self._state

    def _tick(self) -> Any:
        report = self.arena.step()
        self.states.append(self.arena.state(full=False))
        return report.results

    def _frame(self, *, full: bool) -> StateFrame:
        arena = self.arena
        return StateFrame(seq=arena.seq, tick=arena.tick, episode=arena.episode, full=full, data=arena.state(full=full))

    def _outcome(self, intent: AnyIntent, result: Result, label: Any, *, sent: bool) -> Outcome:
        state, after = self._state, self._frame(full=False) if sent and self._gives_next else None
        self._state = after or self._state
        return Outcome(
            ticket=self._tickets,
            purpose="policy",
            requested=Request(intent.name, intent.parameters),
            sent=intent if sent else None,
            connection=1,
            id=self._tickets if sent else None,
            state=state,
            result=result,
            label=label,
            detail="",
            elapsed=0.0,
            answered=sent,
            next_state=after,
        )

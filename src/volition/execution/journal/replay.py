"""A journal played again: the recorded intents go to an executor once more, and what comes of them is compared.

What is sent is what crossed the bridge for the policy, in the order of the asking; opening and fallback are the bridge's
own business in any session. A journal does not hold how long each intent had: a MOVE that ended as PARTIAL/NONE is given
the time that it took, because that is what ended it, and all others are given `DEADLINE`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from volition.core.errors import refuse
from volition.execution.journal.reading import read_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from os import PathLike

    from volition.execution.bridge.bridge import Bridge
    from volition.execution.door.outcome import Outcome
    from volition.execution.journal.reading import Step
    from volition.execution.results import Result

Pace: TypeAlias = Literal["recorded", "fast"]
"""Each intent in the tick in which it was decided, or each as soon as the one before it has its result."""

DEADLINE: Final = 3.0
"""Seconds that an intent has whose own time is not known: more than a MOVE of the arena can take."""

PATIENCE: Final = 5.0
"""Seconds without a state after which the recorded tick is waited for no longer."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One intent of a journal: what was sent, in which tick, and what came of it, by when."""

    ticket: int
    intent: str
    parameters: dict[str, Any]
    agent: str | None
    result: Result
    tick: int | None
    ended: int | None

    @property
    def deadline(self) -> float:
        took = self.result.metadata.execution_time_ms
        cut_short = (self.result.status, self.result.failure_reason) == ("PARTIAL", "NONE")
        return max(1, ceil(took)) / 1000 if self.intent == "MOVE" and cut_short else DEADLINE

    def follows(self, before: Recorded) -> bool:
        """Whether it was decided after the one before had ended; so also where that cannot be told."""
        return self.tick is None or before.ended is None or before.ended <= self.tick


@dataclass(frozen=True, slots=True)
class Difference:
    """One intent whose result is another one now: the fields that differ, each as it was and as it is."""

    ticket: int
    intent: str
    parameters: dict[str, Any]
    tick: int | None
    fields: dict[str, tuple[Any, Any]]

    def __str__(self) -> str:
        words = ", ".join(f"{name} {was!r} -> {now!r}" for name, (was, now) in self.fields.items())
        vector = self.parameters.get("vector")
        when = "" if self.tick is None else f" in tick {self.tick}"
        return f"ticket {self.ticket}, {self.intent}{'' if vector is None else f' {vector}'}{when}: {words}"

    def to_data(self) -> dict[str, Any]:
        fields = {name: {"recorded": was, "now": now} for name, (was, now) in self.fields.items()}
        known = {"ticket": self.ticket, "intent": self.intent, "parameters": self.parameters, "tick": self.tick}
        return known | {"fields": fields}


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of it: how many intents were sent again, and those that ended otherwise."""

    run: int
    sent: int
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        head = (
            f"run {self.run}: {self.sent} intents sent again, {self.sent - len(self.differences)} with the same result"
        )
        return "\n".join([head, *(f"  {difference}" for difference in self.differences)])

    def to_data(self) -> dict[str, Any]:
        found = [difference.to_data() for difference in self.differences]
        return {"run": self.run, "sent": self.sent, "same": self.same, "differences": found}


def recorded_intents(path: str | PathLike[str], run: int | None = None) -> tuple[int, list[Recorded]]:
    """A run's number and the intents that its policy sent, in the order of the asking; the last run if none is named."""
    runs: dict[int, list[Recorded]] = {}
    for step in read_steps(path):
        intents = runs.setdefault(step.run.run, [])
        if step.attempt.purpose == "policy" and step.attempt.sent is not None:
            intents.append(_recorded(step))
    number = max((number for number in runs if runs[number]), default=0) if run is None else run
    if not runs.get(number):
        there = ", ".join(str(each) for each in sorted(runs) if runs[each]) or "none"
        refuse(
            f"run {run} sent no intent" if run is not None else "no run of this journal sent an intent",
            where=str(path),
            expected="a run of a policy that sent intents",
            remedy=f"name another run or journal; runs that sent intents: {there}",
        )
    return number, sorted(runs[number], key=lambda intent: intent.ticket)


def replay(
    intents: Sequence[Recorded],
    bridge: Bridge,
    *,
    run: int = 1,
    pace: Pace = "recorded",
    progress: Callable[[int], None] | None = None,
) -> Replay:
    """Send the intents again over a bridge to a world that is at its beginning, and compare what comes of them."""
    outcomes: dict[int, Outcome] = {}
    open: dict[int, int] = {}
    state = bridge.state
    first = next((intent.tick for intent in intents if intent.tick is not None), 0)
    # A world that is already further on is not waited for: the whole recording is shifted.
    shift = max(0, (0 if state is None else state.tick) - first)
    before: Recorded | None = None
    for count, intent in enumerate(intents, 1):
        if pace == "fast" or (before is not None and intent.follows(before)):
            outcomes |= _collected(bridge, open)
        if pace == "recorded" and intent.tick is not None:
            _await_tick(bridge, intent.tick + shift)
        ticket = bridge.submit(intent.intent, intent.parameters, deadline=intent.deadline, agent=intent.agent)
        open[intent.ticket] = ticket
        before = intent
        if progress is not None:
            progress(count)
    outcomes |= _collected(bridge, open)
    return Replay(run, len(intents), tuple(_differences(intents, outcomes)))


def _recorded(step: Step) -> Recorded:
    attempt, sent = step.attempt, step.attempt.sent
    assert sent is not None
    return Recorded(
        attempt.ticket,
        sent.intent,
        sent.parameters,
        attempt.agent,
        attempt.result,
        None if step.state is None else step.state.tick,
        None if step.next_state is None else step.next_state.tick,
    )


def _collected(bridge: Bridge, open: dict[int, int]) -> dict[int, Outcome]:
    """Wait for all that is open; the outcomes by the recorded tickets."""
    collected = {recorded: bridge.wait(ticket) for recorded, ticket in open.items()}
    open.clear()
    return collected


def _await_tick(bridge: Bridge, tick: int) -> None:
    """Wait until the world has come to a tick; not where it stands still or shows no states."""
    welcome = bridge.welcome
    if welcome is None or not welcome.tick_hz:
        return
    while (state := bridge.state) is None or state.tick < tick:
        if bridge.next_state(PATIENCE) is None:
            return


def _differences(intents: Iterable[Recorded], outcomes: dict[int, Outcome]) -> Iterable[Difference]:
    for intent in intents:
        outcome = outcomes[intent.ticket]
        was, now = _compared(intent.result), _compared(outcome.result)
        if not outcome.answered:
            now["answer"] = outcome.label
            was["answer"] = "answered"
        fields = {name: (was[name], now[name]) for name in now if was[name] != now[name]}
        if fields:
            yield Difference(intent.ticket, intent.intent, intent.parameters, intent.tick, fields)


def _compared(result: Result) -> dict[str, Any]:
    """What two results are compared by: all but the engine's clock and the time that it took."""
    data = result.to_data()
    flat = {name: value for name, value in data.items() if not isinstance(value, dict)}
    for group in ("safety_flags", "outcomes"):
        flat |= {f"{group}.{name}": value for name, value in data[group].items()}
    return flat

"""Replay of a journal: the recorded intents are sent to an executor again, and their results are compared.

Only intents of the policy that crossed the bridge are sent, in the order of their requests; every session has an opening
and fallbacks, too. A journal does not record how long each intent had, and a replay does not need it: a MOVE
or a declared intent that ended as PARTIAL/NONE gets the time that it took, because that is what ended it, and all others get `SLACK` more than
they took, so that no deadline cuts short what none cut short before.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from volition.core.errors import refuse
from volition.execution.journal import records
from volition.execution.journal.entries import References, read_journal
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.session.checks import MAX_TTL

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from os import PathLike

    from volition.execution.client.bridge import Bridge
    from volition.execution.journal.entries import Transition
    from volition.execution.wire.request import Outcome
    from volition.execution.wire.results import Result

Pace: TypeAlias = Literal["recorded", "fast"]
"""Each intent in the tick in which it was decided, or as soon as the one before has its result."""

SLACK: Final = 3.0
"""Seconds beyond what an intent took: more than a MOVE of the arena can take."""

PATIENCE: Final = 5.0
"""Seconds without a state after which the recorded tick is no longer awaited."""


class RecordedReset(Struct, frozen=True):
    """An episode that was begun with a seed, and the tick of its first state."""

    ticket: int
    seed: int
    tick: int = 0


class RecordedIntent(Struct, frozen=True):
    """One intent of a journal: what was sent, in which tick, its result, and in which tick it ended.

    `reset` is the one that was asked for right before it.
    """

    ticket: int
    intent: str
    parameters: dict[str, Any]
    agent: str | None
    result: Result
    tick: int | None
    ended: int | None
    detail: str = ""
    reset: RecordedReset | None = None

    @property
    def deadline(self) -> float:
        took = max(1, ceil(self.result.metadata.execution_time_ms)) / 1000
        cut_short = (self.result.status, self.result.failure_reason) == ("PARTIAL", "NONE")
        lasts = self.intent == "MOVE" or self.intent not in CANONICAL
        return took if lasts and cut_short else min(MAX_TTL, took + SLACK)

    def follows(self, before: RecordedIntent) -> bool:
        """Whether it was decided after the one before had ended; true where that is unknown."""
        return self.tick is None or before.ended is None or before.ended <= self.tick


class ReplayDifference(Struct, frozen=True):
    """An intent with a different result now: the fields that differ, each with its old and its new value."""

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


class Replay(Struct, frozen=True):
    """The outcome of a replay: how many intents were sent, and those whose result differs."""

    run: int
    sent: int
    differences: tuple[ReplayDifference, ...]

    @property
    def same(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        head = (
            f"run {self.run}: {self.sent} intents sent again, {self.sent - len(self.differences)} with the same result"
        )
        return "\n".join([head, *(f"  {difference}" for difference in self.differences)])

    def to_data(self) -> dict[str, Any]:
        differences = [difference.to_data() for difference in self.differences]
        return {"run": self.run, "sent": self.sent, "same": self.same, "differences": differences}


def recorded_intents(path: str | PathLike[str], run: int | None = None) -> tuple[int, list[RecordedIntent]]:
    """A run's number and the intents that its policy sent, in the order of their requests; by default the last run."""
    runs: dict[int, list[RecordedIntent]] = {}
    resets: dict[int, list[RecordedReset]] = {}
    references, awaited = References(), False
    for _, run_number, record in read_journal(path):
        references.keep(record)
        begun = resets.setdefault(run_number, [])
        match record:
            case records.EpisodeReset(ticket=ticket, seed=seed):
                begun.append(RecordedReset(ticket, seed))
                awaited = True
            case records.State(asked=True, full=True, tick=tick) if awaited:
                begun[-1], awaited = replace(begun[-1], tick=tick), False
            case records.Attempt(purpose="policy") if record.sent is not None:
                runs.setdefault(run_number, []).append(_recorded_intent(references.step(record)))
    number = max((number for number in runs if runs[number]), default=0) if run is None else run
    if not runs.get(number):
        there = ", ".join(str(each) for each in sorted(runs) if runs[each]) or "none"
        refuse(
            f"run {run} sent no intent" if run is not None else "no run of this journal sent an intent",
            where=str(path),
            expected="a run of a policy that sent intents",
            remedy=f"name another run or journal; runs that sent intents: {there}",
        )
    return number, _with_resets(sorted(runs[number], key=lambda intent: intent.ticket), resets[number])


def replay(
    intents: Sequence[RecordedIntent],
    bridge: Bridge,
    *,
    run: int = 1,
    pace: Pace = "recorded",
    progress: Callable[[int], None] | None = None,
) -> Replay:
    """Send the intents again to a world that is at its beginning, and compare the results."""
    outcomes: dict[int, Outcome] = {}
    open: dict[int, int] = {}
    state = bridge.state
    first = next((intent.tick for intent in intents if intent.tick is not None), 0)
    # Where the world is already further on, the whole recording is shifted.
    shift = max(0, (0 if state is None else state.tick) - first)
    cut_off = {intent.ticket for intent in intents if intent.detail == "RESET"}
    before: RecordedIntent | None = None
    for count, intent in enumerate(intents, 1):
        if intent.reset is not None:
            outcomes |= _collect(bridge, open, but=cut_off)
            shift = bridge.reset(intent.reset.seed).tick - intent.reset.tick
        if pace == "fast" or (before is not None and intent.follows(before)):
            outcomes |= _collect(bridge, open)
        if pace == "recorded" and intent.tick is not None:
            _await_tick(bridge, intent.tick + shift)
        ticket = bridge.submit(intent.intent, intent.parameters, deadline=intent.deadline, agent=intent.agent)
        open[intent.ticket] = ticket
        before = intent
        if progress is not None:
            progress(count)
    outcomes |= _collect(bridge, open)
    return Replay(run, len(intents), tuple(_differences(intents, outcomes)))


def _with_resets(intents: Sequence[RecordedIntent], resets: Sequence[RecordedReset]) -> list[RecordedIntent]:
    """Each intent with the reset between the one before it and itself; of several, the last."""
    placed, earlier = list[RecordedIntent](), 0
    for intent in intents:
        between = [reset for reset in resets if earlier < reset.ticket < intent.ticket]
        placed.append(replace(intent, reset=between[-1]) if between else intent)
        earlier = intent.ticket
    return placed


def _recorded_intent(step: Transition) -> RecordedIntent:
    attempt, sent = step.attempt, step.attempt.sent
    assert sent is not None
    return RecordedIntent(
        attempt.ticket,
        sent.intent,
        sent.parameters or {},
        attempt.agent,
        attempt.result,
        None if step.state is None else step.state.tick,
        None if step.next_state is None else step.next_state.tick,
        attempt.detail,
    )


def _collect(bridge: Bridge, open: dict[int, int], but: Collection[int] = ()) -> dict[int, Outcome]:
    """Wait for what is open, but for some of it; the outcomes by their recorded tickets."""
    return {recorded: bridge.wait(open.pop(recorded)) for recorded in [*open] if recorded not in but}


def _await_tick(bridge: Bridge, tick: int) -> None:
    """Wait until the world reaches a tick; not where it stands still or sends no states."""
    welcome = bridge.welcome
    if welcome is None or not welcome.tick_hz:
        return
    while (state := bridge.state) is None or state.tick < tick:
        if bridge.next_state(PATIENCE) is None:
            return


def _differences(intents: Iterable[RecordedIntent], outcomes: dict[int, Outcome]) -> Iterable[ReplayDifference]:
    for intent in intents:
        outcome = outcomes[intent.ticket]
        was, now = _comparable(intent.result), _comparable(outcome.result)
        if not outcome.answered:
            now["answer"] = outcome.label
            was["answer"] = "answered"
        fields = {name: (was[name], now[name]) for name in now if was[name] != now[name]}
        if fields:
            yield ReplayDifference(intent.ticket, intent.intent, intent.parameters, intent.tick, fields)


def _comparable(result: Result) -> dict[str, Any]:
    """The fields by which results are compared: all but the engine's clock and the duration."""
    data = result.to_data()
    flat = {name: value for name, value in data.items() if not isinstance(value, dict)}
    for group in ("safety_flags", "outcomes"):
        flat |= {f"{group}.{name}": value for name, value in data[group].items()}
    return flat

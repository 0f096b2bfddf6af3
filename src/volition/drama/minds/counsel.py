"""Who knows what minds from outside say: the minds, asked while an evening is played, or the record of it.

Minds are asked all of a tick at once, and only where something is at stake.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from volition.drama.audience.guest import Hearing
from volition.drama.mind.outside import Advice
from volition.drama.minds.situation import REMEMBERED, is_at_stake, situation_of
from volition.drama.stage.replay import unfold
from volition.minds.budget import Spending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from volition.drama.audience.guest import Heard
    from volition.drama.mind.custom import OfferedActs
    from volition.drama.mind.mind import Mind
    from volition.drama.mind.outside import OutsideMinds
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Declared, Run
    from volition.drama.stage.stage import Stage
    from volition.minds.contract import MindSituation


class LiveCounsel:
    """Asks the minds from outside of an evening, from where a run has come to.

    It follows the evening as those do whose minds they are: what they see, hear and learn is part of what is asked. What the
    run has already used counts for the budget.
    """

    def __init__(self, outside: OutsideMinds, run: Run) -> None:
        self._outside, self._memory = outside, _Memory(run, outside.people)
        self.spending = Spending(outside.budget)
        for record in run.ticks:
            self.spending.resume(record.asked.values())

    def advise(self, stage: Stage, without: AbstractSet[str]) -> dict[str, Advice]:
        """What the minds say at this tick of a stage; those who have nothing at stake, or no choice, are not asked."""
        from volition.minds.asking import ask_all  # noqa: PLC0415  asyncio is loaded where minds are asked

        questions = self.questions(stage, without)
        asked = ask_all(
            {who: self._outside.people[who].mind for who in questions},
            questions,
            deadline_s=self._outside.deadline_s,
            spending=self.spending,
            clock=self._outside.clock,
        )
        return {who: Advice(answer, self._outside.people[who].voice) for who, answer in asked.items()}

    def questions(self, stage: Stage, without: AbstractSet[str]) -> dict[str, MindSituation]:
        """What is asked at this tick, by whom it is about."""
        situations = {}
        for who in self._outside.people.keys() - without:
            offer, voice = stage.offer(who), self._outside.people[who].voice
            if offer is not None and is_at_stake(offer, voice):
                situations[who] = situation_of(stage.mind.scenario, offer, voice, self._memory.of(who))
        return situations

    def follow(self, record: TickRecord) -> None:
        """A tick was played: what the people heard in it is remembered."""
        self._memory.follow(record)


class _Memory:
    """What some people of a run saw and heard last."""

    def __init__(self, run: Run, people: Iterable[str]) -> None:
        self._world, self._hearing = run.opening_state(), Hearing(run.seed)
        self._heard: dict[str, deque[Heard]] = {who: deque(maxlen=REMEMBERED) for who in people}
        for record in run.ticks:
            self.follow(record)

    def follow(self, record: TickRecord) -> None:
        for event in unfold(self._world, record):
            for who, heard in self._hearing.hear(self._world, event, self._heard).items():
                self._heard[who].append(heard)

    def of(self, who: str) -> tuple[Heard, ...]:
        return tuple(self._heard[who])


class RecordedCounsel:
    """Minds from outside that say what they said at the same tick; a choice holds only where it is still open."""

    def __init__(self, declared: Declared, ticks: Sequence[TickRecord]) -> None:
        self._voices, self._asked = declared.outside, {tick.tick: tick.asked for tick in ticks if tick.asked}

    def advise(self, stage: Stage, without: AbstractSet[str]) -> dict[str, Advice]:
        asked = self._asked.get(stage.evening.tick, {})
        advice = {who: Advice(answer, self._voices[who]) for who, answer in asked.items() if who not in without}
        return {who: each for who, each in advice.items() if _holds(each, stage.offer(who))}

    def follow(self, record: TickRecord) -> None:
        """It knows every tick already."""


def _holds(advice: Advice, offer: OfferedActs | None) -> bool:
    if offer is None:
        return False
    return bool(advice.asked.fallback) or not advice.voice.chooses or advice.asked.choice in offer.choices


def counsel_of(mind: Mind) -> Callable[[Run], LiveCounsel] | None:
    """Who asks the minds from outside that take part in an evening, if there are any."""
    return None if mind.outside is None else partial(LiveCounsel, mind.outside)

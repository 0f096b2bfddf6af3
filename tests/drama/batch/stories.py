"""What makes an evening a story, read from its record: the readable definition of `Story`."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import TYPE_CHECKING

from volition.drama.batch.measures import FirstAct, Story
from volition.drama.evening.log import LIE_FOUND_OUT, REASONS
from volition.drama.evening.measure import ANSWER_MINUTES, OWED_MINUTES, SCENE_TICKS, STORM_MINUTES
from volition.drama.rules.catalog import (
    BREAK_WITH,
    CATASTROPHE,
    CLOCK,
    CONFIDE,
    CONFLICT,
    DRAMATIC,
    FORGIVE,
    LEAVE,
    LIE,
    PHYSICAL,
    POUR,
    REVEAL,
    SHUN,
    SLAM,
    Belief,
)
from volition.drama.stage.replay import advance
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run

_FOUND_OUT = REASONS[LIE_FOUND_OUT]


def story_of(played: Run) -> Story:
    """The story of a recorded evening."""
    people, events = played.scenario.people, played.events
    made = Counter(event.source for event in events if event.type != CLOCK)
    rows = Counter((event.source, whom) for event in events if event.type == CONFLICT for whom in event.targets)
    first = next((event for event in events if event.type in DRAMATIC), None)
    out = {secret for event in events for secret in _secrets_learned(event)}
    followed = _Followed(played)
    return Story(
        made={who: made[who] for who in people},
        conflicts={who: {whom: rows[who, whom] for whom in people if rows[who, whom]} for who in people},
        first=None if first is None else FirstAct(first.source, first.type.name, first.targets[0]),
        out=tuple(secret for secret in played.scenario.secrets if secret in out),
        stale=sum(_is_stale(event) for event in events),
        driven_off=tuple(who for who in people if who in followed.driven_off),
        seen_through=sum(event.type == LIE and not event.details["believed"] for event in events),
        found_out=sum(
            delta.kind == "planted" and delta.reason == _FOUND_OUT for event in events for delta in event.deltas
        ),
        answers=tuple(followed.answers),
        pours=len(followed.pours),
        pours_amid_rows=sum(followed.pours),
        first_out=next((secret for event in events for secret in _in_order(event)), None),
        remained=tuple(who for who, me in followed.world.agents.items() if me.location != DEPARTED),
        subjects=_subjects(events),
        owed=followed.owed,
        settled=followed.settled,
    )


def _in_order(event: Event) -> list[str]:
    """The secrets that somebody learns by an event, as they are learned."""
    return [delta.key for delta in event.deltas if delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE]


def _subjects(events: Sequence[Event]) -> tuple[int, int, int]:
    """How many confrontations were about nothing, about a secret, and about a wrong."""
    rows = [event.details for event in events if event.type == CONFLICT]
    wrongs = sum("wrong" in details for details in rows)
    secrets = sum("about" in details for details in rows) - wrongs
    return len(rows) - wrongs - secrets, secrets, wrongs


def _secrets_learned(event: Event) -> set[str]:
    """The secrets that somebody learns by an event."""
    known = (delta.key for delta in event.deltas if delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE)
    return set(known)


def _is_stale(event: Event) -> bool:
    """Whether a truth comes out by it that nobody learns."""
    told = event.secret if event.type == REVEAL else event.details.get("forced", event.details.get("told"))
    return told is not None and told not in _secrets_learned(event)


class _Followed:
    """An evening followed tick by tick, with the state after each of them."""

    def __init__(self, played: Run) -> None:
        self.played, self.world = played, played.opening_state()
        self.driven_off: set[str] = set()
        self.answers = [0] * (ANSWER_MINUTES + 1)
        self.pours: list[bool] = []
        self._rowed: dict[str, float] = {}
        self._clashed: dict[str, int] = {}
        self._met: dict[tuple[str, str], float | None] = {}
        self.owed = self.settled = 0
        self._open: dict[tuple[str, str], float | None] = {}
        for record in played.ticks:
            advance(self.world, record)
            for event in record.events:
                self._follow(event)
            for event in record.events:
                self._find_wrongs(event)
            self._follow_debts()
            self._wait()

    def _follow(self, event: Event) -> None:
        if event.type in (CONFLICT, CATASTROPHE):
            self._rowed |= dict.fromkeys(event.targets if event.type == CONFLICT else (), event.minutes)
            self._rowed[event.source] = event.minutes
            self._clashed[event.room] = event.tick
        if event.type == PHYSICAL and event.manner == POUR:
            self.pours.append(event.tick - self._clashed.get(event.room, -inf) <= SCENE_TICKS)
        if event.type == PHYSICAL and event.manner == LEAVE:
            rowed = self._rowed.get(event.source, -inf)
            if self.world.agents[event.source].thrown_out or event.minutes - rowed <= STORM_MINUTES:
                self.driven_off.add(event.source)
        for pair, met in list(self._met.items()):
            if met is not None and pair[0] == event.source and self._is_answer(event, pair[1]):
                self.answers[min(int(event.minutes - met), ANSWER_MINUTES)] += 1
                del self._met[pair]

    def _follow_debts(self) -> None:
        """Count wrongs that are settled or half an hour old, of those learned half an hour before the end."""
        agents, latest = self.world.agents, self.played.scenario.evening.minutes - OWED_MINUTES
        for who, me in agents.items():
            for whom in agents:
                pair, since = (who, whom), me.stung.get(whom)
                if pair in self._open:
                    opened = self._open[pair]
                    late = since is not None and opened is not None and self.world.minutes - opened >= OWED_MINUTES
                    self.owed += opened is not None and (late or since is None)
                    self.settled += since is None
                    if since is None:
                        del self._open[pair]
                    elif late:
                        self._open[pair] = None
                elif since is not None and since <= latest and agents[whom].location != DEPARTED:
                    self._open[pair] = since

    def _is_answer(self, event: Event, to: str) -> bool:
        """Whether an event answers a wrong that its source met."""
        if event.type == CONFLICT or event.manner in (SHUN, FORGIVE, BREAK_WITH):
            return to in event.targets
        if event.type == CONFIDE:
            return to not in event.targets
        if event.type == REVEAL:
            return event.secret is not None and to in self.played.scenario.secrets[event.secret].holders
        return event.type == CATASTROPHE or event.manner in (LEAVE, SLAM)

    def _find_wrongs(self, event: Event) -> None:
        for delta in event.deltas:
            if delta.kind == "stung" and delta.after is not None:
                self._met.setdefault((delta.agent, delta.key), None)

    def _wait(self) -> None:
        """Let time pass over wrongs: they are met where both are in one room, and given up late or when one is gone."""
        minutes, agents = self.world.minutes, self.world.agents
        for who, whom in list(self._met):
            met, here, there = self._met[who, whom], agents[who].location, agents[whom].location
            if DEPARTED in (here, there):
                del self._met[who, whom]
            elif met is None:
                self._met[who, whom] = minutes if here == there else None
            elif minutes - met >= ANSWER_MINUTES:
                self.answers[ANSWER_MINUTES] += 1
                del self._met[who, whom]

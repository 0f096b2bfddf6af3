"""What has happened so far in a run that is being told, and who has seen or heard it: phrases ask about it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from volition.drama.rules.catalog import (
    BREAK_WITH,
    CATASTROPHE,
    CHAT,
    CLOCK,
    CONFIDE,
    CONFLICT,
    FETCH,
    FORGIVE,
    LEAVE,
    LIE,
    PHYSICAL,
    POUR,
    REVEAL,
    SERVE,
    Belief,
)

if TYPE_CHECKING:
    from volition.drama.stage.events import Delta, Event

LATELY: Final = 8.0
"""For so many minutes a reader remembers a question that waits for its answer."""
AFTERMATH: Final = 20.0
"""For so many minutes after an outburst or a truth, nobody who was there has small talk."""
_UNSTATED: Final = frozenset({"lie", "exposure", "attack"})
"""The wrongs that are thrown in somebody's face without the secret being said."""


class Chronicle:
    """What has happened so far in a run that is being told.

    `cooks` have fetched or served, `rowed` have taken part in a quarrel or an outburst, `heard` is who heard which secret
    stated, whether they believed it or not, and `out` is the same without what was said in confidence. `spoken` are all
    secrets that were stated, `said` who has said which of them aloud. `shaken` is when somebody last saw an outburst or
    heard a truth, `struck` when it was news to them. `learned` is who learned which secret. `lied_to` is who was told that
    there is nothing in which secret. `happened` are the events of the clock. `told` is how often which pool was used.
    """

    def __init__(self) -> None:
        self.served = 0
        self.poured = 0
        self.past: set[str] = set()
        self.cooks: set[str] = set()
        self.rowed: set[str] = set()
        self.heard: set[tuple[str, str]] = set()
        self.out: set[tuple[str, str]] = set()
        self.spoken: set[str] = set()
        self.said: set[tuple[str, str]] = set()
        self.shaken: dict[str, float] = {}
        self.struck: dict[str, float] = {}
        self.learned: set[tuple[str, str]] = set()
        self.lied_to: set[tuple[str, str]] = set()
        self.happened: set[str] = set()
        self.told: Counter[str] = Counter()
        self._asked: dict[tuple[str, str, str], float] = {}
        self._been: set[tuple[str, str | None]] = set()
        self._seen: dict[str, set[str]] = {}
        self._scenes: set[frozenset[str]] = set()
        self._peace: set[frozenset[str]] = set()
        self._done: Counter[tuple[str, str, str | None, str | None]] = Counter()

    def add(self, event: Event) -> None:
        """Take note of an event that has been told."""
        there = (*event.participants, *event.witnesses)
        marks = _marks(event)
        self.past |= marks
        for who in (*there, *event.overheard):
            self._seen.setdefault(who, set()).update(marks)
        if event.type == PHYSICAL:
            self.served += event.manner == SERVE
            if event.manner in (FETCH, SERVE):
                self.cooks.add(event.source)
            self.poured += event.manner in (SERVE, POUR)
        if event.type == CONFLICT:
            self.rowed.update(event.participants)
        if event.type == CATASTROPHE:
            self.rowed.add(event.source)
        if event.type == CLOCK:
            self.happened.add(event.details["clock"])
        self._add_truths(event)
        self._add_peace(event)
        if event.type == LIE and event.secret is not None:
            self.lied_to.update((whom, event.secret) for whom in event.targets)
        if (asked := event.details.get("question", event.details.get("about"))) is not None:
            self._asked.update({(event.source, whom, asked): event.minutes for whom in event.targets})
        self._been.update((who, event.room) for who in there)
        self._been.add((event.source, event.destination))
        self._done[deed(event)] += 1

    def _add_truths(self, event: Event) -> None:
        """Who hears what, and to whom it is news."""
        stated = stated_in(event)
        self.spoken.update(stated)
        heard = {(who, secret) for secret in stated for who in _hearers(event)}
        self.heard |= heard
        learned = {(delta.agent, str(delta.key)) for delta in event.deltas if _is_learned(delta)}
        self.learned |= learned
        if event.type == CATASTROPHE or (stated and learned):
            self.shaken.update(dict.fromkeys(_hearers(event), event.minutes))
        struck = {who for who, _ in learned}
        if event.type == CATASTROPHE:
            struck |= {*event.targets, *event.witnesses}
        self.struck.update(dict.fromkeys(struck, event.minutes))
        if event.type != CONFIDE:
            self.out |= heard
            self.said.update((_speaker(event, secret), secret) for secret in stated)

    def _add_peace(self, event: Event) -> None:
        """Who has had a scene with whom, and who has made it up again."""
        pairs = {frozenset({event.source, whom}) for whom in event.targets}
        if event.type == CONFLICT or (event.type == PHYSICAL and event.manner == BREAK_WITH):
            self._scenes |= pairs
            self._peace -= pairs
        elif (event.type == CHAT and event.details.get("reconciled")) or event.manner == FORGIVE:
            self._peace |= pairs

    def known_to(self, who: str) -> frozenset[str]:
        """What a person has seen or heard of what has happened; that somebody has left, everybody knows."""
        return frozenset(self._seen.get(who, set()) | (self.past & {"departure"}) or {"calm"})

    def was_asked(self, event: Event) -> bool:
        """Whether who lies was lately asked about it, or accused of it, by the person lied to."""
        asked = (self._asked.get((whom, event.source, event.secret or "")) for whom in event.targets)
        return any(minutes is not None and event.minutes - minutes < LATELY for minutes in asked)

    def has_seen(self, event: Event) -> bool:
        """Whether the same person did the same before, to the same person and about the same thing, or was there before."""
        if event.destination is not None:
            return (event.source, event.destination) in self._been
        return self._done[deed(event)] > 0

    def are_shaken(self, event: Event) -> bool:
        """Whether everybody who talks here has just been through an outburst or a truth."""
        return all(event.minutes - self.shaken.get(who, -AFTERMATH) < AFTERMATH for who in event.participants)

    def is_struck(self, who: str, minutes: float) -> bool:
        """Whether a person has just learned something, or seen somebody else break down."""
        return minutes - self.struck.get(who, -AFTERMATH) < AFTERMATH

    def are_at_peace(self, who: str, whom: str) -> bool:
        """Whether two people have made it up, and have not quarrelled since."""
        return frozenset({who, whom}) in self._peace

    def have_clashed(self, who: str, whom: str) -> bool:
        """Whether two people have had a scene with each other tonight."""
        return frozenset({who, whom}) in self._scenes


def _marks(event: Event) -> set[str]:
    """What an event is for the rest of an evening, as a condition says it."""
    marks = {
        "quarrel": event.type == CONFLICT,
        "outburst": event.type == CATASTROPHE,
        "departure": event.type == PHYSICAL and event.manner == LEAVE,
        "reconciliation": event.type == CHAT and bool(event.details.get("reconciled")),
        "truth": any(_is_learned(delta) for delta in event.deltas),
    }
    return {mark for mark, is_so in marks.items() if is_so}


def _is_learned(delta: Delta) -> bool:
    return delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE


def learners_of(event: Event, secret: str) -> list[str]:
    """Those who learn a secret by an event."""
    return [delta.agent for delta in event.deltas if _is_learned(delta) and delta.key == secret]


def stated_in(event: Event) -> list[str]:
    """The secrets that an event says in so many words: told, shouted, admitted, read out, or stated in a quarrel."""
    stated = [event.details.get("forced"), event.details.get("told")]
    if event.details.get("stated") and event.details.get("wrong") not in _UNSTATED:
        stated.append(event.details.get("about"))
    if event.type in (REVEAL, CONFIDE, CLOCK):
        stated.append(event.secret)
    return [secret for secret in stated if secret is not None]


def _speaker(event: Event, secret: str) -> str:
    """Who says a secret that an event states: the person accused, if it is wrung from them."""
    return event.targets[0] if event.details.get("forced") == secret else event.source


def _hearers(event: Event) -> tuple[str, ...]:
    """Those who hear what is said: all who are there, but of a confidence only the two."""
    return event.participants if event.type == CONFIDE else (*event.participants, *event.witnesses)


def deed(event: Event) -> tuple[str, str, str | None, str | None]:
    """What an event is if it happens again."""
    details = event.details
    about = event.manner or event.secret or details.get("question") or details.get("about", details.get("forced"))
    if (wrong := details.get("wrong")) in _UNSTATED:
        about = f"{wrong}:{about}"
    return event.type.name, event.source, event.targets[0] if len(event.targets) == 1 else None, about

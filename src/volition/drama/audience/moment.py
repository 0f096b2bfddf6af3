"""A moment of a run as phrases see it: what has happened so far, and what is true of who speaks, to whom, where and when."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from volition.drama.rules.catalog import (
    CATASTROPHE,
    CHAT,
    CLOCK,
    CONFIDE,
    CONFLICT,
    FETCH,
    LEAVE,
    LIE,
    PHYSICAL,
    POUR,
    REVEAL,
    SERVE,
    Belief,
)
from volition.drama.words.condition import TRUE, Facts
from volition.drama.words.people import relations_between
from volition.drama.world.model import DEPARTED, Room, Scenario, Secret

if TYPE_CHECKING:
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Delta, Event
    from volition.drama.stage.record import Run

EARLY: Final = 0.25
LATE: Final = 0.7
"""The shares of an evening at which its middle begins and ends."""
PRIVATE: Final = 0.5
"""The privacy from which a room is private."""
CROWD: Final = 2
"""So many people besides those who talk are a crowd, and so many in other rooms are company to be apart from."""
RESENTED: Final = 0.25
"""The grievance from which a person talks coldly."""
LATELY: Final = 8.0
"""For so many minutes a reader remembers a question that waits for its answer."""
AFTERMATH: Final = 20.0
"""For so many minutes after an outburst or a truth, nobody who was there has small talk."""
_FEELS = {"angry": ("anger", 0.4), "afraid": ("fear", 0.4), "ashamed": ("shame", 0.35), "hopeful": ("hope", 0.3)}
_FEELS |= {"suspicious": ("suspicion", 0.45), "fond": ("affection", 0.4)}
_UNEASY = frozenset({"tense", "tipsy", "angry", "afraid", "ashamed"})
_BELIEFS = {Belief.UNKNOWN: "unknown", Belief.SUSPECTS: "suspects", Belief.BELIEVES_TRUE: "knows"}


class Chronicle:
    """What has happened so far in a run that is being told.

    `cooks` have fetched or served, `rowed` have taken part in a quarrel or an outburst, `heard` is who heard which secret
    stated, whether they believed it or not, and `spoken` are all secrets that were. `shaken` is when somebody last saw an
    outburst or heard a truth. `lied_to` is who was told that there is nothing in which secret.
    """

    def __init__(self) -> None:
        self.served = 0
        self.poured = 0
        self.past: set[str] = set()
        self.cooks: set[str] = set()
        self.rowed: set[str] = set()
        self.heard: set[tuple[str, str]] = set()
        self.spoken: set[str] = set()
        self.shaken: dict[str, float] = {}
        self.lied_to: set[tuple[str, str]] = set()
        self._asked: dict[tuple[str, str, str], float] = {}
        self._been: set[tuple[str, str | None]] = set()
        self._seen: dict[str, set[str]] = {}
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
        self.spoken.update(stated_in(event))
        self.heard.update((who, secret) for secret in stated_in(event) for who in _hearers(event))
        if event.type == CATASTROPHE or any(_is_learned(delta) for delta in event.deltas if stated_in(event)):
            self.shaken.update(dict.fromkeys(_hearers(event), event.minutes))
        if event.type == LIE and event.secret is not None:
            self.lied_to.update((whom, event.secret) for whom in event.targets)
        if (asked := event.details.get("question", event.details.get("about"))) is not None:
            self._asked.update({(event.source, whom, asked): event.minutes for whom in event.targets})
        self._been.update((who, event.room) for who in there)
        self._been.add((event.source, event.destination))
        self._done[deed(event)] += 1

    def known_to(self, who: str) -> frozenset[str]:
        """What a person has seen or heard of what has happened; that somebody has left, everybody knows."""
        return frozenset(self._seen.get(who, set()) | (self.past & {"departure"}) or {"calm"})

    def was_asked(self, event: Event) -> bool:
        """Whether who lies was lately asked about it, or accused of it, by the person lied to."""
        asked = (self._asked.get((whom, event.source, event.secret or "")) for whom in event.targets)
        return any(minutes is not None and event.minutes - minutes < LATELY for minutes in asked)

    def has_seen(self, event: Event) -> bool:
        """Whether the same person did the same before, to the same person and about the same secret, or was there before."""
        if event.destination is not None:
            return (event.source, event.destination) in self._been
        return self._done[deed(event)] > 0

    def are_shaken(self, event: Event) -> bool:
        """Whether everybody who talks here has just been through an outburst or a truth."""
        return all(event.minutes - self.shaken.get(who, -AFTERMATH) < AFTERMATH for who in event.participants)


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


def stated_in(event: Event) -> list[str]:
    """The secrets that an event says in so many words: told, shouted, admitted, read out, or stated in a quarrel."""
    stated = [event.details.get("forced"), event.details.get("told")]
    if event.details.get("stated") and "wrong" not in event.details:
        stated.append(event.details.get("about"))
    if event.type in (REVEAL, CONFIDE, CLOCK):
        stated.append(event.secret)
    return [secret for secret in stated if secret is not None]


def _hearers(event: Event) -> tuple[str, ...]:
    """Those who hear what is said: all who are there, but of a confidence only the two."""
    return event.participants if event.type == CONFIDE else (*event.participants, *event.witnesses)


def deed(event: Event) -> tuple[str, str, str | None, str | None]:
    """What an event is if it happens again."""
    about = event.manner or event.secret or event.details.get("question")
    return event.type.name, event.source, event.targets[0] if len(event.targets) == 1 else None, about


def facts_of(
    world: WorldState, event: Event, past: Chronicle, who: str, whom: str | None, secret: Secret | None = None
) -> Facts:
    """Everything that a condition may ask about, for words of `who`, to `whom` if to anybody, about `secret` if any."""
    scenario, me = world.scenario, world.agents[who]
    room = scenario.rooms[event.room]
    here = frozenset(other.id for other in world.agents.values() if other.location == room.id)
    inside = frozenset(other.id for other in world.agents.values() if other.location != DEPARTED)
    facts = {
        "who": frozenset({who}),
        "voice": frozenset(scenario.people[who].voice),
        "resident": _flag(scenario.people[who].resident),
        "pronoun": pronoun_of(scenario, who),
        "cook": _flag(who in past.cooks),
        "rowed": _flag(who in past.rowed),
        "mood": moods(me),
        "aware": _aware(me),
        "room": frozenset({room.id}),
        "place": frozenset(places(scenario, room)),
        "setting": frozenset(scenario.setting),
        "present": here,
        "inside": inside,
        "departed": count_departed(sum(other.has_left for other in world.agents.values())),
        "alone": _flag(here <= {who, whom}),
        "crowd": _flag(len(here - {who, whom}) >= CROWD),
        "apart": _flag(len(inside - here) >= CROWD),
        "served": _flag(past.served > 0),
        "wine": _flag(past.poured > 0),
        "again": _flag(past.has_seen(event)),
        "busy": _flag(me.task is not None),
        "aloud": _flag(event.type != CONFIDE),
        "awaited": _flag(any(other.location == event.destination for other in world.agents.values())),
        "phase": frozenset({phase(event.minutes, scenario)}),
        "past": past.known_to(who),
    }
    if whom is not None and whom != who:
        them = world.agents[whom]
        facts |= {
            "whom": frozenset({whom}),
            "whom_voice": frozenset(scenario.people[whom].voice),
            "whom_resident": _flag(scenario.people[whom].resident),
            "whom_pronoun": pronoun_of(scenario, whom),
            "whom_cook": _flag(whom in past.cooks),
            "whom_rowed": _flag(whom in past.rowed),
            "whom_mood": moods(them),
            "whom_aware": _aware(them),
            "relation": frozenset(relations(scenario, who, whom)),
            "tone": frozenset({tone_between(me, whom)}),
        }
    if secret is not None:
        facts |= {
            "secret": frozenset({secret.id}),
            "content": frozenset({secret.content}),
            "knows": frozenset({knowledge_of(me, secret)}),
            "heard": _flag((who, secret.id) in past.heard),
            "about": frozenset({_about(secret, who, whom)}),
        }
        if whom is not None:
            facts["hidden"] = _flag((who, secret.id) not in world.agents[whom].knows)
            facts["whom_heard"] = _flag((whom, secret.id) in past.heard)
            facts["whom_lied_to"] = _flag((whom, secret.id) in past.lied_to)
            facts["whom_knows"] = frozenset({knowledge_of(world.agents[whom], secret)})
    return facts


def facts_of_room(world: WorldState, id: str, past: Chronicle) -> Facts:
    """What a condition may ask about a room to which the reader comes."""
    scenario = world.scenario
    inside = [other.location for other in world.agents.values() if other.location != DEPARTED]
    here = inside.count(id)
    return {
        "room": frozenset({id}),
        "place": frozenset(places(scenario, scenario.rooms[id])),
        "setting": frozenset(scenario.setting),
        "alone": _flag(here <= 1),
        "crowd": _flag(here > CROWD),
        "apart": _flag(len(inside) - here >= CROWD),
        "past": frozenset(past.past or {"calm"}),
    }


def facts_of_ending(run: Run, past: Chronicle) -> Facts:
    """What a condition may ask about the end of an evening."""
    return {
        "setting": frozenset(run.scenario.setting),
        "past": frozenset(past.past or {"calm"}),
        "departed": count_departed(len(run.left)),
        "served": _flag(past.served > 0),
    }


def pronoun_of(scenario: Scenario, who: str) -> frozenset[str]:
    """A person's pronoun, as a condition says it."""
    pronouns = scenario.people[who].pronouns
    return frozenset({pronouns if isinstance(pronouns, str) else "other"})


def count_departed(count: int) -> frozenset[str]:
    """How many have left for good, as a condition says it."""
    return frozenset({"nobody" if count == 0 else "one" if count == 1 else "several"})


def moods(me: AgentState) -> frozenset[str]:
    """The moods that show in a person."""
    felt = {mood for mood, (emotion, least) in _FEELS.items() if me.emotions.get(emotion, 0.0) > least}
    if me.pacing.stress > 0.5 or me.pacing.composure < 0.35:
        felt.add("tense")
    if me.alcohol > 0.5:
        felt.add("tipsy")
    return frozenset(felt if felt & _UNEASY else felt | {"calm"})


def tone_between(me: AgentState, other: str) -> str:
    """How a person talks to another, by grievance and bond: warm, plain or cold."""
    bond = me.bonds[other]
    if bond.trust < 0.0 or bond.affection < -0.1 or me.grievance.get(other, 0.0) > RESENTED:
        return "cold"
    return "warm" if bond.affection > 0.4 and bond.trust > 0.3 else "plain"


def phase(minutes: float, scenario: Scenario) -> str:
    """The part of the evening: early, middle or late."""
    share = minutes / scenario.evening.minutes
    return "early" if share < EARLY else "late" if share >= LATE else "middle"


def places(scenario: Scenario, room: Room) -> tuple[str, ...]:
    """What kind of place a room is, with its tags."""
    evening = scenario.evening
    kinds = {"gathering": evening.gathering, "kitchen": evening.kitchen, "exit": evening.exit}
    named = [kind for kind, id in kinds.items() if id == room.id]
    away = [] if room.id == evening.gathering else ["away"]
    return (*named, *away, "private" if room.privacy >= PRIVATE else "public", *room.tags)


def relations(scenario: Scenario, who: str, whom: str) -> tuple[str, ...]:
    """What `whom` is to `who`."""
    return relations_between(who, whom, {id: scenario.people[id].relations for id in (who, whom)})


def knowledge_of(me: AgentState, secret: Secret) -> str:
    """What a person has to do with a secret: holds, knows, suspects, denied (they believe it is not so) or unknown."""
    return "holds" if me.id in secret.holders else _BELIEFS.get(me.beliefs[secret.id], "denied")


def _about(secret: Secret, who: str, whom: str | None) -> str:
    if secret.about is None:
        return "nobody"
    return "who" if secret.about == who else "whom" if secret.about == whom else "other"


def _aware(me: AgentState) -> frozenset[str]:
    return frozenset(secret for secret, belief in me.beliefs.items() if belief == Belief.BELIEVES_TRUE)


def _flag(is_so: bool) -> frozenset[str]:
    return TRUE if is_so else frozenset()

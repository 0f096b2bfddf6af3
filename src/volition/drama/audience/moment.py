"""A moment of a run as phrases see it: what has happened so far, and what is true of who speaks, to whom, where and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.audience.chronicle import learners_of, stated_in
from volition.drama.rules.catalog import BREAK_WITH, CONFIDE, FORGIVE, Belief
from volition.drama.words.condition import TRUE, Facts
from volition.drama.words.people import relations_between
from volition.drama.world.model import DEPARTED, Room, Scenario, Secret

if TYPE_CHECKING:
    from volition.drama.audience.chronicle import Chronicle
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
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
HARMED: Final = 0.3
"""The harm from which a truth hurts the person who learns it."""
_FEELS = {"anger": ("angry", 0.4), "fear": ("afraid", 0.4), "shame": ("ashamed", 0.35), "hope": ("hopeful", 0.3)}
_FEELS |= {"suspicion": ("suspicious", 0.45), "affection": ("fond", 0.4)}
_UNEASY = frozenset({"tense", "tipsy", "angry", "afraid", "ashamed"})
_NEW_TO: Final = ("nobody", "one", "several")
_REMAINING: Final = ("nobody", "one", "two", "several")
_BELIEFS = {Belief.UNKNOWN: "unknown", Belief.SUSPECTS: "suspects", Belief.BELIEVES_TRUE: "knows"}


def facts_of(
    world: WorldState, event: Event, past: Chronicle, who: str, whom: str | None, secret: Secret | None = None
) -> Facts:
    """Everything that a condition may ask about, for words of `who`, to `whom` if to anybody, about `secret` if any."""
    scenario, me = world.scenario, world.agents[who]
    room = scenario.rooms[event.room]
    where = {id: other.location for id, other in world.agents.items()}
    here = frozenset(id for id, place in where.items() if place == room.id)
    inside = frozenset(id for id, place in where.items() if place != DEPARTED)
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
        "departed": count_departed(len(where) - len(inside)),
        "alone": _flag(here <= {who, whom}),
        "crowd": _flag(len(here - {who, whom}) >= CROWD),
        "apart": _flag(len(inside - here) >= CROWD),
        "served": _flag(past.served > 0),
        "wine": _flag(past.poured > 0),
        "again": _flag(past.has_seen(event)),
        "busy": _flag(me.task is not None),
        "aloud": _flag(event.type != CONFIDE),
        "awaited": _flag(event.destination in where.values()),
        "phase": frozenset({phase(event.minutes, scenario)}),
        "past": past.known_to(who),
        "happened": frozenset(past.happened),
        "wrong": _wrong(world, event),
        **_blows(world, event, past, who),
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
            "peace": _flag(past.are_at_peace(who, whom)),
            **{f"whom_{key}": words for key, words in _blows(world, event, past, whom).items() if key != "out"},
        }
    if secret is not None:
        facts |= {
            "secret": frozenset({secret.id}),
            "content": frozenset({secret.content}),
            "knows": frozenset({knowledge_of(me, secret)}),
            "heard": _flag((who, secret.id) in past.heard),
            "about": frozenset({_about(secret, who, whom)}),
            "admitted": _flag(any((holder, secret.id) in past.said for holder in secret.holders)),
            "new_to": _new_to(event, secret),
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
    inside = frozenset(run.scenario.people) - frozenset(run.left)
    return {
        "inside": inside,
        "remaining": frozenset({_REMAINING[min(len(inside), len(_REMAINING) - 1)]}),
        "resident": _flag(all(run.scenario.people[id].resident for id in inside)),
        "happened": frozenset(past.happened),
        "out": frozenset(past.spoken),
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
    pacing = me.pacing
    felt = {_FEELS[emotion][0] for emotion, strength in me.emotions.items() if strength > _FEELS[emotion][1]}
    if pacing.stress > 0.5 or pacing.composure < 0.35:
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


def _blows(world: WorldState, event: Event, past: Chronicle, who: str) -> dict[str, frozenset[str]]:
    """What the evening has done to `who`: what is out before them, and whether it is news, theirs, or hurts them."""
    secrets = world.scenario.secrets
    out = frozenset(secret for hearer, secret in past.out if hearer == who)
    hurt = any((who, id) in past.learned and secret.harm.get(who, 0.0) >= HARMED for id, secret in secrets.items())
    return {
        "out": out,
        "struck": _flag(past.is_struck(who, event.minutes)),
        "exposed": _flag(any(who in secrets[id].holders for id in out)),
        "hurt": _flag(hurt),
    }


def _wrong(world: WorldState, event: Event) -> frozenset[str]:
    """Of which sort the wrong is that somebody is confronted with, or that is forgiven or ends it."""
    wrong = event.details.get("wrong")
    if event.manner in (FORGIVE, BREAK_WITH) and event.targets:
        wrong = world.agents[event.source].wrong.get(event.targets[0])
    return frozenset() if wrong is None else frozenset({wrong.partition(":")[0]})


def _new_to(event: Event, secret: Secret) -> frozenset[str]:
    """To how many of those who hear it a secret is news, as a condition says it; nothing, where it is not stated."""
    if secret.id not in stated_in(event):
        return frozenset()
    return frozenset({_NEW_TO[min(len(learners_of(event, secret.id)), len(_NEW_TO) - 1)]})


def _about(secret: Secret, who: str, whom: str | None) -> str:
    if secret.about is None:
        return "nobody"
    return "who" if secret.about == who else "whom" if secret.about == whom else "other"


def _aware(me: AgentState) -> frozenset[str]:
    return frozenset(secret for secret, belief in me.beliefs.items() if belief == Belief.BELIEVES_TRUE)


def _flag(is_so: bool) -> frozenset[str]:
    return TRUE if is_so else frozenset()

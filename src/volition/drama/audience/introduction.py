"""A guest is introduced to an evening: who is here, what they are to the guest, and what the guest knows and wants; no numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from volition.drama.audience.guest import kind_of
from volition.drama.audience.moment import relations, tone_between
from volition.drama.audience.prose import join_names, short_names
from volition.drama.rules.catalog import GOALS, Belief
from volition.drama.words.people import relation_noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from volition.drama.mind.custom import OfferedActs
    from volition.drama.world.model import Scenario

_WANTS: Final[Mapping[str, str]] = {
    "safety": "to come through the evening unharmed",
    "status": "to be looked up to",
    "secrecy": "to keep to yourself what is yours",
    "truth_seeking": "to find out what is going on",
    "autonomy": "to answer to nobody",
    "loyalty": "to stand by those who stand by you",
}
_FOREMOST: Final = 2
"""How many goals are named."""
_TONES: Final[Mapping[str, str]] = {
    "warm": "you are fond of {them}",
    "plain": "you get on with {them}",
    "cold": "you do not trust {them}",
}
HOW_TO_PLAY: Final = (
    "In every moment you choose one thing to do; everybody else does too, and what is in each other's way gives way.",
    "Talk, watch, ask and listen: what is said at your table you hear, and a confidence between others you only see.",
    "What you know you can say aloud, confide or deny; what you only suspect you can ask about, and confront with.",
    "After each act you read what others took from it, as far as it shows; the rest you have to guess.",
    "Leave by the way out, alone or with somebody who is willing; or stay, and see how it ends.",
)
"""How to play, in five lines."""


Sureness = Literal["own", "sure", "suspected", "denied"]
"""How sure a guest is: of their own secret, of what they know, of what they suspect, and of what they were talked out of."""


class Knowledge(Struct, frozen=True):
    """One thing that a guest knows or suspects: how sure they are, and the words."""

    sure: Sureness
    """How sure the guest is: their own secret, known, suspected, or talked out of it."""
    words: str
    """What it is, as the guest knows it."""


class CastMember(Struct, frozen=True):
    """Somebody else who is expected: their name, what everybody knows of them, what they are to the guest, and where they are."""

    id: str
    name: str
    role: str
    relation: str
    feeling: str
    is_here: bool

    def __str__(self) -> str:
        parts = [self.role, self.relation, self.feeling, "" if self.is_here else "not in this room"]
        return f"{self.name}: {'; '.join(part for part in parts if part)}."


class Introduction(Struct, frozen=True):
    """What a guest is told before the evening begins, in words: data for a page."""

    title: str
    you: str
    cast: tuple[CastMember, ...]
    wants: tuple[str, ...]
    knows: tuple[str, ...]
    how: tuple[str, ...] = HOW_TO_PLAY

    def lines(self) -> list[str]:
        """The page, line by line."""
        parts = [
            [self.title, self.you],
            ["With you tonight", *(f"  {member}" for member in self.cast)],
            ["What you want", *(f"  {want}" for want in self.wants)],
            ["What you know", *(f"  {line}" for line in self.knows or ("Nothing that others do not.",))],
            ["How to play", *(f"  {line}" for line in self.how)],
        ]
        return [line for number, part in enumerate(parts) for line in ([""] if number else []) + part]


def introduce(scenario: Scenario, offer: OfferedActs) -> Introduction:
    """The introduction of the guest who has this offer.

    Of others' roles only what stands before the first semicolon is told: the rest is for who reads the scenario, and so is
    its description, which may tell every secret.
    """
    me, names = scenario.people[offer.who], short_names(scenario)
    cast = tuple(_member(scenario, offer, other) for other in scenario.people if other != offer.who)
    order = sorted(zip(me.goals, GOALS, strict=True), key=lambda goal: -goal[0])
    wants = [f"You want {_WANTS[goal]}." for _, goal in order[:_FOREMOST]]
    for kept in me.commitments:
        if kept.kind == "protect" and kept.person is not None:
            wants.append(f"You want nothing to happen to {names[kept.person]}.")
        elif kept.secret is not None and offer.me.beliefs.get(kept.secret) == Belief.BELIEVES_TRUE:
            what = scenario.secrets[kept.secret].description.rstrip(".")
            wish = "nobody to learn" if kept.kind == "conceal" else "it to come out"
            wants.append(f"You want {wish}: {what}.")
    known = tuple(describe_knowledge(scenario, offer))
    you = f"You are {me.name}{f' ({me.role})' if me.role else ''}."
    return Introduction(scenario.name, you, cast, tuple(wants), known)


def _member(scenario: Scenario, offer: OfferedActs, other: str) -> CastMember:
    person = scenario.people[other]
    related = relations(scenario, offer.who, other)
    pronoun = person.pronouns if isinstance(person.pronouns, str) else ""
    relation = f"your {relation_noun(related[0], pronoun)}" if related else ""
    them = {"he": "him", "she": "her"}.get(pronoun, "them")
    feeling = _TONES[tone_between(offer.me, other)].format(them=them)
    is_here = other in offer.perceived.visible_agents
    return CastMember(other, person.name, person.role.split(";")[0].strip(), relation, feeling, is_here)


def describe_knowledge(scenario: Scenario, offer: OfferedActs) -> Iterator[str]:
    """What a guest knows, suspects or has been talked out of, and who else seems to know it."""
    return (known.words for known in knowledge_of(scenario, offer))


def knowledge_of(scenario: Scenario, offer: OfferedActs) -> Iterator[Knowledge]:
    """The same, each with how sure the guest is."""
    names = short_names(scenario)
    for id, belief in offer.me.beliefs.items():
        secret = scenario.secrets[id]
        if belief == Belief.BELIEVES_TRUE:
            others = sorted(other for other, about in offer.perceived.known_by if about == id and other != offer.who)
            verb = "knows" if len(others) == 1 else "know"
            known = f" ({join_names(others, names)} {verb} it too, you think)" if others else ""
            own = offer.who in secret.holders
            text = f"{'Your secret' if own else 'You know'}: {secret.description.rstrip('.')}{known}."
            yield Knowledge("own" if own else "sure", text)
        elif belief == Belief.SUSPECTS:
            yield Knowledge("suspected", f"You suspect {kind_of(scenario, secret, offer.who)}.")
        else:
            kind = kind_of(scenario, secret, offer.who)
            yield Knowledge("denied", f"You have been told that there is nothing in it: {kind}.")


def describe_scene(scenario: Scenario, offer: OfferedActs) -> str:
    """Where a guest is, and with whom."""
    names, seen = short_names(scenario), offer.perceived.visible_agents
    company = f"you are with {join_names(seen, names)}" if seen else "you are alone"
    return f"Minute {offer.minutes:.0f}, {scenario.rooms[offer.perceived.room].name}: {company}."

"""What a guest may do, in words: acts and wishes in groups of those that are alike, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.drama.audience.deeds import act_in_words, handling
from volition.drama.audience.guest import kind_of
from volition.drama.audience.prose import company_of, short_names
from volition.drama.evening.grammar import WRONG
from volition.drama.evening.names import names_of
from volition.drama.mind.wishes import Wish
from volition.drama.rules.catalog import EventType
from volition.drama.words.people import Pronouns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from volition.drama.mind.custom import OfferedActs
    from volition.drama.stage.events import Choice
    from volition.drama.world.model import Action, Scenario

MOST_GROUPS: Final = 8
"""How many groups come before the rest."""
OTHERWISE: Final = "or"
"""What acts have in common that have nothing else in common."""
_GROUPS: Final[Mapping[EventType, str]] = {
    EventType.CHAT: "talk to",
    EventType.CONFLICT: "confront",
    EventType.REVEAL: "say it aloud to",
    EventType.CONFIDE: "confide in",
    EventType.LIE: "deny it to",
}
_YOU: Final = Pronouns("you", "you", "your", "yours", "yourself", plural=True)
_OBSTACLES: Final[Mapping[str, str]] = {
    "engaged": "somebody else came first",
    "hushed": "everybody has fallen silent",
    "full": "there is no room there",
    "gone": "they have just left",
    "wronged": "you have just learned what they did",
    "known": "they know it already",
}
_FORBIDDING: Final[Mapping[str, str]] = {
    "recovery": "you are still recovering from the last scene",
    "budget": "you have no strength left for a scene",
    "owed": "{whom} did you a wrong, and a scene about it comes first",
    "broken_with": "you have broken with {whom}",
    "passage": "you leave together with others, and it is not time yet",
    "unforgiven": "you have not forgiven {whom}",
}
"""Why each constraint of the engine forbids an act, as it is said to the guest."""


class OfferedChoice(Struct, frozen=True):
    """One thing that a guest may do: its id, for `choose`; whom or where it is directed at; and the whole of it in words."""

    id: str
    whom: str
    words: str


class OfferGroup(Struct, frozen=True):
    """Choices that are alike: what they have in common, what they are about if they are about something, and each of them."""

    what: str
    about: str
    choices: tuple[OfferedChoice, ...]

    def __str__(self) -> str:
        about = f" ({self.about})" if self.about else ""
        return f"{self.what} {', '.join(choice.whom for choice in self.choices)}{about}"


class ForbiddenAct(Struct, frozen=True):
    """An act that comes to a guest's mind and that they may not do: the act in words, what forbids it, and why."""

    words: str
    """The act, in words."""
    by: str
    """The constraint that forbids it, in a word or two."""
    because: str
    """Why, as it is said to the guest."""


class Menu(Struct, frozen=True):
    """What a guest may do: the best groups by the guest's own mind, at most MOST_GROUPS, then all others."""

    best: tuple[OfferGroup, ...]
    more: tuple[OfferGroup, ...]

    @property
    def groups(self) -> tuple[OfferGroup, ...]:
        return (*self.best, *self.more)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all choices, in order."""
        return tuple(choice.id for group in self.groups for choice in group.choices)


def menu_of(scenario: Scenario, offer: OfferedActs) -> Menu:
    """The choices of an offer in groups, those with the guest's best act first; topics of talk come last."""
    groups: dict[tuple[str, str], list[OfferedChoice]] = {}
    best: dict[tuple[str, str], tuple[bool, float]] = {}
    for choice, worth in _worths(offer):
        what, whom, about = group_choice(scenario, choice, offer.who)
        words = describe_choice(scenario, choice, offer.who)
        groups.setdefault((what, about), []).append(OfferedChoice(choice.id, whom, words))
        best[what, about] = max(worth, best.get((what, about), worth))
    ranked = sorted(groups, key=lambda key: best[key], reverse=True)
    listed = tuple(OfferGroup(what, about, tuple(groups[what, about])) for what, about in ranked)
    return Menu(listed[:MOST_GROUPS], listed[MOST_GROUPS:])


def shortlist(scenario: Scenario, offer: OfferedActs) -> tuple[OfferedChoice, ...]:
    """The best choice of each kind by the guest's own mind, at most MOST_GROUPS, the best first.

    Choices are of one kind if they are alike whoever and whatever they are about: all confrontations, all topics of talk.
    """
    best: dict[str, tuple[tuple[bool, float], OfferedChoice]] = {}
    for offered, worth in _worths(offer):
        what, whom, _ = group_choice(scenario, offered, offer.who)
        topic = isinstance(offered, Wish) and offered.kind == "talk"
        kind = offered.id if what == OTHERWISE else "talk about" if topic else what
        if kind not in best or worth > best[kind][0]:
            best[kind] = worth, OfferedChoice(offered.id, whom, describe_choice(scenario, offered, offer.who))
    ranked = sorted(best.values(), key=lambda entry: entry[0], reverse=True)
    return tuple(choice for _, choice in ranked[:MOST_GROUPS])


def _worths(offer: OfferedActs) -> Iterator[tuple[Action | Wish, tuple[bool, float]]]:
    """Everything that an offer has, with its worth to the guest's own mind; a topic of talk is worth less than any act."""
    scores = {act.id: act.utility_score or 0.0 for act in offer.acts}
    lowest = min(scores.values(), default=0.0)
    for act in offer.acts:
        yield act, (True, scores[act.id])
    for wish in offer.wishes:
        yield wish, (wish.kind != "talk", scores.get(wish.act, lowest))


def forbidden_acts(scenario: Scenario, offer: OfferedActs) -> tuple[ForbiddenAct, ...]:
    """What a guest may not do now though it comes to their mind, with what forbids it."""
    names, short = names_of(scenario), short_names(scenario)
    forbidden = []
    for id, by in offer.vetoed.items():
        (act,) = names.actions([names.act[id]], offer.who, offer.perceived.room, 0)
        whom = company_of(act.target_agents, short) if act.target_agents else "them"
        because = _FORBIDDING.get(by, "a rule of this evening forbids it").format(whom=whom)
        forbidden.append(ForbiddenAct(describe_act(scenario, act), by.replace("_", " "), because))
    return tuple(forbidden)


def describe_choice(scenario: Scenario, choice: Action | Wish, who: str) -> str:
    """What a guest may do, as it is said to them: an act or a wish of `who`."""
    if isinstance(choice, Wish):
        return describe_wish(scenario, choice, who)
    return describe_act(scenario, choice)


def describe_act(scenario: Scenario, act: Action) -> str:
    """An act that a guest may do, as it is said to them."""
    secret = scenario.secrets[act.secret_id] if act.secret_id is not None else None
    if act.action_type == EventType.CONFLICT and secret is not None:
        whom = company_of(act.target_agents, short_names(scenario))
        return f"confront {whom} about {kind_of(scenario, secret, act.agent_id)}"
    return act_in_words(scenario, act, _YOU)


def describe_wish(scenario: Scenario, wish: Wish, who: str) -> str:
    """A wish, as it is said to the guest whose wish it is."""
    names = short_names(scenario)
    whom = names[wish.whom]
    if wish.kind == "ask" and wish.secret is not None:
        return f"ask {whom} about {kind_of(scenario, scenario.secrets[wish.secret], who)}"
    if wish.kind == "talk" and wish.topic is not None:
        return f"talk to {whom} about {names[wish.topic]}"
    if wish.kind == "lie" and wish.secret is not None:
        return f"deny it to {whom}: {scenario.secrets[wish.secret].description.rstrip('.')}"
    return f"walk out together with {whom}"


def group_choice(scenario: Scenario, choice: Action | Wish, who: str) -> tuple[str, str, str]:
    """A choice as part of a list of those like it: what it is, to whom or where, and what it is about."""
    if not isinstance(choice, Wish):
        return group_act(scenario, choice)
    names = short_names(scenario)
    secret = None if choice.secret is None else scenario.secrets[choice.secret]
    if choice.kind == "ask" and secret is not None:
        return "ask", names[choice.whom], kind_of(scenario, secret, who)
    if choice.kind == "talk" and choice.topic is not None:
        return f"talk about {names[choice.topic]} to", names[choice.whom], ""
    if choice.kind == "lie" and secret is not None:
        return _GROUPS[EventType.LIE], names[choice.whom], secret.description.rstrip(".")
    return "walk out together with", names[choice.whom], ""


def group_act(scenario: Scenario, act: Action) -> tuple[str, str, str]:
    """The same of an act."""
    secret = None if act.secret_id is None else scenario.secrets[act.secret_id]
    about = "" if secret is None else secret.description.rstrip(".")
    if act.action_type == EventType.CONFLICT:
        about = kind_of(scenario, secret, act.agent_id) if secret is not None else ""
        about = "what they did to you" if act.manner == WRONG else about
    if act.action_type == EventType.SOCIAL_MOVE:
        return "go to", scenario.rooms[act.destination or ""].name, ""
    if act.action_type == EventType.OBSERVE:
        return "watch", "the room" if act.focus is None else short_names(scenario)[act.focus], ""
    if act.target_agents:
        verbs = {**_GROUPS, EventType.PHYSICAL: handling(act.manner, "", would=True).rstrip()}
        verb = "say how you feel, to" if act.action_type == EventType.CONFIDE and not about else verbs[act.action_type]
        return verb, company_of(act.target_agents, short_names(scenario)), about
    return OTHERWISE, describe_act(scenario, act), ""


def describe_outcome(scenario: Scenario, chosen: Action | Wish, who: str, choice: Choice, *, shows: bool) -> str:
    """What became of what a guest chose, where no event tells it: why it was not done, or that it was, unseen.

    `shows` says whether there is such an event; then the answer is empty.
    """
    words = describe_choice(scenario, chosen, who)
    if choice.became != "done":
        return f"You meant to {words}, but {_OBSTACLES.get(choice.because or '', 'it came to nothing')}."
    if shows:
        return ""
    watching = not isinstance(chosen, Wish) and chosen.action_type == EventType.OBSERVE
    return f"You {words}{', and learn nothing' if watching else ''}."


def menu_lines(menu: Menu, width: int, *, everything: bool) -> Iterator[str]:
    """A menu for people, with a line for each group, its choices numbered; the rest only where everything is wanted."""
    number = 0
    for group in menu.groups if everything else menu.best:
        entries = [f"{number + place} {choice.whom}" for place, choice in enumerate(group.choices, 1)]
        number += len(group.choices)
        yield f"  {group.what:<{width}}  {'   '.join(entries)}"
        if group.about:
            yield f"  {'':<{width}}  ({group.about})"
    if menu.more and not everything:
        yield f"  and more: {', '.join(dict.fromkeys(group.what for group in menu.more))}"

"""An evening as one guest lives through it, in words: what they may do, see, hear and know; never more.

A secret is only named to those who know it. Others hear what kind of thing it is, if they suspect it, and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.audience.deeds import act_in_words, describe_deed, handling
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.audience.prose import company_of, join_names, short_names
from volition.drama.evening.grammar import WRONG
from volition.drama.rules.catalog import Belief, EventType
from volition.drama.stage.replay import unfold
from volition.drama.words.people import Pronouns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from volition.drama.evening.world import WorldState
    from volition.drama.mind.custom import OfferedActs
    from volition.drama.stage.events import Choice, Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Action, Scenario, Secret

_GROUPS: Final[Mapping[EventType, str]] = {
    EventType.CHAT: "talk to",
    EventType.CONFLICT: "confront",
    EventType.REVEAL: "say it aloud to",
    EventType.CONFIDE: "confide in",
    EventType.LIE: "deny it to",
}
_YOU: Final = Pronouns("you", "you", "your", "yours", "yourself", plural=True)
_KINDS: Final[Mapping[str, str]] = {
    "affair": "a matter of the heart",
    "financial": "a matter of money",
    "identity": "a matter of who somebody is",
    "investigation": "a matter of questions being asked",
    "knowledge": "a matter of what was seen or found",
    "plan": "a matter of what is going to be done",
}
"""What kind of thing a secret is, in words."""
_OBSTACLES: Final[Mapping[str, str]] = {
    "engaged": "somebody else came first",
    "hushed": "everybody has fallen silent",
    "full": "there is no room there",
    "gone": "they have just left",
}


def describe_act(scenario: Scenario, act: Action) -> str:
    """What a guest may do, as it is said to them."""
    return act_in_words(scenario, act, _YOU)


def group_act(scenario: Scenario, act: Action) -> tuple[str, str, str]:
    """An act as part of a list of those like it: what it is, to whom or where, and what it is about."""
    secret = None if act.secret_id is None else scenario.secrets[act.secret_id]
    about = "" if secret is None else secret.description.rstrip(".")
    if act.action_type == EventType.CONFLICT:
        about = _kind(scenario, secret, act.agent_id) if secret is not None else ""
        about = "what they did to you" if act.manner == WRONG else about
    if act.action_type == EventType.SOCIAL_MOVE:
        return "go to", scenario.rooms[act.destination or ""].name, ""
    if act.action_type == EventType.OBSERVE:
        return "watch", "the room" if act.focus is None else short_names(scenario)[act.focus], ""
    if act.target_agents:
        verbs = {**_GROUPS, EventType.PHYSICAL: handling(act.manner, "", would=True).rstrip()}
        verb = "say how you feel, to" if act.action_type == EventType.CONFIDE and not about else verbs[act.action_type]
        return verb, company_of(act.target_agents, short_names(scenario)), about
    return "or", describe_act(scenario, act), ""


def describe_quiet(scenario: Scenario, act: Action) -> str:
    """What a guest has done without an effect that anybody could see."""
    came = ", and learn nothing" if act.action_type == EventType.OBSERVE else ""
    return f"You {describe_act(scenario, act)}{came}."


def describe_seen(world: WorldState, event: Event, who: str) -> list[str]:
    """What a guest sees of an event, and what they learn by it; nothing if they were not there.

    `world` is the state before the event.
    """
    mine = [line for secret, after in _new_beliefs(event, who) for line in _learning(world.scenario, secret, after)]
    if who not in (event.source, *event.targets, *event.witnesses):
        return mine
    names = {**short_names(world.scenario), who: "you"}
    deed = _deed(world, event, who, names)
    return [*([f"{deed[:1].upper()}{deed[1:]}."] if deed else []), *mine]


def describe_obstacle(scenario: Scenario, act: Action, choice: Choice) -> str | None:
    """Why what a guest chose was not done; None if it was."""
    if choice.became == "done":
        return None
    return (
        f"You meant to {describe_act(scenario, act)}, but {_OBSTACLES.get(choice.because or '', 'it came to nothing')}."
    )


def describe_knowledge(scenario: Scenario, offer: OfferedActs) -> Iterator[str]:
    """What a guest knows, suspects or has been talked out of, and who else seems to know it."""
    names = short_names(scenario)
    for id, belief in offer.me.beliefs.items():
        secret = scenario.secrets[id]
        if belief == Belief.BELIEVES_TRUE:
            others = sorted(other for other, about in offer.perceived.known_by if about == id and other != offer.who)
            verb = "knows" if len(others) == 1 else "know"
            known = f" ({join_names(others, names)} {verb} it too, you think)" if others else ""
            mine = "Your secret" if offer.who in secret.holders else "You know"
            yield f"{mine}: {secret.description.rstrip('.')}{known}."
        elif belief == Belief.SUSPECTS:
            yield f"You suspect {_kind(scenario, secret, offer.who)}."
        else:
            yield f"You have been told that there is nothing in it: {_kind(scenario, secret, offer.who)}."


def describe_scene(scenario: Scenario, offer: OfferedActs) -> str:
    """Where a guest is, and with whom."""
    names, seen = short_names(scenario), offer.perceived.visible_agents
    company = f"you are with {join_names(seen, names)}" if seen else "you are alone"
    return f"Minute {offer.minutes:.0f}, {scenario.rooms[offer.perceived.room].name}: {company}."


def _deed(world: WorldState, event: Event, who: str, names: Mapping[str, str]) -> str:
    """An event as a sentence without its end; empty for what others do in their heads, or by a glance."""
    scenario, me = world.scenario, event.source == who

    def does(mine: str, theirs: str) -> str:
        return mine if me else theirs

    source = names[event.source]
    whom = "you" if event.targets == (who,) else company_of(event.targets, names) if event.targets else ""
    match event.type:
        case EventType.CHAT if "question" in event.details:
            about = _topic(world, event.details["question"], who) if who in (event.source, *event.targets) else ""
            return f"{source} {does('ask', 'asks')} {whom} a question{about}"
        case EventType.CHAT:
            return f"{source} {does('talk', 'talks')} to {whom}"
        case EventType.OBSERVE:
            return "" if not me else f"you watch {names[event.focus]}" if event.focus is not None else ""
        case EventType.SOCIAL_MOVE:
            return f"{source} {does('go', 'goes')} to {scenario.rooms[event.destination or ''].name}"
        case EventType.CLOCK:
            return describe_deed(scenario, event)
        case EventType.CONFLICT:
            about = _topic(world, event.details.get("about") if "wrong" not in event.details else None, who, event)
            shown = f" and {does('show', 'shows')} {whom} the door" if event.details.get("thrown_out") else ""
            return f"{source} {does('confront', 'confronts')} {whom}{about}{shown}"
        case EventType.REVEAL:
            return f"{source} {does('say', 'says')} it aloud{_topic(world, event.secret, who, event)}"
        case EventType.CONFIDE:
            about = _topic(world, event.secret, who, event) if who in (event.source, *event.targets) else ""
            return f"{source} {does('confide', 'confides')} in {whom}{about}"
        case EventType.LIE if who == event.source:
            believed = "is believed" if event.details.get("believed") else "is not believed"
            return f"you tell {whom} that there is nothing in it, which {believed}"
        case EventType.LIE:
            about = _topic(world, event.secret, who) if who in event.targets else ""
            return (
                f"{source} says to {whom} that there is nothing in it{about}" if about else f"{source} talks to {whom}"
            )
        case EventType.CATASTROPHE:
            return f"{source} {does('break', 'breaks')} down before everybody"
        case EventType.INTERNAL:
            return ""
    return f"{source} {handling(event.manner, whom, would=me)}"


def _topic(world: WorldState, secret: str | None, who: str, event: Event | None = None) -> str:
    """What something is about, as far as a guest knows, or has just learned, what that is."""
    if secret is None:
        return ""
    learned = dict(_new_beliefs(event, who)) if event is not None else {}
    if learned.get(secret) == Belief.BELIEVES_TRUE:
        return ""  # what is learned is told in a sentence of its own
    belief = world.agents[who].beliefs[secret]
    if belief == Belief.BELIEVES_TRUE:
        return f": {world.scenario.secrets[secret].description.rstrip('.')}"
    return "" if belief == Belief.UNKNOWN else f": {_kind(world.scenario, world.scenario.secrets[secret], who)}"


def _new_beliefs(event: Event, who: str) -> list[tuple[str, Belief]]:
    return [(delta.key, Belief(delta.after)) for delta in event.deltas if delta.kind == "belief" and delta.agent == who]


def _learning(scenario: Scenario, secret: str, after: Belief) -> Iterator[str]:
    known = scenario.secrets[secret]
    if after == Belief.BELIEVES_TRUE:
        yield f"Now you know: {known.description.rstrip('.')}."
    elif after == Belief.SUSPECTS:
        yield f"You begin to suspect {_kind(scenario, known, '')}."
    else:
        yield "You believe it."


def _kind(scenario: Scenario, secret: Secret, who: str) -> str:
    """What `who` hears of a secret without knowing it: of which kind it is, and about whom."""
    about = "" if secret.about is None else "you" if secret.about == who else short_names(scenario)[secret.about]
    kind = _KINDS[secret.content]
    return f"something about {about}, {kind}" if about else f"something, {kind}"


class Hearing:
    """Follows an evening as its transcript does, so that every event must be told to it, in order.

    What others say to each other is not heard: it may be about things that the guest does not know.
    """

    def __init__(self, run: Run, guest: str) -> None:
        self._narrator, self._guest = TemplateNarrator(run.seed), guest
        self._names = {**short_names(run.scenario), guest: "You"}
        world = run.opening_state()
        for record in run.ticks:
            for event in unfold(world, record):
                self._narrator.tell(world, event)

    def hear(self, world: WorldState, event: Event) -> list[str]:
        """What was said in an event, if the guest took part in it; `world` is the state before it."""
        self._narrator.tell(world, event)
        if self._guest not in (event.source, *event.targets):
            return []
        return [
            f'{self._names[used.speaker]}: "{used.text}"' for used in self._narrator.said if used.speaker is not None
        ]

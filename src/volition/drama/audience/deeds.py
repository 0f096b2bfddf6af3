"""What people did, and what they would have done, in a few plain words: for lists of acts, where a transcript is too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.audience.prose import company_of, join_names, short_names
from volition.drama.evening.grammar import WRONG
from volition.drama.evening.names import names_of
from volition.drama.rules.catalog import EventType
from volition.drama.words.people import Pronouns, pronouns_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.stage.events import Event
    from volition.drama.stage.interference import Interference
    from volition.drama.world.model import Action, Scenario

_HANDLINGS: Final[Mapping[str, tuple[str, str]]] = {
    "drink": ("have a drink", "has a drink"),
    "fetch": ("get what is to be served", "gets what is to be served"),
    "serve": ("serve", "serves"),
    "pour": ("fill the glasses", "fills the glasses"),
    "slam": ("slam a door", "slams a door"),
    "leave": ("leave for good", "leaves for good"),
    "shun": ("turn away from {whom}", "turns away from {whom}"),
    "comfort": ("comfort {whom}", "comforts {whom}"),
    "forgive": ("forgive {whom}", "forgives {whom}"),
    "break_with": ("break with {whom}", "breaks with {whom}"),
    "relief": ("have a few minutes alone", "has a few minutes alone"),
    "air": ("get some air", "gets some air"),
    "telephone": ("make a call", "makes a call"),
    "work": ("see to some work", "sees to some work"),
}
"""PHYSICAL acts by their manner; the last ones are needs that have specific words."""
_ACTS: Final[Mapping[EventType, tuple[str, str]]] = {
    EventType.CHAT: ("talk to {whom}", "talks to {whom}"),
    EventType.OBSERVE: ("watch {whom}", "watches {whom}"),
    EventType.SOCIAL_MOVE: ("go to {room}", "goes to {room}"),
    EventType.INTERNAL: ("keep {their} thoughts to {themself}", "keeps {their} thoughts to {themself}"),
    EventType.CONFLICT: ("confront {whom}", "confronts {whom}"),
    EventType.REVEAL: ("say it aloud to {whom}: {secret}", "says it aloud to {whom}: {secret}"),
    EventType.CONFIDE: ("confide in {whom}: {secret}", "confides in {whom}: {secret}"),
    EventType.LIE: ("deny it to {whom}: {secret}", "denies it to {whom}: {secret}"),
    EventType.CATASTROPHE: ("break down", "breaks down"),
    EventType.CLOCK: ("be there", "is there"),
}
"""Each act as what a person would do, and as what a person does."""
_FEELING: Final = ("tell {whom} how {they} {feel}", "tells {whom} how {they} {feel}")
_NEED: Final = ("take a moment for {need}", "takes a moment for {need}")
_SWALLOWED: Final = "swallows what {they} could say to {whom}"
_TOLD_BELIEFS: Final[Mapping[str, str]] = {
    "believes_true": "{by} tells {who} in private",
    "suspects": "{by} drops a hint, and {who} begins to suspect",
    "believes_false": "{by} tells {who} that there is nothing in it",
}
_PLAIN_BELIEFS: Final[Mapping[str, str]] = {
    "believes_true": "{who} knows now",
    "suspects": "{who} suspects now",
    "believes_false": "{who} is sure now that there is nothing in it",
    "unknown": "{who} has never heard of it",
}
_AROUND: Final = ("look around", "looks around")
_ABOUT_WRONG: Final = (
    "confront {whom} about what {whom} did to {them}",
    "confronts {whom} about what {whom} did to {them}",
)
_ABOUT_SECRET: Final = ("confront {whom} about this: {secret}", "confronts {whom} about this: {secret}")


def describe_deed(scenario: Scenario, event: Event) -> str:
    """An event as a sentence without its full stop, with its outcome if that shows."""
    revealed = event.details.get("told") or event.details.get("forced")
    name, pronouns = short_names(scenario)[event.source], pronouns_of(scenario.people[event.source].pronouns)
    if "clock" in event.details:
        sentence = _describe_clock(scenario, event, name)
    elif "swallowed" in event.details:
        sentence = f"{name} {_fill(scenario, _SWALLOWED, pronouns, event.targets, None, None, None)}"
    elif "question" in event.details:
        asked = _secret(scenario, event.details["question"])
        sentence = f"{name} asks {_whom(scenario, event.targets)} about it: {asked}"
    else:
        targets = event.targets or ((event.focus,) if event.focus is not None else ())
        secret = event.secret if "wrong" in event.details else event.details.get("about", event.secret)
        forms = _forms(event.type, event.manner, secret is not None, bool(targets))
        words = _fill(scenario, forms[1], pronouns, targets, event.destination, secret, event.manner)
        sentence = f"{name} {words}"
    if event.details.get("found"):
        sentence += f", and begins to suspect: {_secret(scenario, event.details['found'][0])}"
    if revealed is not None:
        what = _secret(scenario, revealed)
        sentence += ", and it comes out" if what in sentence else f", and it comes out: {what}"
    if event.details.get("thrown_out"):
        sentence += ", and points to the door"
    if event.details.get("reconciled"):
        sentence += ", and they make it up"
    return sentence


def _describe_clock(scenario: Scenario, event: Event, name: str) -> str:
    """An event of the clock as a sentence."""
    happened = {clock.id: clock for clock in scenario.evening.events}.get(event.details["clock"])
    together = join_names((event.source, *event.targets), short_names(scenario))
    if happened is None or happened.arrive:
        return f"{together} {'arrives' if not event.targets else 'arrive'}"
    if happened.depart:
        return f"{together} {'leaves' if not event.targets else 'leave together'}"
    if event.secret is not None:
        return f"{name} brings news: {_secret(scenario, event.secret)}"
    if happened.hands is not None:
        return f"{name} gets {_manner_name(happened.hands)}"
    return _manner_name(happened.ends or happened.id)


def describe_instead(scenario: Scenario, who: str, id: str) -> str:
    """What `who` would have done, by the id of the choice: 'Ann would watch Ben'; the id itself if it is not known."""
    words = describe_act(scenario, who, id)
    return id if words is None else f"{short_names(scenario)[who]} would {words}"


def describe_act(scenario: Scenario, who: str, id: str) -> str | None:
    """An act of `who` as what one does, by the id of the choice: 'watch Ben'; None if it is not known."""
    return _describe(scenario, who, id, would=True)


def describe_doing(scenario: Scenario, who: str, id: str) -> str | None:
    """An act of `who` as it is done, by the id of the choice: 'Ann watches Ben'; None if it is not known."""
    words = _describe(scenario, who, id, would=False)
    return None if words is None else f"{short_names(scenario)[who]} {words}"


def _describe(scenario: Scenario, who: str, id: str, *, would: bool) -> str | None:
    names = names_of(scenario)
    if id not in names.act:
        return None
    (act,) = names.actions([names.act[id]], who, "", 0)
    return act_in_words(scenario, act, pronouns_of(scenario.people[who].pronouns), would=would)


def act_in_words(scenario: Scenario, act: Action, pronouns: Pronouns, *, would: bool = True) -> str:
    """An act as what one would do or does, with the pronouns of who does it."""
    targets = act.target_agents or ((act.focus,) if act.focus is not None else ())
    forms = _forms(act.action_type, act.manner, act.secret_id is not None, bool(targets))
    form = forms[0 if would else 1]
    return _fill(scenario, form, pronouns, targets, act.destination, act.secret_id, act.manner)


def handling(manner: str | None, whom: str, *, would: bool) -> str:
    """A PHYSICAL act, on `whom` or nobody, as what one would do or does: one that the engine knows, or a need."""
    forms = _HANDLINGS.get(manner or "", _NEED)
    return forms[0 if would else 1].format(whom=whom, need=_manner_name(manner))


def describe_interference(scenario: Scenario, interference: Interference) -> str:
    """What was changed by hand, as a sentence without its full stop."""
    names = short_names(scenario)
    who = names[interference.agent]
    if interference.kind != "set":
        words = describe_act(scenario, interference.agent, interference.what) or interference.what
        return f"{who} is made to {words}" if interference.kind == "force" else f"{who} is kept from this: to {words}"
    part, _, key = interference.what.partition(".")
    if part != "belief":
        words = f"{part} towards {names[key]}" if key in names else part.replace("_", " ")
        return f"{who}'s {words} is set to {interference.value}"
    by = None if interference.by is None else names[interference.by]
    words = (_PLAIN_BELIEFS if by is None else _TOLD_BELIEFS)[interference.value]
    return f"{words.format(who=who, by=by)}: {_secret(scenario, key)}"


def _forms(kind: EventType, manner: str | None, has_secret: bool, has_target: bool) -> tuple[str, str]:
    if kind == EventType.CONFIDE and not has_secret:
        return _FEELING
    if kind == EventType.OBSERVE and not has_target:
        return _AROUND
    if kind == EventType.CONFLICT and (has_secret or manner == WRONG):
        return _ABOUT_SECRET if has_secret else _ABOUT_WRONG
    if kind == EventType.PHYSICAL:
        return _HANDLINGS.get(manner or "", _NEED)
    return _ACTS[kind]


def _fill(
    scenario: Scenario,
    form: str,
    pronouns: Pronouns,
    targets: tuple[str, ...],
    room: str | None,
    secret: str | None,
    manner: str | None,
) -> str:
    return form.format(
        whom=_whom(scenario, targets),
        room="" if room is None else scenario.rooms[room].name,
        secret="" if secret is None else _secret(scenario, secret),
        need=_manner_name(manner),
        they=pronouns.they,
        them=pronouns.them,
        their=pronouns.their,
        themself=pronouns.themself,
        feel="feel" if pronouns.plural else "feels",
    )


def _manner_name(manner: str | None) -> str:
    return (manner or "").replace("_", " ")


def _whom(scenario: Scenario, people: tuple[str, ...]) -> str:
    return company_of(people, short_names(scenario))


def _secret(scenario: Scenario, id: str) -> str:
    return scenario.secrets[id].description.rstrip(".")

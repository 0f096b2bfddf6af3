"""What happens as one guest lives through it, in words and as data: what they see, hear and learn; never more.

What is stated is stated, a hint is a hint, and a confidence between others is seen, not heard. A secret is named only to
who knows it or just heard it stated; others hear what kind of thing it is, if they suspect it, and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct, structs

from volition.drama.audience.deeds import describe_deed, handling
from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.audience.prose import capitalize_first, company_of, short_names
from volition.drama.rules.catalog import LEAVE, Belief, EventType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.world.model import Scenario, Secret

Clarity = Literal["stated", "hinted", "asked", "confided", "denied", ""]
_KINDS: Final[Mapping[str, str]] = {
    "affair": "a matter of the heart",
    "financial": "a matter of money",
    "identity": "a matter of who somebody is",
    "investigation": "a matter of questions being asked",
    "knowledge": "a matter of what was seen or found",
    "plan": "a matter of what is going to be done",
}
"""What kind of thing a secret is, in words."""
_WRONGS: Final[Mapping[str, str]] = {
    "lie": "a lie",
    "exposure": "what came out through {whom}",
    "attack": "a scene made earlier",
}
"""What a row is about that is about a wrong."""


class Quote(Struct, frozen=True):
    """Words that were said: by whom, to whom if to anybody, and the words."""

    speaker: str
    listener: str | None
    text: str


class Heard(Struct, frozen=True):
    """What a guest made out of one event: who did what to whom, what it was about as far as they understood it, and the words.

    `subject` is what it was about in words, empty where the guest did not understand that; `clarity` says how it was put.
    `learned` are sentences about what the guest now knows, suspects or believes. `sentence` is empty for what they only
    learned of.
    """

    event: str
    tick: int
    minutes: float
    kind: str
    who: str
    whom: tuple[str, ...]
    subject: str
    clarity: Clarity
    sentence: str
    quotes: tuple[Quote, ...]
    learned: tuple[str, ...]

    def lines(self, scenario: Scenario, guest: str) -> list[str]:
        """The same in words: what was done, what was said, each under its speaker's name, and what was learned."""
        names = {**short_names(scenario), guest: "You"}
        quoted = [f'  {names[quote.speaker]}: "{quote.text}"' for quote in self.quotes]
        return [*([self.sentence] if self.sentence else []), *quoted, *self.learned]


class Hearing:
    """Follows an evening as its transcript does, so that every event must be told to it, in order."""

    def __init__(self, seed: int) -> None:
        self._narrator = TemplateNarrator(seed)

    def hear(self, world: WorldState, event: Event, people: Iterable[str]) -> dict[str, Heard]:
        """What some people make out of an event, without those who make out nothing; `world` is the state before it."""
        self._narrator.tell(world, event)
        heard = {}
        for who in people:
            seen = see(world, event, who)
            if seen is not None:
                heard[who] = structs.replace(seen, quotes=self._quotes()) if _hears_words(world, event, who) else seen
        return heard

    def _quotes(self) -> tuple[Quote, ...]:
        """The words that were last said."""
        return tuple(
            Quote(used.speaker, used.listener, used.text) for used in self._narrator.said if used.speaker is not None
        )


def describe_seen(world: WorldState, event: Event, who: str) -> list[str]:
    """What a guest sees of an event, and what they learn by it, in words; nothing if they were not there.

    `world` is the state before the event.
    """
    seen = see(world, event, who)
    return [] if seen is None else seen.lines(world.scenario, who)


def see(world: WorldState, event: Event, who: str) -> Heard | None:
    """What a guest makes out of an event, without the words that were said; None if nothing."""
    new = [(delta.key, Belief(delta.after)) for delta in event.deltas if (delta.kind, delta.agent) == ("belief", who)]
    learned = tuple(line for secret, after in new for line in _learning(world.scenario, secret, after))
    there = who in (*event.participants, *event.witnesses)
    if not there and not learned:
        return None
    clarity, subject = _subject(world, event, who, dict(new)) if there else ("", "")
    sentence = _sentence(world, event, who, clarity, subject) if there else ""
    if not sentence and not learned:
        return None
    shown = f"{capitalize_first(sentence)}." if sentence else ""
    whom = event.targets if there else ()
    return Heard(
        event.id, event.tick, event.minutes, event.type.name, event.source, whom, subject, clarity, shown, (), learned
    )


def kind_of(scenario: Scenario, secret: Secret, who: str) -> str:
    """What `who` hears of a secret without knowing it: of which kind it is, and about whom."""
    about = "" if secret.about is None else "you" if secret.about == who else short_names(scenario)[secret.about]
    kind = _KINDS[secret.content]
    return f"something about {about}, {kind}" if about else f"something, {kind}"


def _hears_words(world: WorldState, event: Event, who: str) -> bool:
    """Whether a guest hears the words of an event that they saw, and not only that something is said.

    Whoever takes part hears them. A question or a lie between others is only understood by who knows or suspects what
    it is about; a confidence is never heard.
    """
    if who in event.participants:
        return True
    if who not in event.witnesses or event.type == EventType.CONFIDE or "known" in event.details:
        return False
    private = event.secret if event.type == EventType.LIE else event.details.get("question")
    return private is None or world.agents[who].beliefs[private] in (Belief.SUSPECTS, Belief.BELIEVES_TRUE)


def _subject(world: WorldState, event: Event, who: str, new: Mapping[str, Belief]) -> tuple[Clarity, str]:
    """How an event put what it was about, and what that is in words, as far as a guest understands it."""
    details, takes_part = event.details, who in event.participants
    names = {**short_names(world.scenario), who: "you"}
    out = details.get("forced") or details.get("told")
    if "topic" in details and "wondered" not in details:
        return "", names[details["topic"]]
    if event.type == EventType.CONFLICT and "wrong" in details and details["wrong"] != "harm":
        whom = "you" if event.targets == (who,) else company_of(event.targets, names)
        return "stated", _WRONGS[details["wrong"]].format(whom=whom)
    secret: str | None
    clarity: Clarity
    match event.type:
        case EventType.CHAT:
            clarity, secret = "asked", details.get("question") or details.get("wondered")
            takes_part = takes_part or _understands(world, secret, who)
        case EventType.CONFLICT:
            clarity = "stated" if details.get("stated") or out is not None else "hinted"
            secret, takes_part = out or details.get("about"), True
        case EventType.REVEAL | EventType.CATASTROPHE | EventType.CLOCK:
            clarity, secret, takes_part = "stated", event.secret or out, True
        case EventType.CONFIDE:
            clarity, secret = "confided", event.secret
        case EventType.LIE:
            clarity, secret = "denied", event.secret
            takes_part = takes_part or _understands(world, secret, who)
        case _:
            return "", ""
    if secret is None or not takes_part:
        return ("", "") if event.type != EventType.CONFIDE or secret is None else ("confided", "")
    return clarity, _in_words(world, secret, who, new, stated=clarity == "stated")


def _understands(world: WorldState, secret: str | None, who: str) -> bool:
    return secret is not None and world.agents[who].beliefs[secret] in (Belief.SUSPECTS, Belief.BELIEVES_TRUE)


def _in_words(world: WorldState, secret: str, who: str, new: Mapping[str, Belief], *, stated: bool) -> str:
    """A secret as a guest understands it: as it is if they know it or hear it stated, or else of which kind it is."""
    known, is_told = world.scenario.secrets[secret], new.get(secret) == Belief.BELIEVES_TRUE
    belief = world.agents[who].beliefs[secret]
    if stated or is_told or belief == Belief.BELIEVES_TRUE:
        return known.description.rstrip(".")
    return "" if belief == Belief.UNKNOWN and secret not in new else kind_of(world.scenario, known, who)


def _sentence(world: WorldState, event: Event, who: str, clarity: Clarity, subject: str) -> str:
    """An event as a sentence without its end; empty for what others do in their heads, or by a glance."""
    scenario, me, details = world.scenario, event.source == who, event.details
    names = {**short_names(scenario), who: "you"}
    new = {delta.key for delta in event.deltas if (delta.kind, delta.agent) == ("belief", who)}
    news = any(scenario.secrets[secret].description.rstrip(".") == subject for secret in new)
    about = "" if news else f": {subject}" if subject else ""  # news gets a separate sentence
    source = names[event.source]
    whom = "you" if event.targets == (who,) else company_of(event.targets, names) if event.targets else ""

    def does(mine: str, theirs: str) -> str:
        return mine if me else theirs

    match event.type:
        case EventType.CHAT if "question" in details or "wondered" in details:
            return f"{source} {does('ask', 'asks')} {whom} a question{about}"
        case EventType.CHAT:
            return f"{source} {does('talk', 'talks')} to {whom}" + (f" about {subject}" if subject else "")
        case EventType.OBSERVE:
            return "" if not me else f"you watch {names[event.focus]}" if event.focus is not None else ""
        case EventType.SOCIAL_MOVE:
            return f"{source} {does('go', 'goes')} to {scenario.rooms[event.destination or ''].name}"
        case EventType.CLOCK:
            return describe_deed(scenario, event)
        case EventType.CONFLICT:
            return f"{source} {_confronts(details, clarity, whom, about, mine=me)}"
        case EventType.REVEAL:
            return f"{source} {does('say', 'says')} it aloud{about}"
        case EventType.CONFIDE:
            return f"{source} {does('confide', 'confides')} in {whom}{about}"
        case EventType.LIE if me:
            believed = "is believed" if details.get("believed") else "is not believed"
            return f"you tell {whom} that there is nothing in it{about}, which {believed}"
        case EventType.LIE:
            return (
                f"{source} says to {whom} that there is nothing in it{about}" if about else f"{source} talks to {whom}"
            )
        case EventType.CATASTROPHE:
            out = f", and it comes out{about}" if clarity == "stated" and "told" in details else ""
            return f"{source} {does('break', 'breaks')} down before everybody{out}"
        case EventType.INTERNAL:
            return ""
    together = f", together with {whom}" if event.manner == LEAVE and whom else ""
    return f"{source} {handling(event.manner, whom, would=me)}{together}"


def _confronts(details: Mapping[str, object], clarity: Clarity, whom: str, about: str, *, mine: bool) -> str:
    """A quarrel as what one does: about something that is said, or only hinted at, and how it ends."""
    verb = "confront" if mine else "confronts"
    forced = ", and it comes out" if "forced" in details else ""
    hint = ", without saying it" if clarity == "hinted" and "about" in details else ""
    door = f" and {'show' if mine else 'shows'} {whom} the door" if details.get("thrown_out") else ""
    return f"{verb} {whom}{hint}{forced}{about}{door}"


def _learning(scenario: Scenario, secret: str, after: Belief) -> Iterator[str]:
    known = scenario.secrets[secret]
    if after == Belief.BELIEVES_TRUE:
        yield f"Now you know: {known.description.rstrip('.')}."
    elif after == Belief.SUSPECTS:
        yield f"You begin to suspect {kind_of(scenario, known, '')}."
    else:
        yield "You believe it."

"""How an event is told: which pools of phrases fit it, and whom and what they are about.

Only this file knows both the kinds of events and the names of pools; it does not choose phrases. Facts about people come
from the state before the event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, structs

from volition.drama.audience.chronicle import learners_of
from volition.drama.audience.moment import HARMED, RESENTED, moods, tone_between
from volition.drama.evening.names import LATE
from volition.drama.rules.catalog import (
    BREAK_WITH,
    CATASTROPHE,
    CHAT,
    CLOCK,
    CONFIDE,
    CONFLICT,
    FORGIVE,
    LEAVE,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    Belief,
    EventType,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from volition.drama.audience.chronicle import Chronicle
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event
    from volition.drama.world.model import Secret

_UNREST = frozenset({"angry", "afraid", "ashamed"})
QUESTION: Final = "chat.question"
"""The pool of a question. A secret that turns out to be known comes before it, and is told instead of it."""
TIPSY: Final = 4
"""So many talks of an evening are told as those of somebody who is drunk."""
SMALL_TALK: Final = frozenset({"chat.plain", "chat.warm", "chat.tipsy", "chat.tense", "chat.aside", "chat.facade"})


class Draw(Struct, frozen=True):
    """Words that a sentence may draw: from which pools, and whether the person acted on says them (`by_whom`)."""

    pools: tuple[str, ...]
    by_whom: bool = False


class Sentence(Struct, frozen=True):
    """One sentence of a transcript: its pool, the person and secret it is about, and what may be drawn for it.

    `draws` maps placeholders to pools. `liar` is set only if a lie is found out. It `goes_on` if whoever spoke in the
    sentence before speaks in it too, and is `unasked` if it answers something that nobody was told to have asked.
    """

    pool: str
    whom: str | None = None
    secret: str | None = None
    draws: Mapping[str, Draw] = {}
    liar: str | None = None
    goes_on: bool = False
    unasked: bool = False


def sentences_of(
    world: WorldState, event: Event, chance: Callable[[str], float], past: Chronicle | None = None
) -> list[Sentence]:
    """The sentences of an event, in order; `chance` returns a number in [0, 1) for a purpose.

    With what was told before, `past`, nobody asks as if it were new about what they have heard stated, and nobody makes
    small talk when they have all just been through something terrible. A lie that nobody has asked for says what it is about.
    Nobody makes up for what no reader has seen, and nobody is cold to those with whom they have just made peace.
    """
    sentences = list(_SENTENCES.get(event.type, _internal)(world, event, chance))
    if past is not None and event.type == LIE and not past.was_asked(event):
        return [structs.replace(sentence, unasked=True) for sentence in sentences]
    if past is None or event.type != CHAT:
        return sentences
    sentences = [_in_tune(sentence, world, event, past) for sentence in sentences]
    if (event.source, event.details.get("question")) in past.heard:
        return [_ask_again(sentence) if sentence.pool == QUESTION else sentence for sentence in sentences]
    if past.are_shaken(event):
        return [_talk_after(sentence) for sentence in sentences]
    return sentences


def _in_tune(sentence: Sentence, world: WorldState, event: Event, past: Chronicle) -> Sentence:
    """A talk in the tone that what was told before allows."""
    if sentence.whom is None:
        return sentence
    if sentence.pool == "chat.sorry" and not _has_wronged(world, event.source, sentence.whom, past):
        return structs.replace(sentence, pool="chat.tense", draws=_talk("tense"))
    if sentence.pool == "chat.cold" and past.are_at_peace(event.source, sentence.whom):
        return structs.replace(sentence, pool="chat.plain", draws=_talk("plain"))
    if sentence.pool == "chat.tipsy" and past.told[sentence.pool] >= TIPSY:
        return structs.replace(sentence, pool="chat.plain", draws=_talk("plain"))
    return sentence


def _has_wronged(world: WorldState, who: str, whom: str, past: Chronicle) -> bool:
    """Whether a reader has seen what `who` could be sorry for: a scene, or a secret of theirs. The wronged do not beg."""
    own = (id for id, secret in world.scenario.secrets.items() if who in secret.holders)
    seen = past.have_clashed(who, whom) or any((whom, id) in past.heard for id in own)
    return seen and whom not in world.agents[who].stung


def _talk_after(sentence: Sentence) -> Sentence:
    """What becomes of small talk when something has just happened."""
    if sentence.pool in SMALL_TALK:
        return structs.replace(sentence, pool="chat.after", draws=_talk("after"))
    if sentence.pool in {"chat.group", "chat.group_tense"}:
        return structs.replace(sentence, pool="chat.group_after", draws=_talk("group_after"))
    return sentence


def _ask_again(sentence: Sentence) -> Sentence:
    """A question about something that the speaker has heard said aloud."""
    return structs.replace(sentence, pool="chat.heard", draws={**sentence.draws, "line": Draw(("asked.heard",))})


def tone(world: WorldState, event: Event, chance: Callable[[str], float]) -> str:
    """How the source of an event talks to its target: by drink and unrest, which do not always show, or else by their bond."""
    me = world.agents[event.source]
    if me.alcohol > 0.5 and chance("tipsy") < 0.25:
        return "tipsy"
    if (me.pacing.stress > 0.5 or me.pacing.composure < 0.35) and chance("tense") < 0.5:
        return "tense"
    if not _UNREST.isdisjoint(moods(me)) and chance("unrest") < 0.4:
        return "tense"
    felt = tone_between(me, event.targets[0])
    resented = world.agents[event.targets[0]].grievance.get(me.id, 0.0) > RESENTED
    return "plain" if felt == "warm" and (resented or chance("warm") >= 0.7) else felt


def words_of(secret: Secret, kind: str) -> tuple[str, ...]:
    """The pools of a kind of line about a secret: its own, then the general ones."""
    general = {"evaded": ("evaded.lines",), "confessed": (), "told": (), "overheard": ()}
    return (f"secrets.{secret.id}.{kind}", *general.get(kind, (f"{kind}.{secret.content}",)))


def _spoken_words(secret: Secret, kind: str, *, by_whom: bool = False) -> Draw:
    return Draw(words_of(secret, kind), by_whom)


def _talk(kind: str) -> dict[str, Draw]:
    return {"line": Draw((f"talk.{kind}",)), "subject": Draw(("subject.lines",))}


def _chat(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    details = event.details
    if len(event.targets) != 1:
        yield Sentence("chat.group_tense" if _is_uneasy(world, event) else "chat.group", draws=_talk("group"))
        return
    whom = event.targets[0]
    if "known" in details:
        yield Sentence("chat.known", whom, details["known"])
    elif "question" in details:
        secret = world.scenario.secrets[details["question"]]
        draws = {"line": _spoken_words(secret, "asked"), "evasion": _spoken_words(secret, "evaded", by_whom=True)}
        yield Sentence(QUESTION, whom, secret.id, draws)
    elif "topic" in details:
        yield Sentence("chat.topic", whom, draws={"line": Draw(("talk.topic",))})
    elif details.get("reconciled"):
        yield Sentence("chat.reconciled", whom, draws=_talk("reconciled"))
    elif _makes_up(world, event.source, whom):
        yield Sentence("chat.sorry", whom, draws=_talk("sorry"))
    elif details.get("sides"):
        yield Sentence("chat.sides", whom, draws=_talk("sides"))
    else:
        how = tone(world, event, chance)
        if how in {"plain", "warm", "tipsy"} and event.room != world.scenario.evening.gathering:
            yield Sentence("chat.aside", whom, draws=_talk("aside"))
            return
        shows = how in {"plain", "warm"} and details.get("stance") and chance("facade") < 0.4
        talk = "plain" if how == "warm" and chance("talk") < 0.3 else how
        yield Sentence("chat.facade" if shows else f"chat.{how}", whom, draws=_talk(talk))


def _observe(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    if event.details.get("found"):
        yield Sentence("observe.found", event.focus, event.details["found"][0])
    elif "heard" in event.details and event.secret is not None:
        overheard = _spoken_words(_secret(world, event.secret), "overheard")
        yield Sentence("observe.heard", secret=event.secret, draws={"fragment": overheard})
    elif event.focus is not None:
        yield Sentence("observe.idle", event.focus)
    else:
        yield Sentence("observe.room")


def _move(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    me, evening = world.agents[event.source], world.scenario.evening
    if me.thrown_out:
        yield Sentence("move.banished")
    elif me.task == "fetch" and event.destination == evening.kitchen:
        yield Sentence("move.fetching")
    elif me.task == "serve" and event.room == evening.kitchen:
        yield Sentence("move.carrying")
    elif event.destination == evening.gathering:
        yield Sentence("move.back")
    else:
        yield Sentence("move.out" if event.room == evening.gathering else "move.on")


def _telling(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    whom, act = event.targets[0], event.type.name.lower()
    if event.secret is None:
        draws = {"line": Draw(("feeling.lines",)), "answer": Draw(("feeling.answers",), by_whom=True)}
        yield Sentence("confide.feeling", whom, draws=draws)
        return
    secret = _secret(world, event.secret)
    if event.source in secret.holders:
        yield Sentence(f"{act}.own", whom, secret.id, {"confession": _spoken_words(secret, "confessed")})
    else:
        yield Sentence(f"{act}.other", whom, secret.id, {"news": _spoken_words(secret, "told")})
    if world.agents[whom].beliefs[secret.id] == Belief.BELIEVES_TRUE:
        yield Sentence("after.knew", whom, secret.id)
    yield from _reception(world, event, secret, event.source)
    for who in event.details.get("caught", ())[:1]:
        yield Sentence("after.caught", who)


def _conflict(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    whom, details = event.targets[0], event.details
    wrong, forced = details.get("wrong"), details.get("forced")
    retort = Draw(("retort.lines",), by_whom=True)
    if forced is not None:
        about = _secret(world, forced)
        draws = {"line": _spoken_words(about, "accused"), "retort": retort}
        draws["confession"] = _spoken_words(about, "confessed", by_whom=True)
        yield Sentence("conflict.forced", whom, about.id, draws)
        if about.harm.get(event.source, 0.0) >= HARMED and event.source not in learners_of(event, about.id):
            yield Sentence("after.faced", event.source, about.id)
        yield from _reception(world, event, about, whom)
    elif wrong in ("lie", "exposure", "attack"):
        yield Sentence(f"conflict.{wrong}", whom, draws={"line": Draw((f"wrong.{wrong}",)), "retort": retort})
    elif "about" not in details:
        yield Sentence("conflict.plain", whom, draws={"line": Draw(("quarrel.lines",))})
    elif details["stated"]:
        about = _secret(world, details["about"])
        yield Sentence("conflict.matter", whom, about.id, {"line": _spoken_words(about, "accused"), "retort": retort})
    else:
        about = _secret(world, details["about"])
        draws = {"line": _spoken_words(about, "hinted"), "evasion": _spoken_words(about, "evaded", by_whom=True)}
        yield Sentence("conflict.hint", whom, about.id, draws)
    if forced is None and details.get("stated"):
        yield from _hearing(world, event, _secret(world, details["about"]))
    for who in details.get("caught", ())[:1]:
        yield Sentence("after.guesses", who)
    if details.get("thrown_out"):
        yield Sentence("conflict.thrown_out", whom)


def _physical(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    me = world.agents[event.source]
    whom = event.targets[0] if len(event.targets) == 1 else None
    if event.manner == LEAVE:
        why = "_thrown_out" if me.thrown_out else "_broken" if me.broken else ""
        yield Sentence("physical.leave_together" if whom is not None else f"physical.leave{why}", whom)
    elif "swallowed" in event.details:
        yield Sentence("physical.swallow", whom)
    elif event.manner in _SETTLING:
        yield Sentence(f"physical.{event.manner}", whom, draws={"line": Draw((_SETTLING[event.manner],))})
    else:
        draws = {"toast": Draw(("toast.lines",))} if whom is None else {"line": Draw(("comfort.lines",))}
        yield Sentence(f"physical.{event.manner}", whom, draws=draws)


def _lie(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    secret = _secret(world, event.secret)
    pool = "lie.believed" if event.details.get("believed") else "lie.doubted"
    kind = "denied" if event.source in secret.holders else "covered"
    yield Sentence(pool, event.targets[0], secret.id, {"line": _spoken_words(secret, kind)})


def _catastrophe(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    yield Sentence(f"catastrophe.{event.details.get('breakdown', 'collapse')}")
    out = event.details.get("told")
    if out is not None:
        secret = _secret(world, out)
        if event.source in secret.holders:
            draws = {"confession": _spoken_words(secret, "confessed")}
            yield Sentence("after.told_own", None, out, draws, goes_on=True)
        else:
            yield Sentence("after.told_other", None, out, {"news": _spoken_words(secret, "told")}, goes_on=True)
        yield from _reception(world, event, secret, event.source)


def _clock(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    id = event.details["clock"]
    if id == LATE:
        yield Sentence("clock.late")
        return
    happened = next(clock for clock in world.scenario.evening.events if clock.id == id)
    deeds = {"arrive": happened.arrive, "depart": happened.depart, "news": happened.news, "hands": happened.hands}
    deed = next((deed for deed, does in deeds.items() if does), "end")
    yield Sentence(f"clock.{id if happened.lines else deed}", secret=event.secret)
    if event.secret is not None:
        yield from _reception(world, event, _secret(world, event.secret), event.source)


def _internal(world: WorldState, event: Event, chance: Callable[[str], float]) -> Iterator[Sentence]:
    yield Sentence("thought.plain")


def _hearing(world: WorldState, event: Event, secret: Secret) -> Iterator[Sentence]:
    """How those around take an accusation: who believes it learns it, and who does not begins to wonder."""
    yield from _reception(world, event, secret, event.source)
    wondering = [
        delta.agent
        for delta in event.deltas
        if delta.kind == "belief" and delta.key == secret.id and delta.after == Belief.SUSPECTS
    ]
    for who in wondering[:1]:
        yield Sentence("after.wonders", who)


def _reception(world: WorldState, event: Event, secret: Secret, speaker: str) -> Iterator[Sentence]:
    """Reactions to a truth: of the person it hurts most, of a holder who is exposed, of somebody who was lied to."""
    learned = {
        delta.agent: delta.before
        for delta in event.deltas
        if delta.kind == "belief" and delta.key == secret.id and delta.after == Belief.BELIEVES_TRUE
    }
    if not learned:
        return
    most = max(learned, key=lambda who: (secret.harm.get(who, 0.0), who in event.targets))
    news = "after.hurt" if secret.harm.get(most, 0.0) >= HARMED else "after.struck"
    yield Sentence("after.confirmed" if learned[most] == Belief.SUSPECTS else news, most, secret.id)
    room = world.agents[event.source].location
    exposed = [who for who in secret.holders if who != speaker and world.agents[who].location == room]
    if exposed and event.type != CONFIDE:
        yield Sentence("after.exposed", exposed[0], secret.id)
    for who, liar, _ in event.details.get("lies_found", ())[:1]:
        yield Sentence(
            "after.lie_found" if world.agents[liar].location == room else "after.lie_remembered", who, liar=liar
        )


def _is_uneasy(world: WorldState, event: Event) -> bool:
    """Whether there was a scene here recently, or the speaker is under high stress."""
    just = any(
        happening.room == event.room and happening.type in {CONFLICT, CATASTROPHE, REVEAL} for happening in world.recent
    )
    return just or world.agents[event.source].pacing.stress > 0.6


def _makes_up(world: WorldState, speaker: str, other: str) -> bool:
    ashamed = world.agents[speaker].emotions.get("shame", 0.0) > 0.15
    return ashamed and world.agents[other].grievance.get(speaker, 0.0) > 0.2


def _secret(world: WorldState, id: str | None) -> Secret:
    assert id is not None
    return world.scenario.secrets[id]


_SENTENCES: dict[EventType, Callable[[WorldState, Event, Callable[[str], float]], Iterator[Sentence]]] = {
    CHAT: _chat,
    OBSERVE: _observe,
    SOCIAL_MOVE: _move,
    REVEAL: _telling,
    CONFIDE: _telling,
    CONFLICT: _conflict,
    PHYSICAL: _physical,
    LIE: _lie,
    CATASTROPHE: _catastrophe,
    CLOCK: _clock,
}
_SETTLING: Final = {FORGIVE: "forgive.lines", BREAK_WITH: "break.lines"}
"""The gestures that settle a wrong, and what is said with them."""

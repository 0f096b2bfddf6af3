"""What a language model is told about a line of dialogue, and which of its answers are one.

It is told who speaks, to whom, what they are doing, and what the speaker knows; never what the speaker does not know, and of
secrets that nobody has spoken only the kind.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from volition.drama.audience.moment import relations
from volition.drama.audience.prose import short_names
from volition.drama.rules.catalog import Belief
from volition.minds.contract import Unanswered

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from volition.drama.audience.composer import Utterance
    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Scenario, Secret

LONGEST: Final = 400
"""The longest line that is taken, in letters."""
SEEN: Final = 6
"""How many of the last events that the speaker saw are mentioned."""
GAVE_AWAY: Final = "the answer gives away a secret that nobody has spoken"
_COMMON: Final = frozenset(
    {"that", "this", "with", "from", "have", "been", "they", "them", "their", "what", "which", "were", "will"}
)

SYSTEM: Final = (
    "You write one line of dialogue for a character in a story. You get the moment as JSON: the speaker with voice and "
    "knowledge, the listener, the place, what the speaker does, and a draft. Say the same thing as the draft, in the "
    "speaker's voice. Add no facts and no names that are not given. Answer with the line alone: one sentence or two, "
    "without quotation marks, names before it, or stage directions."
)
_DOES: Final = {
    "asked": "asks about it without saying what it is",
    "evaded": "avoids the question",
    "denied": "denies it, which is a lie",
    "accused": "accuses the listener of it",
    "confessed": "admits it",
    "told": "tells the listener about it",
    "retort": "fends off an accusation",
    "quarrel": "quarrels",
    "hinted": "hints at it without saying what it is",
    "asked.heard": "asks whether what was said aloud is true",
    "wrong": "reproaches the listener for something done to them",
    "forgive": "forgives the listener",
    "break": "breaks with the listener",
    "covered": "denies it for somebody else's sake, which is a lie",
    "comfort": "comforts the listener",
    "feeling": "says what they feel",
    "feeling.answers": "answers somebody who has said what they feel",
    "toast": "proposes a toast",
}


def messages_of(utterance: Utterance) -> list[dict[str, str]]:
    """The question for a line: instructions, and the moment as the speaker knows it."""
    moment = json.dumps(moment_of(utterance), ensure_ascii=False, sort_keys=True)
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": moment}]


def moment_of(utterance: Utterance) -> dict[str, Any]:
    """All that the endpoint is told: nothing that the speaker does not know, and no secret that nobody has spoken."""
    world, event, who = utterance.world, utterance.event, utterance.speaker
    scenario, names = world.scenario, short_names(world.scenario)
    me = scenario.people[who]
    kind = utterance.pool.split(".")[-1 if utterance.pool.startswith("secrets.") else 0]
    moment: dict[str, Any] = {
        "speaker": {"name": names[who], "pronouns": _pronoun(me.pronouns), "voice": list(me.voice), "role": me.role},
        "place": scenario.rooms[event.room].name,
        "minute": round(event.minutes),
        "does": _DOES.get(utterance.pool) or _DOES.get(kind, "makes conversation"),
        "draft": utterance.draft,
        "knows": knowledge(world, who, utterance.spoken),
        "has_just_seen": _just_seen(world, who, names),
    }
    if utterance.listener is not None:
        other = scenario.people[utterance.listener]
        moment["listener"] = {
            "name": names[other.id],
            "pronouns": _pronoun(other.pronouns),
            "relation": list(relations(scenario, who, other.id)),
        }
    if utterance.before:
        moment["was_just_told"] = utterance.before
    return moment


def given_away(utterance: Utterance, line: str) -> str | None:
    """The id of a secret that nobody has spoken and that a line gives away; None if it keeps them all.

    A line gives a secret away if it has at least two of its words, and a third of them, that are not in the draft.
    """
    added = _words(line) - _words(utterance.draft)
    for secret in utterance.world.scenario.secrets.values():
        words = _words(secret.description)
        shared = words & added
        if secret.id not in utterance.spoken and len(shared) >= max(2, len(words) / 3):
            return secret.id
    return None


def _words(text: str) -> set[str]:
    """The words of a text that say something, without their endings."""
    words = re.findall(r"[^\W\d_]+", text.lower().replace("'s", ""))
    return {re.sub(r"(?:ing|ed|es|s)$", "", word) for word in words if len(word) > 3 and word not in _COMMON}


def knowledge(world: WorldState, who: str, spoken: Collection[str] = ()) -> list[str]:
    """What `who` knows, suspects or wrongly rules out of the secrets of an evening, in words; `spoken` are no secrets now."""
    beliefs = world.agents[who].beliefs
    secrets = world.scenario.secrets.values()
    lines = (_belief(world.scenario, secret, beliefs[secret.id], secret.id in spoken) for secret in secrets)
    return [line for line in lines if line]


def _belief(scenario: Scenario, secret: Secret, belief: Belief, is_spoken: bool) -> str:
    about = f", about {short_names(scenario)[secret.about]}" if secret.about is not None else ""
    match belief:
        case Belief.BELIEVES_TRUE:
            hidden = f"knows something of the kind '{secret.content}'{about}, and must not say what"
            return f"knows: {secret.description}" if is_spoken else hidden
        case Belief.SUSPECTS:
            return f"suspects something of the kind '{secret.content}'{about}"
        case Belief.BELIEVES_FALSE:
            return f"has been assured that there is nothing of the kind '{secret.content}'{about}"
    return ""


def _just_seen(world: WorldState, who: str, names: Mapping[str, str]) -> list[str]:
    seen = [happening for happening in world.recent if who in happening.seen_by][-SEEN:]
    return [
        f"{names[happening.source]}: {happening.type.name.lower()}"
        + (f" with {', '.join(names[other] for other in happening.targets)}" if happening.targets else "")
        for happening in seen
    ]


def clean_line(text: str) -> str:
    """A line as a transcript can hold it; Unanswered if it cannot.

    >>> clean_line(' "Well.  I never" ')
    'Well. I never.'
    """
    line = " ".join(text.replace("*", "").replace("#", "").split()).translate({ord(mark): "'" for mark in '"“”„'})
    if len(line) > 1 and line[0] == line[-1] == "'":
        line = line[1:-1].strip()
    if not line.strip("'") or len(line) > LONGEST or not line.isprintable():
        raise Unanswered("invalid", "the answer is no line of dialogue", words=text)
    return line if line[-1] in ".!?…—" else line + "."


def _pronoun(pronouns: str | tuple[str, ...]) -> str:
    return pronouns if isinstance(pronouns, str) else "/".join(pronouns)

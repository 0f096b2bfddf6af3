"""What a mind from outside is asked about a person of an evening: what they perceive, in words and as data, and what is open.

It says what the person knows and no more: what they heard and understood, know, feel, want, owe and are owed. Acts are those that
nothing forbids, the best by the person's own mind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins

from volition.drama.audience.introduction import describe_scene, introduce
from volition.drama.audience.offers import describe_choice
from volition.drama.audience.prose import short_names
from volition.drama.rules.catalog import DRAMATIC, Belief
from volition.minds.contract import MindOption, MindSituation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from volition.drama.audience.guest import Heard
    from volition.drama.mind.custom import OfferedActs
    from volition.drama.mind.outside import Voice
    from volition.drama.world.model import Action, Scenario

REMEMBERED: Final = 8
"""How many of the last things that they saw or heard a person is asked with."""
INDEBTED: Final = 0.4
"""From which obligation on somebody is told that they owe another something."""
FELT: Final = 0.35
"""From which strength on an emotion is named."""
_FEELINGS: Final[Mapping[str, str]] = {
    "anger": "angry",
    "fear": "afraid",
    "hope": "hopeful",
    "shame": "ashamed",
    "affection": "fond of those around you",
    "suspicion": "suspicious",
}
_STRAINS: Final = ((0.8, "close to breaking"), (0.55, "under strain"))
"""From which stress on a person is how."""
_WRONGS: Final[Mapping[str, str]] = {
    "harm": "{name} has wronged you: {what}",
    "lie": "{name} has lied to you",
    "exposure": "{name} has told what was yours to tell",
    "attack": "{name} has attacked {what}",
}


def is_at_stake(offer: OfferedActs, voice: Voice) -> bool:
    """Whether a mind is asked about an offer: there is a choice, and one of the reasons that the voice names."""
    acts = best_acts(offer, voice)
    if len(acts) < 2:
        return False
    if voice.kinds is None and voice.margin is None:
        return True
    lead = (acts[0].utility_score or 0.0) - (acts[1].utility_score or 0.0)
    named = any(act.action_type.name.lower() in voice.kinds for act in acts) if voice.kinds is not None else False
    return named or (voice.margin is not None and lead < voice.margin)


def best_acts(offer: OfferedActs, voice: Voice) -> list[Action]:
    """The acts that a mind is shown, the best by the person's own mind first."""
    ranked = sorted(offer.acts, key=lambda act: (act.id != offer.own, -(act.utility_score or 0.0)))
    return ranked[: voice.best]


def situation_of(scenario: Scenario, offer: OfferedActs, voice: Voice, heard: Sequence[Heard]) -> MindSituation:
    """The question for the mind of the person who has this offer, and heard this lately, the latest last."""
    options = [
        MindOption(act.id, describe_choice(scenario, act, offer.who), act.utility_score)
        for act in best_acts(offer, voice)
    ]
    if voice.best is None and voice.chooses:
        options += [MindOption(wish.id, describe_choice(scenario, wish, offer.who)) for wish in offer.wishes]
    return MindSituation(
        offer.who,
        "\n".join(_lines(scenario, offer, heard)),
        tuple(options),
        own=offer.own,
        data=_data(scenario, offer, heard),
        vetoed=dict(offer.vetoed),
    )


def _lines(scenario: Scenario, offer: OfferedActs, heard: Sequence[Heard]) -> Iterator[str]:
    """What a person perceives, paragraph by paragraph."""
    page = introduce(scenario, offer)
    yield " ".join([page.you, *page.wants])
    yield " ".join(page.knows)
    yield describe_scene(scenario, offer)
    yield from (f"{member}" for member in page.cast if member.is_here)
    lately = [line for event in heard for line in event.lines(scenario, offer.who)]
    yield from ["What you saw and heard lately:", *lately] if lately else []
    yield from describe_owed(scenario, offer)
    yield describe_feeling(offer)


def describe_owed(scenario: Scenario, offer: OfferedActs) -> Iterator[str]:
    """What a person has not answered yet of what was done to them, and to whom they owe something."""
    names = short_names(scenario)
    for whom in offer.me.stung:
        sort, _, about = offer.me.wrong.get(whom, "harm").partition(":")
        what = names.get(about) or (
            scenario.secrets[about].description.rstrip(".") if about in scenario.secrets else ""
        )
        done = _WRONGS.get(sort, _WRONGS["harm"]).format(name=names[whom], what=what or "it is not over")
        yield f"{done}. You have not had it out with {names[whom]} yet."
    for whom, bond in offer.me.bonds.items():
        if bond.obligation >= INDEBTED:
            yield f"You owe {names[whom]} something."


def describe_feeling(offer: OfferedActs) -> str:
    """How a person is, in a sentence."""
    strain = next((words for least, words in _STRAINS if offer.me.pacing.stress >= least), "calm")
    felt = sorted(((strength, name) for name, strength in offer.me.emotions.items() if strength >= FELT), reverse=True)
    return f"You are {', '.join([strain, *(_FEELINGS[name] for _, name in felt)])}."


def _data(scenario: Scenario, offer: OfferedActs, heard: Sequence[Heard]) -> dict[str, Any]:
    """The same for programs."""
    me, seen = offer.me, offer.perceived
    return {
        "scenario": scenario.id,
        "tick": offer.tick,
        "minutes": offer.minutes,
        "room": seen.room,
        "present": list(seen.visible_agents),
        "heard": [to_builtins(event) for event in heard],
        "beliefs": {secret: Belief(belief).name.lower() for secret, belief in me.beliefs.items()},
        "known_by": sorted(map(list, seen.known_by)),
        "bonds": {whom: list(bond) for whom, bond in me.bonds.items()},
        "grievances": dict(me.grievance),
        "owed": {whom: me.wrong.get(whom, "") for whom in me.stung},
        "emotions": dict(me.emotions),
        "stress": me.pacing.stress,
        "dramatic": sorted(act.id for act in offer.acts if act.action_type in DRAMATIC),
    }

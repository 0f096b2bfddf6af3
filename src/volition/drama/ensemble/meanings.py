"""What each column of an ensemble's table means, in one sentence: for pages, documents and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

MEANINGS: Final[Mapping[str, str]] = {
    "row": "The number of the evening in the table, by which it is opened.",
    "point": "The number of the combination of settings.",
    "seed": "The seed of the evening's random draws.",
    "scenario": "The hash of the scenario with its settings.",
    "path": "How the evening was played: compiled or interpreted.",
    "state": "The digest of the final state; equal evenings have equal ones.",
    "ending": "How the evening ended.",
    "minutes": "How long the evening lasted, in minutes.",
    "ticks": "How many ticks were played.",
    "events": "How many things happened.",
    "events.TYPE": "How many events of this type happened.",
    "moves": "How often somebody went to another room.",
    "dramatic": "How many dramatic acts there were: secrets told, lies, confidences and confrontations.",
    "first_drama": "The tick of the first dramatic act.",
    "tension": "The mean tension over all events.",
    "tension.most": "The highest tension that was reached.",
    "tension.first_half": "The mean tension in the first half, without events of the clock.",
    "tension.second_half": "The mean tension in the second half, without events of the clock.",
    "irony": "The mean dramatic irony: how much the audience knows that people do not.",
    "irony.most": "The highest dramatic irony that was reached.",
    "rooms": "How many rooms saw an act other than a move.",
    "rooms.ROOM": "The share of evenings in which this room saw an act other than a move.",
    "left": "How many people left before the end.",
    "glasses": "How many glasses were drunk.",
    "catastrophes": "How many breakdowns there were.",
    "catastrophes.PERSON": "How often this person broke down.",
    "composure.PERSON": "The lowest composure that this person reached.",
    "potential.PERSON": "The highest potential for a breakdown that this person reached.",
    "out": "How many secrets somebody learned who had not known them.",
    "out.SECRET": "How often this secret was learned by somebody.",
    "stale": "How many truths were told that everybody present had known.",
    "conflicts": "How many confrontations there were.",
    "conflicts.PERSON": "How often this person confronted somebody.",
    "made.PERSON": "How many of the events were made by this person.",
    "first_act": "The first dramatic act.",
    "driven_off": "How many people were thrown out, or left within ten minutes after a row of theirs.",
    "driven_off.PERSON": "How often this person was thrown out, or left within ten minutes after a row of theirs.",
    "lies.seen_through": "How many lies were not believed.",
    "lies.found_out": "How many lies were believed at first and found out later.",
    "wrongs": "How many wrongs people learned of who then had time to answer them.",
    "wrongs.answered": "How many of these wrongs were answered within fifteen minutes.",
    "pours": "How many rounds of wine were poured.",
    "pours.amid_rows": "How many rounds of wine came within three ticks of a row or an outburst in the room.",
    "decisions": "How many decisions were made.",
    "won.TYPE": "How many decisions were won by an act of this type.",
    "hung.TERM": "How many decisions would have had another winner without this term.",
    "total.internal": "The median total of keeping to oneself.",
    "total.winner": "The median total of the winning act.",
    "total.winner_95": "The 95th percentile of the winning act's total.",
    "total.dramatic": "The median of the best dramatic total in decisions that offered one.",
    "gap": "The median lead of the winning act over the next best.",
    "bias": "The 95th percentile of what flaws add to the winning act or take from it.",
    "repeated": "How long the longest series of one act by one person was.",
    "repeats": "The share of acts that the same person had just done before.",
}
"""By the name of a column; in place of the last part of a name, what it is the name of."""
_GENERAL: Final[Mapping[str, str]] = {
    name.partition(".")[0]: name for name in MEANINGS if name.split(".")[-1].isupper()
}
SETTING: Final = "A setting that was swept, by its path in the scenario file."


def meaning_of(column: str) -> str:
    """The sentence for a column; a column without one is a setting.

    >>> meaning_of("catastrophes.somebody")
    'How often this person broke down.'
    >>> meaning_of("tension.most"), meaning_of("rules.noise.sigma")
    ('The highest tension that was reached.', 'A setting that was swept, by its path in the scenario file.')
    """
    prefix, dot, _ = column.partition(".")
    return MEANINGS.get(column) or MEANINGS.get(_GENERAL.get(prefix, "") if dot else "", SETTING)

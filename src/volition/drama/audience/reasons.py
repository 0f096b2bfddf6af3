"""Why somebody chose what they chose, in words: acts, terms and sentences with names in place of ids, and three decimals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.drama.audience.deeds import describe_act, describe_doing
from volition.drama.audience.prose import capitalize_first, company_of, short_names
from volition.drama.evening.names import names_of
from volition.drama.words.people import pronouns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.arbitration.decision import Decision
    from volition.arbitration.why_answers import Why
    from volition.drama.world.model import Scenario

FAVOURS: Final = 2
"""How many terms that speak for an act are named."""
LEAST: Final = 0.0005
"""What a term must add to be named: less is 0 with three decimals."""
NAMES: Final[Mapping[str, str]] = {
    "utility": "goals",
    "noise": "chance",
    "outside": "mind from outside",
    "broken_with": "broken with",
}
"""The terms and constraints whose ids are no plain words."""
_VOICES: Final[Mapping[str, str]] = {
    "utility": "what {they} {want}",
    "flaws": "{their} {flaws}",
    "pacing": "{their} composure",
    "bonds": "what {they} {feel} for {whom}",
    "alcohol": "the drink",
    "movement": "the pull of another room",
    "situation": "the situation",
    "noise": "chance",
    "outside": "the mind from outside",
}
"""What each term of a choice is, as the singular subject of a sentence."""
_LONG_NUMBER: Final = re.compile(r"([+-]?)(\d+\.\d{3})(\d+)")


class ChoiceReason(Struct, frozen=True):
    """Why somebody did something, as sentences."""

    doing: str
    """What they do: 'Ann watches Ben'."""
    because: str
    """What speaks for it, and the strongest reason against it."""
    instead: str
    """The next best act, and how far behind it is; empty if there is none."""
    outside: str
    """What a mind from outside said, or why it said nothing; empty if none took part."""


class ChoiceWords:
    """Everything that is said about the choices of one person."""

    def __init__(self, scenario: Scenario, who: str) -> None:
        self._scenario, self._who = scenario, who
        self._person = scenario.people[who]
        self.name = short_names(scenario)[who]
        self._acts: dict[str, str] = {}

    def act(self, id: str | None) -> str:
        """An act as what one does: 'watch Ben'; its id where it is none that the scenario knows."""
        if id is None:
            return "nothing"
        if id not in self._acts:
            self._acts[id] = describe_act(self._scenario, self._who, id) or id
        return self._acts[id]

    def term(self, id: str) -> str:
        """A term or a constraint, in one or two words."""
        return NAMES.get(id, id.replace("_", " "))

    def sentence(self, text: str, ids: Iterable[str], terms: Iterable[str] = ()) -> str:
        """A sentence about acts with their words in place of ids, and numbers of three decimals.

        So it is with `terms`, where the sentence says what they add.
        """
        if named := _alternatives(terms):
            text = re.sub(rf"(?<![\w:])(?:{named})(?= [+-]\d)", lambda match: self.term(match[0]), text)
        if named := _alternatives(ids):
            text = re.sub(rf"(?<![\w:])(?:{named})(?!\w|:\w)", lambda match: f"'{self.act(match[0])}'", text)
        return _LONG_NUMBER.sub(_round_number, text)

    def reason(self, decision: Decision[Any]) -> ChoiceReason:
        """Why a decision came out as it did."""
        why, act = decision.why(), decision.id
        doing = f"{self.name} does nothing" if act is None else describe_doing(self._scenario, self._who, act) or act
        return ChoiceReason(
            doing=doing,
            because=self._because(why, act),
            instead=""
            if why.over is None
            else f"Next best: {self.act(why.over)} ({float(why.margin or 0):.3f} behind)",
            outside="; ".join(
                f"The {self.term(id)} {self.sentence(remark, decision.tally.ids)}"
                for id, remark in decision.tally.remarks
            ),
        )

    def _because(self, why: Why, act: str | None) -> str:
        if why.over is None:
            return "Nothing else was left to choose"
        parts = sorted(why.contributions, key=lambda part: -part.value)
        favour = [part for part in parts if part.value >= LEAST][:FAVOURS]
        against = [part for part in reversed(parts) if part.value <= -LEAST][:1]
        if not favour:
            return "Nothing spoke for either; it was a tie"
        clauses = [
            f"{self._voice(part.by, act)} {'favours it' if not place else 'too'} ({part.value:+.3f})"
            for place, part in enumerate(favour)
        ]
        clauses += [f"in spite of {self._voice(part.by, act)} ({part.value:+.3f})" for part in against]
        return capitalize_first(", ".join(clauses))

    def _voice(self, term: str, act: str | None) -> str:
        pronouns = pronouns_of(self._person.pronouns)
        flaws = " or ".join(dict.fromkeys(flaw.kind.replace("_", " ") for flaw in self._person.flaws))
        return _VOICES.get(term, self.term(term)).format(
            they=pronouns.they,
            their=pronouns.their,
            want="want" if pronouns.plural else "wants",
            feel="feel" if pronouns.plural else "feels",
            flaws=flaws or "nature",
            whom=self._towards(act),
        )

    def _towards(self, act: str | None) -> str:
        """Whom an act is towards; the others, if it is towards nobody."""
        names = names_of(self._scenario)
        if act is None or act not in names.act:
            return "the others"
        (action,) = names.actions([names.act[act]], self._who, "", 0)
        return company_of(action.target_agents, short_names(self._scenario)) if action.target_agents else "the others"


def _alternatives(texts: Iterable[str]) -> str:
    """A pattern for any of some texts, the longest first."""
    return "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))


def _round_number(match: re.Match[str]) -> str:
    """A number with three decimals; one that is nearer to 0 is said to be less than the least of these."""
    sign, whole, rest = match.groups()
    number = float(f"{whole}{rest}")
    return "less than 0.001" if not sign and number < LEAST else f"{sign}{number:.3f}"

"""A choice of a recorded evening, explained: what was weighed and why, with people, rooms and secrets by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import Struct
from msgspec.structs import asdict

from volition.cli.printing import columns
from volition.cli.show.arbitration import STYLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from volition.arbitration.decision import Decision
    from volition.drama.audience.reasons import ChoiceWords
    from volition.drama.mind.perception import ThoughtOfOther
    from volition.drama.stage.events import Choice
    from volition.drama.world.model import Scenario

WIDEST: Final = 64
"""The most characters of an act in the table; the sentences below it have all of them."""


class ExplainedChoice(Struct, frozen=True):
    """A choice of a recorded evening with what was asked about it."""

    scenario: Scenario
    run: str
    tick: int
    agent: str
    choice: Choice
    decision: Decision[Any]
    answers: Sequence[Any]
    """Why other candidates were not chosen."""
    situations: Mapping[str, Iterable[tuple[str, float]]]
    """Candidate -> the terms of its situation."""
    changed: Sequence[str]
    """What is otherwise in `then`, in words."""
    then: Any
    """The decision with other weights, or without some terms; None if that was not asked."""
    played_by: str | None
    """Who made the choice; None if the mind did."""
    own: str | None
    """What the mind would have chosen."""
    thoughts: Sequence[Any] | None
    """What they thought that others know; None if that was not asked."""

    def to_data(self) -> dict[str, Any]:
        from volition.arbitration.report import explanation_to_data

        data: dict[str, Any] = {
            "run": self.run,
            "tick": self.tick,
            "agent": self.agent,
            "choice": self.choice._asdict(),
        }
        data |= {"decision": self.decision.to_data(), "why_not": list(map(explanation_to_data, self.answers))}
        data["situation"] = {id: dict(terms) for id, terms in self.situations.items()}
        if self.thoughts is not None:
            data["thoughts"] = [asdict(thought) for thought in self.thoughts]
        if self.then is not None:
            data["what_if"] = self.then.to_data()
        return data | {"played": {"own": self.own}} if self.played_by is not None else data

    def show(self) -> None:
        """Print everything that was weighed, and the answers, in words."""
        who = self._name(self.agent)
        click.secho(f"{who} at tick {self.tick} of {self.run}", bold=True)
        click.secho(f"{self.decision.kind}: {self._words(self.decision.id)} ({self.decision.tally.rule})", bold=True)
        click.echo("")
        for text, role in self._table():
            click.secho(text, **STYLES.get(role, {}))
        click.echo("")
        for line in self._answers():
            click.echo(line)
        if self.played_by is not None:
            click.echo(f"played by {self.played_by}; without that it would have been: {self._words(self.own)}")
        for thought in self.thoughts or ():
            click.echo(f"{who} thinks: {self._describe_thought(thought)}")
        if self.thoughts is not None and not self.thoughts:
            click.echo(f"{who} thinks that nobody else knows or suspects a secret")
        if self.choice.became != "done":
            click.echo(f"it did not happen ({self.choice.because}): {self._words(self.choice.became)}")

    def _answers(self) -> Iterator[str]:
        from volition.arbitration.report import lines

        why = [line.text for line in lines(self.decision.tally) if line.text.startswith(("why:", "firm:"))]
        yield from map(self._sentence, why)
        for id, terms in self.situations.items():
            listed = ", ".join(f"{name.replace('_', ' ')} {value:+.3f}" for name, value in terms) or "nothing"
            yield f"situation of {self._words(id)}: {listed}"
        yield from (f"why not: {self._sentence(answer.text)}" for answer in self.answers)
        if self.then is not None:
            yield f"what if ({', '.join(self.changed)}): {self._sentence(self.then.text)}"

    def _table(self) -> Iterator[tuple[str, str]]:
        """The acts by their totals, with a column for each term that says anything, then those that were vetoed."""
        tally = self.decision.tally
        order = sorted(range(len(tally.survivors)), key=lambda place: (place != tally.winner, -tally.totals[place]))
        voters = [
            place for place in range(len(tally.composite.heuristics)) if any(row[place] for row in tally.products)
        ]
        rows = [[" ", "act", "total", *(_header(tally.composite.heuristics[place]) for place in voters)]]
        for place in order:
            cells = [_cell(tally.scores[place][at], tally.products[place][at]) for at in voters]
            shown = _shorten(self._words(tally.survivors[place]))
            rows.append([">" if place == tally.winner else " ", shown, f"{tally.totals[place]:+.3f}", *cells])
        roles = ["head", *("winner" if place == tally.winner else "survivor" for place in order)]
        yield from zip(columns(rows), roles, strict=True)
        for id in tally.vetoed:
            yield f"x {_shorten(self._words(id))}: vetoed by {tally.veto_text(id)}", "vetoed"

    def _name(self, who: str) -> str:
        from volition.drama.audience.prose import short_names

        return short_names(self.scenario)[who]

    def _words(self, id: str | None) -> str:
        """An act in words; its id where it is none that the scenario knows."""
        return self._choice_words().act(id)

    def _sentence(self, text: str) -> str:
        """A sentence about acts with their words in place of ids, and numbers of three decimals."""
        return self._choice_words().sentence(text, self.decision.tally.ids)

    def _choice_words(self) -> ChoiceWords:
        from volition.drama.audience.reasons import ChoiceWords

        return ChoiceWords(self.scenario, self.agent)

    def _describe_thought(self, thought: ThoughtOfOther) -> str:
        secret = self.scenario.secrets[thought.secret].description.rstrip(".")
        wrong = "" if thought.right else "; wrong"
        return f"{self._name(thought.whom)} {thought.thinks}: {secret} ({thought.why}{wrong})"


def _cell(score: float | None, product: float) -> str:
    """What a term counted for an act: a dash where it abstained, a dot where that was nothing."""
    return "-" if score is None else f"{product:+.3f}" if product else "."


def _header(term: Any) -> str:
    return str(term.id) if term.weight == 1.0 else f"{term.id} x{term.weight:g}"


def _shorten(words: str) -> str:
    return words if len(words) <= WIDEST else f"{words[: WIDEST - 3].rstrip()}..."

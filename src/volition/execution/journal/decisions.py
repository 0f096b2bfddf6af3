"""The decisions in a journal: each is restored as it was made, and answers why, why not and what if."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.arbitration.recorded import restore_decision
from volition.core.errors import BrokenRecord, InvalidInput, refuse
from volition.execution.journal import records
from volition.execution.journal.entries import References, read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from volition.arbitration.decision import Decision
    from volition.arbitration.recorded import RecordedComposite


class JournalDecision(Struct, frozen=True):
    """A decision of a journal: its record's number, its run, who decided (empty for a single body), and on what.

    `state` is None where the decision names none.
    """

    number: int
    run: int
    decided: records.Decided
    composite: RecordedComposite
    state: records.State | None

    @property
    def step(self) -> int:
        return self.decided.step

    @property
    def body(self) -> str:
        return self.decided.body

    @property
    def tick(self) -> int | None:
        return None if self.state is None else self.state.tick

    def decision(self) -> Decision[str]:
        """The decision as it was made, over the ids of its candidates; BrokenRecord where it contradicts itself."""
        try:
            return restore_decision(self.decided.decision, self.composite)
        except InvalidInput as error:
            raise BrokenRecord(*error.problems) from error


def read_decisions(path: str | PathLike[str], run: int | None = None) -> Iterator[JournalDecision]:
    """Yield every decision of a run, or of all runs, in the order in which they were made.

    A journal in which nobody recorded decisions has none.
    """
    references = References()
    for number, of_run, record in read_journal(path):
        references.keep(record)
        if type(record) is records.Decided and run in (None, of_run):
            composite = references.composites.get(record.composite)
            if composite is None:
                raise BrokenRecord.of(
                    f"record {number} refers to a composite {record.composite} that is not there",
                    where=str(path),
                    expected="a composite before the decisions that it makes",
                    remedy="`volition journal verify` names every such record",
                )
            state = None if record.state is None else references.states.get(record.state)
            yield JournalDecision(number, of_run, record, composite, state)


def find_decision(
    path: str | PathLike[str], step: int, *, run: int | None = None, body: str | None = None
) -> JournalDecision:
    """The decision of a step: of the last run that has one unless `run` is given, and of one `body` of a fleet."""
    decision: JournalDecision | None = None
    first = last = None
    for each in read_decisions(path, run):
        first, last = each.step if first is None else min(first, each.step), max(last or 0, each.step)
        if each.step == step and body in (None, each.body):
            decision = each
    if decision is not None:
        return decision
    there = "this journal has no decisions" if first is None else f"this journal has the steps {first} to {last}"
    return refuse(
        f"there is no decision of step {step}: {there}",
        where=str(path),
        expected="a step whose decision was recorded",
        remedy="`volition drive --journal` records every decision" if first is None else "name one of these steps",
    )

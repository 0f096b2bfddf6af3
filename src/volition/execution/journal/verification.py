"""Whether a journal is intact: the ledger's chain, and the laws that its records obey."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, to_builtins
from msgspec.structs import asdict

from volition.arbitration.recorded import restore_decision
from volition.core.errors import InvalidInput
from volition.core.ledger import Anchor, BrokenLedger
from volition.core.ledger import verify as verify_ledger
from volition.execution.journal import records
from volition.execution.journal.entries import References, open_journal
from volition.execution.wire.intents import intent_problems
from volition.execution.wire.results import contradictions, label_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from volition.core.ledger.reader import Verification

SHOWN: Final = 100
"""How many broken laws are listed; the rest are counted."""
OURS: Final = frozenset({"timeout", "malformed", "intercepted", "refused_retry", "unknown"})
"""The labels that only this side assigns, to results that it makes itself."""


class Unlawful(Struct, frozen=True):
    """A record that breaks a law: its number, the law, and what is wrong."""

    number: int
    law: str
    what: str

    def __str__(self) -> str:
        return f"record {self.number}: {self.what} ({self.law})"


class JournalVerification(Struct, frozen=True):
    """What `verify_journal` found. `unfinished`: tickets without a final record in runs that were not closed properly;
    `unanswered`: those of them that are known to have been sent."""

    ledger: Verification
    runs: int
    attempts: int
    unfinished: int
    unanswered: int
    unlawful: tuple[Unlawful, ...]
    unlawful_count: int

    @property
    def intact(self) -> bool:
        return self.ledger.intact and not self.unlawful_count

    def __str__(self) -> str:
        counts = f"  runs: {self.runs}, attempts: {self.attempts}, unfinished: {self.unfinished}"
        lines = [str(self.ledger), f"{counts}, asked and never answered: {self.unanswered}"]
        if self.unlawful_count:
            lines.append(f"  records that break the journal's laws: {self.unlawful_count}")
            lines += (f"    {fault}" for fault in self.unlawful[:10])
        else:
            lines.append("  every ticket has one final record, and every reference resolves")
        return "\n".join(lines)

    def to_data(self) -> dict[str, Any]:
        return (
            {"intact": self.intact}
            | asdict(self)
            | {"ledger": self.ledger.to_data(), "unlawful": to_builtins(self.unlawful)}
        )


def verify_journal(path: str | PathLike[str], anchor: Anchor | None = None) -> JournalVerification:
    """Check every byte and every law; nothing is changed, and everything wrong is reported at once.

    The laws: runs are numbered in order, and a connection is recorded once; every ticket has exactly one final record (in
    a run that was closed properly, every ticket up to the last); every key refers to a state in reach; only canonical
    and declared intents crossed the bridge; status, reason, label and reward agree, and the reward of a failure is negative; a late
    result belongs to a ticket that timed out, or whose answer could not be read; the votes of a decision lead to what
    was chosen.
    """
    reader = open_journal(path)
    laws = _Laws()
    try:
        for record in reader.records():
            try:
                typed = records.parse(record.raw)
            except ValueError as error:
                laws.note(record.seq, "every record is of a known kind", str(error))
                continue
            laws.check(record.seq, typed)
    except BrokenLedger:
        pass  # the chain is judged below
    laws.leave_run()
    return JournalVerification(
        verify_ledger(path, anchor),
        laws.runs,
        laws.attempts,
        laws.unfinished,
        laws.unanswered,
        tuple(laws.found),
        laws.count,
    )


class _Laws:
    def __init__(self) -> None:
        self.found: list[Unlawful] = []
        self.count = self.runs = self.attempts = self.unfinished = self.unanswered = 0
        self._references = References()
        self._number = 0
        self._begin()

    def _begin(self) -> None:
        self._top = self._in_run = 0
        self._met: set[int] = set()
        self._open: set[int] = set()
        self._asked: set[int] = set()
        self._given_up: set[int] = set()
        self._ended = False

    def note(self, number: int, law: str, what: str) -> None:
        self.count += 1
        if self.count <= SHOWN:
            self.found.append(Unlawful(number, law, what))

    def check(self, number: int, record: records.JournalRecord) -> None:
        self._number = number
        if type(record) is not records.RunStart and (not self.runs or self._ended):
            self.note(
                number,
                "a run begins before anything else",
                f"a record {'after the end' if self.runs else 'before the beginning'} of a run",
            )
        self._references.keep(record)
        match record:
            case records.Attempt():
                self.attempts += record.count
                self._in_run += record.count
                self._final(record)
                for law, what in _broken_laws(record, self._references):
                    self.note(number, law, what)
            case records.AskedIntent():
                self._ask(record)
            case records.Decided():
                for law, what in _broken_decision_laws(record, self._references):
                    self.note(number, law, what)
            case records.EpisodeReset(ticket=ticket):
                self._ticket(ticket)
            case records.LateAnswer(ticket=ticket):
                if ticket not in self._given_up:
                    self.note(number, "a late result follows a timeout", f"ticket {ticket} had not timed out")
                self._given_up.discard(ticket)
            case records.Connected(connection=connection):
                if connection in self._met:
                    self.note(number, "a connection is recorded once", f"{connection} is duplicated")
                self._met.add(connection)
            case records.RunStart(run=run):
                self.leave_run()
                self.runs += 1
                if run != self.runs:
                    self.note(number, "runs are numbered in order", f"run {run} is number {self.runs}")
                self._begin()
            case records.End(attempts=attempts):
                if attempts != self._in_run:
                    self.note(number, "an end counts its attempts", f"{attempts} counted, {self._in_run} found")
                for ticket in sorted(self._open):
                    self.note(number, "every ticket has one final record", f"ticket {ticket} has none")
                self._open.clear()
                self._asked.clear()
                self._ended = True

    def leave_run(self) -> None:
        """Count the open tickets of a run that was not closed."""
        self.unfinished += len(self._open)
        self.unanswered += len(self._asked)
        self._open, self._asked = set(), set()

    def _ask(self, asking: records.AskedIntent) -> None:
        ticket = asking.ticket
        if ticket in self._asked or (ticket <= self._top and ticket not in self._open):
            self.note(
                self._number, "an intent is asked once, before its final record", f"ticket {ticket} is duplicated"
            )
            return
        if asking.state is not None and self._references.states.get(asking.state) is None:
            self.note(self._number, "references resolve", f"there is no state {_format_key(asking.state)} in reach")
        self._reach(ticket)
        self._open.add(ticket)
        self._asked.add(ticket)

    def _reach(self, ticket: int) -> None:
        """Tickets up to this one were issued; those without a record yet are open."""
        self._open.update(range(self._top + 1, min(ticket, self._top + SHOWN * 100)))
        self._top = max(self._top, ticket)

    def _final(self, attempt: records.Attempt) -> None:
        ranges = attempt.tickets or ((attempt.ticket, attempt.ticket),)
        total = sum(last - first + 1 for first, last in ranges)
        summed = attempt.label == "refused_retry" and ranges[0][0] == attempt.ticket
        if total != attempt.count or (attempt.count > 1 and not summed):
            what = f"{attempt.count} counted, {total} tickets named"
            self.note(self._number, "a sum is one of refused retries and counts its tickets", what)
            ranges = ((attempt.ticket, attempt.ticket),)
        for first, last in ranges:
            for ticket in range(first, last + 1):
                self._ticket(ticket)
        ticket = attempt.ticket
        if attempt.label == "timeout" or (attempt.label == "malformed" and not attempt.answered):
            self._given_up.add(ticket)

    def _ticket(self, ticket: int) -> None:
        if ticket > self._top:
            self._reach(ticket)
        elif ticket in self._open:
            self._open.remove(ticket)
            self._asked.discard(ticket)
        else:
            self.note(self._number, "every ticket has one final record", f"ticket {ticket} has another")


def _broken_laws(attempt: records.Attempt, references: References) -> Iterator[tuple[str, str]]:
    """The laws that an attempt breaks, each with what is wrong."""
    result, label = attempt.result, attempt.label
    for key in (attempt.state, attempt.next_state):
        if key is not None and references.states.get(key) is None:
            yield "references resolve", f"there is no state {_format_key(key)} in reach"
    if (attempt.sent is None) != (attempt.id is None):
        yield "what is sent has an id", f"ticket {attempt.ticket} has one without the other"
    if attempt.sent is not None:
        if attempt.connection not in references.connections:
            yield "references resolve", f"there is no connection {attempt.connection}"
        if intent_problems(attempt.sent.intent, attempt.sent.parameters, references.find_declared(attempt.connection)):
            yield "only canonical and declared intents cross the bridge", f"{attempt.sent.intent} was sent"
    if wrong := contradictions(result):
        yield "a result agrees with itself", wrong[0].what
    if label in OURS and result.status != "FAILURE":
        yield "labels agree with results", f"{label} for {result.status}"
    if label not in OURS and label != label_of(result):
        yield "labels agree with results", f"{label} for {result.status}/{result.failure_reason}"
    if attempt.reward != fsum(attempt.parts.values()):
        yield "a reward is the sum of its parts", f"{attempt.reward} is not"
    if result.status == "FAILURE" and not attempt.reward < 0:
        yield "the reward of a failure is negative", f"a reward of {attempt.reward}"


def _broken_decision_laws(decided: records.Decided, references: References) -> Iterator[tuple[str, str]]:
    """The laws that a decision breaks, each with what is wrong."""
    if decided.state is not None and references.states.get(decided.state) is None:
        yield "references resolve", f"there is no state {_format_key(decided.state)} in reach"
    composite = references.composites.get(decided.composite)
    if composite is None:
        yield "references resolve", f"there is no composite {decided.composite}"
        return
    try:
        restore_decision(decided.decision, composite)
    except InvalidInput as error:
        yield "the votes of a decision lead to what was chosen", error.problems[0].what


def _format_key(key: records.StateKey) -> str:
    return "/".join(map(str, key))

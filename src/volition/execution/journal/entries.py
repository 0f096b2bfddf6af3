"""Reading a journal: typed records in the order in which they were written, and attempts with the states they refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from volition.core.errors import BrokenRecord, InvalidInput, refuse
from volition.core.ledger.reader import Reader
from volition.execution.journal import records
from volition.execution.journal.writer import KIND, LAYOUT
from volition.execution.wire.declared import DeclaredIntents
from volition.execution.wire.intents import NONE_DECLARED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from pathlib import Path

    from volition.arbitration.recorded import RecordedComposite
    from volition.core.ledger.line import Record


class Entry(NamedTuple):
    """A record with its number in the ledger and the run it belongs to."""

    number: int
    run: int
    record: records.JournalRecord


class Transition(Struct, frozen=True):
    """An attempt with what its keys refer to."""

    run: records.RunStart
    connection: records.Connected | None
    state: records.State | None
    attempt: records.Attempt
    next_state: records.State | None


def open_journal(path: str | PathLike[str]) -> Reader:
    """A reader of the ledger at `path`, which must be a journal of a known layout."""
    reader = Reader(path)
    header = reader.header
    if header.kind != KIND or header.meta.get("layout") != LAYOUT:
        refuse(
            f"this is a ledger of the kind {header.kind!r}, layout {header.meta.get('layout')}",
            where=str(path),
            expected=f"a journal, layout {LAYOUT}",
            remedy="name the folder of a journal; `volition ledger show` reads any ledger",
        )
    return reader


def read_journal(path: str | PathLike[str]) -> Iterator[Entry]:
    """Yield every record as its type, each checked against the chain; the journal may still be open for writing."""
    return _read_entries(open_journal(path))


def _read_entries(reader: Reader) -> Iterator[Entry]:
    run = 0
    for record in reader.records():
        typed = _parse(reader.path, record)
        if type(typed) is records.RunStart:
            run = typed.run
        yield Entry(record.seq, run, typed)


def _parse(path: Path, record: Record) -> records.JournalRecord:
    try:
        return records.parse(record.raw)
    except ValueError as error:
        raise BrokenRecord.of(
            f"record {record.seq} is not a record of a journal: {error}",
            where=str(path),
            expected="records as a journal writes them",
            remedy="`volition journal verify` names every such record",
        ) from error


class References:
    """What later records may refer to: the run, its connections, and the states in reach."""

    def __init__(self) -> None:
        self.run = records.RunStart(run=0)
        self.connections: dict[int, records.Connected] = {}
        self.states: records.RecentStates[records.State] = records.RecentStates()
        self.composites: dict[int, RecordedComposite] = {}
        self._declared: dict[int, DeclaredIntents] = {}

    def keep(self, record: records.JournalRecord) -> None:
        """Keep a record that later ones may refer to."""
        if type(record) is records.State:
            self.states.put(record.key, record)
        elif type(record) is records.Connected:
            self.connections[record.connection] = record
        elif type(record) is records.Composed:
            self.composites[record.key] = record.composite
        elif type(record) is records.RunStart:
            self.run = record
            self.connections.clear()
            self.composites.clear()
            self._declared.clear()
            self.states.clear()

    def find_declared(self, connection: int) -> DeclaredIntents:
        """What the executor of a connection had declared; none of it if that cannot be read."""
        known = self.connections.get(connection)
        if known is None or not known.welcome.declares:
            return NONE_DECLARED
        if connection not in self._declared:
            try:
                self._declared[connection] = DeclaredIntents(known.welcome.declares)
            except InvalidInput:
                self._declared[connection] = NONE_DECLARED
        return self._declared[connection]

    def step(self, attempt: records.Attempt) -> Transition:
        """The attempt with what it refers to."""
        return Transition(
            self.run,
            self.connections.get(attempt.connection),
            self._state(attempt.state),
            attempt,
            self._state(attempt.next_state),
        )

    def _state(self, key: records.StateKey | None) -> records.State | None:
        return None if key is None else self.states.get(key)


def read_transitions(path: str | PathLike[str]) -> Iterator[Transition]:
    """Yield every attempt with the states it refers to; memory does not grow with the journal."""
    references = References()
    for _, _, record in read_journal(path):
        references.keep(record)
        if type(record) is records.Attempt:
            yield references.step(record)

"""The journal: every attempt on disk, verbatim, with its label and its reward; written, read, summarised and verified."""

from __future__ import annotations

from volition.execution.journal.entries import Entry, Transition, read_journal, read_transitions
from volition.execution.journal.journal import BodyJournal, Durable, Journal
from volition.execution.journal.records import (
    AskedIntent,
    Attempt,
    Breach,
    Connected,
    End,
    EpisodeReset,
    JournalRecord,
    LateAnswer,
    Lost,
    Noted,
    RunStart,
    State,
    StateKey,
)
from volition.execution.journal.summary import JournalSummary, summarise_journal
from volition.execution.journal.verification import JournalVerification, verify_journal
from volition.execution.journal.writer import KIND, LAYOUT

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # writing
    "Journal", "BodyJournal", "Durable", "KIND", "LAYOUT",
    # reading
    "read_journal", "read_transitions", "Entry", "Transition",
    "JournalRecord", "RunStart", "Connected", "State", "StateKey", "AskedIntent", "Attempt", "EpisodeReset", "LateAnswer", "Breach",
    "Noted", "Lost", "End",
    # judging
    "summarise_journal", "JournalSummary", "verify_journal", "JournalVerification",
]  # fmt: skip

"""The journal: every attempt on disk, verbatim, with its label and its reward; written, read, summarised and verified."""

from __future__ import annotations

from volition.execution.journal.entries import Entry, Transition, read_journal, read_transitions
from volition.execution.journal.journal import BodyJournal, Durable, Journal
from volition.execution.journal.records import (
    Asked,
    AskedIntent,
    Attempt,
    Breached,
    Connection,
    End,
    EpisodeReset,
    JournalRecord,
    LateRecord,
    LostConnection,
    Noted,
    RunStart,
    Sent,
    State,
    StateKey,
)
from volition.execution.journal.summary import JournalSummary, summary
from volition.execution.journal.verification import JournalVerification, verify_journal
from volition.execution.journal.writer import KIND, LAYOUT

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # writing
    "Journal", "BodyJournal", "Durable", "KIND", "LAYOUT",
    # reading
    "read_journal", "read_transitions", "Entry", "Transition",
    "JournalRecord", "RunStart", "Connection", "State", "StateKey", "AskedIntent", "Attempt", "Asked", "Sent", "EpisodeReset", "LateRecord", "Breached", "Noted",
    "LostConnection", "End",
    # judging
    "summary", "JournalSummary", "verify_journal", "JournalVerification",
]  # fmt: skip

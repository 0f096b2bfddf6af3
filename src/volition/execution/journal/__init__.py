"""The journal: every attempt on disk, verbatim, with its label and its reward; written, read, counted and verified."""

from __future__ import annotations

from volition.execution.journal.journal import Journal
from volition.execution.journal.moments import Moment, RunMoments, read_moments
from volition.execution.journal.reading import Entry, Step, read_journal, read_steps
from volition.execution.journal.records import (
    Asked,
    Attempt,
    Breached,
    Connection,
    End,
    JournalRecord,
    Late,
    LostConnection,
    Noted,
    Run,
    Sent,
    State,
    StateKey,
)
from volition.execution.journal.summary import Summary, summary
from volition.execution.journal.verification import JournalVerification, verify_journal
from volition.execution.journal.writer import KIND, LAYOUT

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # writing
    "Journal", "KIND", "LAYOUT",
    # reading
    "read_journal", "read_steps", "Entry", "Step", "read_moments", "RunMoments", "Moment",
    "JournalRecord", "Run", "Connection", "State", "StateKey", "Attempt", "Asked", "Sent", "Late", "Breached", "Noted",
    "LostConnection", "End",
    # judging
    "summary", "Summary", "verify_journal", "JournalVerification",
]  # fmt: skip

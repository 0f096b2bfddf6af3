"""The guard's journal: what was denied, what passed and why, which files changed without a plan. One JSON object on each line.

It is separate from all governance documents, because those never contain a command. Every line carries a hash over itself
and the line before it, so a line that was changed or removed is noticed; cutting off the end is not.
"""

from __future__ import annotations

import os

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple, digest_of, read_json, write_json
from volition.agents.guard.setting import GuardFailure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

FILE: Final = "journal.jsonl"
ORIGIN: Final = "0" * 16
LONGEST: Final = 2000
"""How many characters of a command are kept."""
_TAIL: Final = 65_536


class JournalEntry(LeanTuple):
    """One line: its id, and what it says; `fault` says why it is not what was written."""

    id: str
    data: dict[str, Any]
    fault: str = ""


def append(home: str, data: dict[str, Any]) -> str:
    """Append an entry, and return its id; GuardFailure if that is not possible."""
    import fcntl  # what only reads a journal works where there is none

    try:
        descriptor = os.open(os.path.join(home, FILE), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            tail = os.pread(descriptor, _TAIL, max(0, size - _TAIL))
            torn = b"" if not tail or tail.endswith(b"\n") else b"\n"
            before = _id_of(tail + torn)
            body = write_json({**data, "before": before})
            name = _hash(body)
            line = torn + f'{body[:-1]}, "id": "{name}"}}\n'.encode()
            if os.write(descriptor, line) != len(line):
                raise OSError(0, "no room")
        finally:
            os.close(descriptor)
    except OSError as error:
        raise GuardFailure(f"the guard's journal in {home} cannot be written ({error.strerror})") from None
    return name


def read_journal(home: str) -> Iterator[JournalEntry]:
    """All entries in order; those that are not what was written have a fault."""
    before = ORIGIN
    try:
        with open(os.path.join(home, FILE), "rb") as file:
            for line in file:
                entry = _entry(line, before)
                before = entry.id or before
                yield entry
    except FileNotFoundError:
        return


def _entry(line: bytes, before: str) -> JournalEntry:
    try:
        data = read_json(line)
        name = data.pop("id")
        body = write_json(data)
    except (ValueError, KeyError, AttributeError, TypeError):
        return JournalEntry("", {}, "a line is torn or was changed")
    if not isinstance(name, str) or _hash(body) != name:
        return JournalEntry(str(name), data, "a line was changed")
    return JournalEntry(name, data, "" if data.get("before") == before else "a line before it is missing")


def _id_of(tail: bytes) -> str:
    """The id of the last whole line."""
    for line in reversed(tail.splitlines()):
        try:
            return str(read_json(line)["id"])
        except (ValueError, KeyError, TypeError):
            continue
    return ORIGIN


def _hash(body: str) -> str:
    return digest_of(body, 16)

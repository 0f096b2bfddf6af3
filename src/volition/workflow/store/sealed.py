"""Sealed files: events of a registry with the hash of everything before the last line, so that nothing in them changes unnoticed.

Each line is a JSON object: first what the file is; then, for each project, a checkpoint where its first events are in an archive,
and every event with its hash and signature; and last the seal, with how many events each project has, the hash of the last one,
and a hash over all rows after it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.canonical import canonical
from volition.core.document import parse_json
from volition.core.errors import BrokenRecord, InvalidInput, refuse
from volition.core.folder import replace_file, sync_folder
from volition.core.typed import convert
from volition.workflow.store.rows import CheckpointRow, values_of
from volition.workflow.store.tables import EVENT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sqlalchemy import Row

BACKUP: Final = "volition backup"
ARCHIVE: Final = "volition archive"
VERSION: Final = 1
_COMMANDS: Final = {BACKUP: "volition team backup", ARCHIVE: "volition team archive"}
_COLUMNS: Final = tuple(str(column.name) for column in EVENT.c)


@dataclass(frozen=True, slots=True)
class SealedProject:
    """A project in a sealed file: its name, how many events it has had, the hash of the last one, and a hash over all of its
    rows after it."""

    project: str
    events: int
    head: str
    rows: str

    def to_data(self) -> dict[str, Any]:
        return {"project": self.project, "events": self.events, "head": self.head, "rows": self.rows}


@dataclass(frozen=True, slots=True)
class SealedFile:
    """What a sealed file holds, after its seal was found intact."""

    file: str
    sha256: str
    at: int
    """When it was written, by the clock of the registry."""
    projects: tuple[SealedProject, ...]
    events: dict[str, list[dict[str, Any]]]
    """The rows of the table of events, by project."""
    checkpoints: dict[str, CheckpointRow] = field(default_factory=dict)
    """After what the events begin, where they do not begin with the first one."""


def event_line(row: Row[Any]) -> bytes:
    """A row of the table of events as a line of a sealed file."""
    return _line({name: getattr(row, name) for name in _COLUMNS})


def checkpoint_line(checkpoint: CheckpointRow) -> bytes:
    """A checkpoint as a line of a sealed file."""
    return _line({"checkpoint": values_of(checkpoint)})


def write_sealed(file: Path, head: dict[str, Any], lines: Iterable[bytes], projects: Iterable[SealedProject]) -> str:
    """Write a new file, which is there as a whole and durable, or not at all; its seal."""
    content = b"".join([_line(head | {"version": VERSION}), *lines])
    seal = sha256(content).hexdigest()
    content += _line({"seal": seal, "projects": [each.to_data() for each in projects]})
    refuse_taken(file)
    try:
        replace_file(file, content)
        sync_folder(file.absolute().parent)
    except OSError as error:
        refuse(
            f"it cannot be written: {error.strerror}", where=str(file), expected="a new file in a folder that may be written",
            remedy="choose another place",
        )  # fmt: skip
    return seal


def refuse_taken(file: Path) -> None:
    """Refuse a name under which there is something."""
    if os.path.lexists(file):
        refuse("this name is taken", where=str(file), expected="a new file", remedy="choose another name for it")


def read_sealed(file: Path, form: str) -> SealedFile:
    """Read a sealed file; InvalidInput if it is none of this form, BrokenRecord if it was changed or cut off."""
    noun = form.removeprefix("volition ")
    try:
        lines = file.read_bytes().splitlines(keepends=True)
    except OSError as error:
        refuse(f"it cannot be read: {error.strerror}", where=str(file), expected=f"a file of `{_COMMANDS[form]}`", remedy="check the name")  # fmt: skip
    try:
        first, *middle, last = [parse_json(line, where=f"line {number}") for number, line in enumerate(lines, 1)]
        given = first["format"], first["version"]
    except (InvalidInput, ValueError, KeyError, TypeError):
        given = ("", 0)
    if given[0] != form:
        article = "an" if noun[0] in "aeiou" else "a"
        refuse(f"this is not {article} {noun}", where=str(file), expected=f"a file of `{_COMMANDS[form]}`", remedy="name one")  # fmt: skip
    if given[1] != VERSION:
        refuse(f"its version is {given[1]}", where=str(file), expected=str(VERSION), remedy="use a newer program")
    sealed = sha256(b"".join(lines[:-1])).hexdigest()
    if not isinstance(last, dict) or last.get("seal") != sealed:
        raise _changed_file(file, "its seal does not fit: it was changed, or cut off", f"a seal of {sealed[:16]}...")
    try:
        return _sealed_file(str(file), sealed, first, middle, last)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError):
        raise _changed_file(file, "its lines cannot be read: it was changed", "checkpoints and events") from None


def _sealed_file(
    file: str, seal: str, first: dict[str, Any], middle: list[dict[str, Any]], last: dict[str, Any]
) -> SealedFile:
    events: dict[str, list[dict[str, Any]]] = {name: [] for name in first["projects"]}
    checkpoints = {}
    for line in middle:
        if "checkpoint" in line:
            found = convert(line["checkpoint"], CheckpointRow)
            checkpoints[found.project] = found
        else:
            events[line["project"]].append({name: line[name] for name in _COLUMNS})
    projects = tuple(convert(each, SealedProject) for each in last["projects"])
    if [each.project for each in projects] != list(events) or not checkpoints.keys() <= events.keys():
        raise ValueError
    return SealedFile(file, seal, int(first["at"]), projects, events, checkpoints)


def _changed_file(file: Path, what: str, expected: str) -> BrokenRecord:
    return BrokenRecord.of(what, where=str(file), expected=expected, remedy="take another copy of it")


def _line(data: dict[str, Any]) -> bytes:
    return canonical(data) + b"\n"

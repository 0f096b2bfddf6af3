"""Ledgers to damage, and the line-by-line truth to compare verification with."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from volition.core.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write(folder: Path, records: Iterable[dict[str, Any]], *, segment_bytes: int = 1 << 20, kind: str = "test") -> Path:
    """A closed ledger of these records."""
    with Ledger(folder, kind=kind, durability="close", segment_bytes=segment_bytes) as ledger:
        ledger.append_many(records)
    return folder


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


def plain_chain(folder: Path) -> list[tuple[int, dict[str, Any]]]:
    """The records as a reader without this package would check them: json, hashlib, and the layout's one rule."""
    previous, found = "0" * 64, []
    for path in files(folder):
        for line in path.read_bytes().splitlines(keepends=True):
            data = json.loads(line)
            rest = line[line.index(data["hash"].encode()) + 64 : -1]
            assert data["hash"] == sha256(previous.encode() + rest).hexdigest()
            previous = data["hash"]
            if "body" in data:
                found.append((data["seq"], data["body"]))
    return found


def seq_at(folder: Path, path: Path, line: int) -> int:
    """The first record at or behind a line (from 0) of an intact ledger's segment."""
    seq = 0
    for segment in files(folder):
        for number, raw in enumerate(segment.read_bytes().splitlines()):
            if "body" in json.loads(raw):
                seq += 1
                if segment == path and number == line:
                    return seq
            elif segment == path and number == line:
                return seq + 1
    raise AssertionError

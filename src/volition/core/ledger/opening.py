"""Open a ledger for writing: continue where its last writer stopped, or create it."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Any

import orjson

from volition.core.errors import refuse
from volition.core.folder import DRAFTS, sync_folder
from volition.core.ledger.anchor import CLOSED, read_closed
from volition.core.ledger.fault import FaultKind
from volition.core.ledger.line import GENESIS
from volition.core.ledger.lock import WriterLock
from volition.core.ledger.record import encode
from volition.core.ledger.scan import Scan
from volition.core.ledger.segment import Header, create, name, read_header, seal_header
from volition.core.ledger.tail import Tail, raise_failed
from volition.core.ledger.verify import check_closed

if TYPE_CHECKING:
    from pathlib import Path


def open_tail(folder: Path, kind: str, meta: dict[str, Any] | None) -> Tail:
    """Lock a ledger and open its end; `tail` has the bytes of an unfinished last line, which were cut off.

    A missing ledger is created, and then continued. After a refusal or an error nothing is changed and nothing is locked.
    """
    lock = None
    try:
        _make_folder(folder)
        lock = WriterLock(folder)
        for unfinished in (*folder.glob("[0-9]*.new"), *folder.glob(DRAFTS)):
            unfinished.unlink()
        if not any(folder.glob("[0-9]*.jsonl")):
            header = seal_header(1, seq=0, previous=GENESIS, kind=kind, meta=meta or {})
            (folder / CLOSED).unlink(missing_ok=True)
            os.close(create(folder, 1, header.line))
        return _continue(folder, lock, kind, meta)
    except BaseException as error:
        if lock is not None:
            lock.release()
        if isinstance(error, OSError):
            raise_failed(folder, "the ledger cannot be opened for writing", error)
        raise


def _make_folder(folder: Path) -> None:
    """Create the folder and missing parents, and make their names durable."""
    absent = [parent for parent in folder.parents if not parent.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in (folder, *absent):
        sync_folder(made.parent)


def _continue(folder: Path, lock: WriterLock, kind: str, meta: dict[str, Any] | None) -> Tail:
    scan = Scan(folder)
    deque(scan.records(), maxlen=0)
    _check_same(folder, read_header(folder), kind, meta)
    _reopen(folder, scan)
    descriptor = os.open(folder / name(scan.segment), os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    try:
        if scan.tail:
            os.ftruncate(descriptor, scan.size)
        # The last writer may have died before its records were on disk; they must be before others follow them.
        os.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return Tail(**vars(scan), lock=lock, descriptor=descriptor)


def _reopen(folder: Path, scan: Scan) -> None:
    """Check the recorded end of a closed ledger and remove it: a ledger that was cut is not continued."""
    closed = read_closed(folder)
    if closed is None:
        return
    if scan.tail:
        raise scan.broken_ledger(
            FaultKind.TORN, f"{len(scan.tail)} bytes follow the end at which the ledger was closed"
        )
    check_closed(scan, closed)
    (folder / CLOSED).unlink()
    sync_folder(folder)


def _check_same(folder: Path, header: Header, kind: str, meta: dict[str, Any] | None) -> None:
    if header.kind != kind:
        refuse(
            f"the ledger is of kind {header.kind!r}",
            where=str(folder),
            expected=f"kind {kind!r}",
            remedy="write to another folder, or open it with its own kind",
        )
    if meta is not None and header.meta != orjson.loads(encode(meta, where="meta")):
        refuse(
            f"the ledger was created with other meta: {header.meta!r:.200}",
            where=str(folder),
            expected=f"{meta!r:.200}",
            remedy="write to another folder, or leave meta out to continue the ledger as it is",
        )

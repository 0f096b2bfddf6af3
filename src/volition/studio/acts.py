"""What people did, and what they tried and may not do: answers, approvals and claims in a team's registry; answers, forks,
guests played, and records removed, restored or erased in the studio's folder.

Answers and forks are signed where they are kept, in their records. The log beside them notes who did what here, so that it is
still listed when a record is gone. Refused attempts are kept in a separate file, so that they never displace these.
"""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import Struct

from volition.core.folder import replace_file
from volition.core.typed import decoder

if TYPE_CHECKING:
    from pathlib import Path

    from volition.workflow import Team

LOG: Final = "volition-acts.jsonl"
"""The file in the studio's folder that says who forked, answered and removed what, and who played which guest."""
REFUSED: Final = "volition-refused.jsonl"
"""The file in the studio's folder that says who tried what and may not do it."""
READ_BYTES: Final = 2**20
"""How much of the end of the log is read."""
REFUSED_BYTES: Final = 2**18
"""How large the file of refused attempts gets; then its older half goes."""
NEAR: Final = 60.0
"""Seconds from when something is signed until it is noted, at most: the longest evening is played in less."""
LONGEST: Final = 500
"""How much of a reason is noted."""
ActKind = Literal["answer", "approve", "claim", "fork", "guest", "remove", "restore", "erase"]
KINDS: Final[dict[str, ActKind]] = {
    "answered": "answer",
    "approved": "approve",
    "granted": "claim",
    "waiting": "claim",
    "refused": "claim",
}
"""The events of a registry that are acts of people."""


class ActShape(Struct, frozen=True):
    """One act: who did what, when, about which flow, plan, set of plans or run, and what came of it."""

    who: str
    """The name under which it was done; empty for a fork that nobody signed."""
    what: ActKind
    """What was done."""
    at: float
    """When, in seconds since 1970."""
    about: str
    """The id of the flow, the plan, the set of plans or the record."""
    result: str
    """What came of it: the chosen options, the state of a claim, the new run or evaluation, the guest, or the id in the bin."""
    project: str | None = None
    """The project of the registry; null for what was done in the studio's folder."""
    event: int | None = None
    """The number of the event in the registry."""
    signer: str | None = None
    """The public key that signed it; null where nothing is signed."""
    fault: str | None = None
    """Why it does not count, where its signature does not fit; null where it counts."""
    refused: str | None = None
    """Why it was not done: this person may not do it; null for what was done."""


class ActList(Struct, frozen=True):
    """What people did, and tried, the newest first."""

    acts: list[ActShape]
    """The acts, the newest first."""


class ActLog:
    """Who forked, answered and removed what in the studio's folder, who played which guest, and who tried what and may not do it:
    one line for each act, appended."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / LOG
        self._refused = folder / REFUSED
        self._lock = Lock()

    def add(self, who: str, what: ActKind, about: str, result: str, signer: str | None = None) -> None:
        """Note an act, and the key that signed it."""
        with self._lock:
            _append(self._file, ActShape(who, what, _now(), about, result, signer=signer))

    def add_refused(self, who: str, what: ActKind, about: str, why: str) -> None:
        """Note what somebody tried and may not do; of many such lines the oldest go. Where nothing can be written, the attempt is
        refused all the same."""
        with self._lock, suppress(OSError):
            _append(self._refused, ActShape(who, what, _now(), about[:LONGEST], "refused", refused=why[:LONGEST]))
            if self._refused.stat().st_size > REFUSED_BYTES:
                newest = _read_end(self._refused, REFUSED_BYTES // 2)
                replace_file(self._refused, b"".join(msgspec.json.encode(act) + b"\n" for act in newest))

    def read(self) -> list[ActShape]:
        """The last acts, oldest first; lines that cannot be read are left out."""
        return _read_end(self._file, READ_BYTES)

    def read_refused(self) -> list[ActShape]:
        """The last attempts that were refused, oldest first."""
        return _read_end(self._refused, REFUSED_BYTES)


def registry_acts(team: Team, most: int) -> list[ActShape]:
    """The last acts of people in a project, the newest first."""
    from sqlalchemy import select  # noqa: PLC0415  it is optional

    from volition.workflow.store.events import CLOCK, read_event, select_events  # noqa: PLC0415
    from volition.workflow.store.tables import EVENT  # noqa: PLC0415

    wanted = (
        select(EVENT)
        .where(EVENT.c.project == team.project, EVENT.c.what.in_(KINDS), EVENT.c.actor != CLOCK)
        .order_by(EVENT.c.seq.desc())
        .limit(most)
    )
    with team.store.read() as connection:
        events = [read_event(row) for row in select_events(connection, wanted)]
    return [
        ActShape(
            who=event.actor,
            what=KINDS[event.what],
            at=event.at / 1000,
            about=event.subject,
            result=_result(event.what, event.body),
            project=team.project,
            event=event.seq,
            signer=event.signer,
        )
        for event in events
        # A grant without a document moves up a plan that somebody else registered.
        if event.what != "granted" or "document" in event.body
    ]


def _result(what: str, body: dict[str, Any]) -> str:
    if what == "answered":
        return ", ".join(f"{question}: {option}" for question, option in sorted(body["choices"].items()))
    return f"{what} {body['graph_hash'][:16]}" if what == "approved" else what


def when(signed: float, noted: ActShape | None) -> float:
    """When something was done: as it was signed or, where it was noted at that time, to the millisecond."""
    return noted.at if noted is not None and 0 <= noted.at - signed < NEAR else signed


def _now() -> float:
    return round(time(), 3)


def _append(file: Path, act: ActShape) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "ab") as log:
        log.write(msgspec.json.encode(act) + b"\n")


def _read_end(file: Path, most: int) -> list[ActShape]:
    """The acts in the last bytes of a file."""
    if file.is_symlink() or not file.is_file():
        return []
    with file.open("rb") as log:
        log.seek(max(0, os.fstat(log.fileno()).st_size - most))
        lines = log.read(most).splitlines()
    return [act for line in lines if (act := _read_line(line)) is not None]


def _read_line(line: bytes) -> ActShape | None:
    try:
        return decoder(ActShape).decode(line)
    except msgspec.MsgspecError:
        return None

"""What people did: answers, approvals and claims in a team's registry; forks, answers and guests played in the studio's folder."""

from __future__ import annotations

import os
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import Struct

from volition.core.typed import decoder

if TYPE_CHECKING:
    from pathlib import Path

    from volition.workflow import Team

LOG: Final = "volition-acts.jsonl"
"""The file in the studio's folder that says who forked and answered what, and who played which guest."""
READ_BYTES: Final = 2**20
"""How much of its end is read."""
ActKind = Literal["answer", "approve", "claim", "fork", "guest"]
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
    """The name under which it was done."""
    what: ActKind
    """What was done."""
    at: float
    """When, in seconds since 1970."""
    about: str
    """The id of the flow, the plan, the set of plans or the run."""
    result: str
    """What came of it: the chosen options, the state of a claim, the new run or evaluation, or the guest."""
    project: str | None = None
    """The project of the registry; null for what was done in the studio's folder."""
    event: int | None = None
    """The number of the event in the registry."""
    signer: str | None = None
    """The public key that signed the event; null where nothing is signed."""


class ActList(Struct, frozen=True):
    """What people did, the newest first."""

    acts: list[ActShape]
    """The acts, the newest first."""


class ActLog:
    """Who forked and answered what in the studio's folder, and who played which guest: one line for each act, appended."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / LOG
        self._lock = Lock()

    def add(self, who: str, what: ActKind, about: str, result: str) -> None:
        """Note an act."""
        line = msgspec.json.encode(ActShape(who, what, round(time(), 3), about, result)) + b"\n"
        with self._lock:
            handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "ab") as file:
                file.write(line)

    def read(self) -> list[ActShape]:
        """The last acts, oldest first; lines that cannot be read are left out."""
        if self._file.is_symlink() or not self._file.is_file():
            return []
        with self._file.open("rb") as file:
            file.seek(max(0, self._file.stat().st_size - READ_BYTES))
            lines = file.read().splitlines()
        return [act for line in lines if (act := _read_line(line)) is not None]


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


def _read_line(line: bytes) -> ActShape | None:
    try:
        return decoder(ActShape).decode(line)
    except msgspec.MsgspecError:
        return None

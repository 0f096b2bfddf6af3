"""Whether a checkpoint is what a keeper has signed, and archives end as the `archived` events say: with which hash, rows and seal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, select

from volition.core.document import parse_json
from volition.core.errors import InvalidInput
from volition.workflow.store.checkpoints import memory_rows, rows_digest, text_digest
from volition.workflow.store.tables import EVENT

if TYPE_CHECKING:
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.store.rows import CheckpointRow
    from volition.workflow.verification.replayed import ReplayedRows


class _ArchiveEnd(NamedTuple):
    """What is known of a project after the last event of an archive; the seal only if the file was given."""

    head: str
    rows: str
    seal: str


class ArchiveCheck:
    """Follows where archives end in a replay, and what `archived` events say of them."""

    def __init__(self, rows: ReplayedRows) -> None:
        self._rows = rows
        self._ends: dict[int, _ArchiveEnd] = {}
        self.told: set[int] = set()
        """Where archives end of which an event tells."""

    def mark(self, seq: int, head: str, seal: str) -> None:
        """An archive ends here."""
        self._ends[seq] = _ArchiveEnd(head, rows_digest(memory_rows(self._rows)), seal)

    def fault(self, event: RecordedEvent) -> str:
        """What a lawful event says of an archive that is not so; empty if there is nothing."""
        if event.what != "archived":
            return ""
        body, through = event.body, event.body["through"]
        self.told.add(through)
        end = self._ends.get(through)
        if end is None:
            return f"event {through} is still here" if through > self._rows.began else ""
        if body["head"] != end.head:
            return f"the archive ends with the hash {end.head[:16]}..., and not with {body['head'][:16]}..."
        if body["rows"] != end.rows:
            return f"the rows after event {through} have the hash {end.rows[:16]}..., and not {body['rows'][:16]}..."
        if end.seal and body["seal"] != end.seal:
            return f"the archive has the seal {end.seal[:16]}..., and not {body['seal'][:16]}..."
        return ""


def checkpoint_fault(connection: Connection, checkpoint: CheckpointRow) -> str:
    """Why a checkpoint is not the one that a keeper has signed; empty if it is. Whether that event is lawful, the replay says."""
    wanted = select(EVENT).where(EVENT.c.project == checkpoint.project, EVENT.c.what == "archived")
    if not isinstance(checkpoint.rows, str):
        return f"the checkpoint after event {checkpoint.through} was changed: its rows are no text; expected a text"
    through, found = checkpoint.through, text_digest(checkpoint.rows)
    for row in connection.execute(wanted.order_by(EVENT.c.seq.desc())):
        said = _read_body(row.body)
        if said.get("through") == through:
            if (said.get("head"), said.get("rows")) == (checkpoint.head, found):
                return ""
            told = f"{str(said.get('rows'))[:16]}... by event {row.seq} (archived, by {row.actor})"
            return f"the checkpoint after event {through} was changed: its rows have the hash {found[:16]}...; expected {told}"
    return f"events up to {through} are missing; expected an event that says in which archive they are"


def _read_body(body: object) -> dict[str, Any]:
    try:
        found = parse_json(str(body))
    except InvalidInput:
        return {}
    return found if isinstance(found, dict) else {}

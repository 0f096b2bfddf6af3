"""This studio, the records in its folder and in its bin, and the scenarios that ship."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Response, Router
from litestar.params import FromQuery, QueryParameter
from msgspec import Struct

from volition import __version__
from volition.drama.audience.tension import GENRES
from volition.drama.world.scenario import scenario, scenario_names
from volition.execution.journal.summary import summarise_journal
from volition.studio.bin import RemovedList, RemovedRecord
from volition.studio.bodies import BODY_BYTES
from volition.studio.cases import CELLS
from volition.studio.evenings import ScenarioShape, scenario_shape
from volition.studio.gate import STREAMS
from volition.studio.governing import PLANS, reopen_evaluation
from volition.studio.records import Kind, RecordDetail, RecordList, RecordShape, result_of
from volition.studio.routes.common import Here, Id, delete, get, post, respond_from_pool
from volition.studio.studio import LISTED

PageLimit = Annotated[int, QueryParameter(ge=1, le=LISTED, description="How many records to return at most.")]
PageOffset = Annotated[int, QueryParameter(ge=0, le=10**9, description="How many newer records to skip.")]


class StudioAbout(Struct, frozen=True):
    """This studio: its version, the name of its folder, and its limits."""

    name: str
    """Always `volition`."""
    version: str
    """The version of Volition."""
    folder: str
    """The name of the studio's folder."""
    genres: list[str]
    """The genres that weigh tension."""
    body_bytes: int
    """How many bytes a body may have."""
    decide_cells: int
    """How many cells a case may have."""
    plans: int
    """How many plans are evaluated together."""
    streams: int
    """How many streams may be open at once."""


@get("/about", sync_to_thread=False, summary="This studio")
def read_about(studio: Here) -> StudioAbout:
    return StudioAbout(
        "volition", __version__, studio.store.folder.name, list(GENRES), BODY_BYTES, CELLS, PLANS, STREAMS
    )


@get("/records", sync_to_thread=True, summary="The records in the folder, newest first, page by page")
def list_records(
    studio: Here, kind: FromQuery[Kind | None] = None, limit: PageLimit = LISTED, offset: PageOffset = 0
) -> RecordList:
    return studio.records(kind, limit, offset)


@get("/records/{record_id:str}", sync_to_thread=True, summary="One record with its content")
def read_record(studio: Here, record_id: Id) -> RecordDetail:
    entry = studio.record(record_id)
    if entry.fault is not None or entry.live:
        return RecordDetail(entry)
    stored = studio.store.find(record_id)
    more: dict[str, Any] = {}
    if entry.kind == "journal":
        more["summary"] = summarise_journal(stored.path)
    elif entry.kind == "evaluation":
        more["evaluation"], more["asked"] = reopen_evaluation(stored.path, result_of(stored), studio.inbox.known_keys)
    return RecordDetail(entry, **more)


@post(
    "/records/{record_id:str}/verify",
    status_code=200,
    summary="Check a record: a run is played again, a journal checked against its laws, an evaluation made again",
)
async def verify_record(studio: Here, record_id: Id) -> Response[RecordShape]:
    return await respond_from_pool(studio, lambda: studio.check(record_id))


@delete(
    "/records/{record_id:str}",
    status_code=200,
    sync_to_thread=True,
    summary="Remove a record: it goes to the bin, from which it can be restored",
)
def remove_record(studio: Here, record_id: Id) -> RemovedRecord:
    return studio.remove(record_id)


@get("/removed", sync_to_thread=True, summary="The records in the bin, the last removed first")
def list_removed(studio: Here) -> RemovedList:
    return RemovedList(studio.bin.all())


@post(
    "/removed/{removed_id:str}/restore",
    status_code=200,
    sync_to_thread=True,
    summary="Move a record out of the bin, to where it was; under another id where its name is taken",
)
def restore_record(studio: Here, removed_id: Id) -> RecordShape:
    return studio.restore(removed_id)


@delete("/removed/{removed_id:str}", status_code=200, sync_to_thread=True, summary="Delete a removed record for good")
def erase_record(studio: Here, removed_id: Id) -> RemovedRecord:
    return studio.erase(removed_id)


@get("/scenarios", sync_to_thread=True, summary="The scenarios that ship")
def list_scenarios() -> list[ScenarioShape]:
    return [scenario_shape(scenario(name)) for name in scenario_names()]


handlers = [
    read_about, list_records, read_record, verify_record, remove_record, list_removed, restore_record, erase_record,
    list_scenarios,
]  # fmt: skip
routers = (Router("/", route_handlers=handlers, tags=["records"]),)

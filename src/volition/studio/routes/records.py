"""This studio, the records in its folder, and the scenarios that ship."""
# ruff: noqa: TC002  Litestar reads the annotations

from __future__ import annotations

from typing import Any

from litestar import Response, Router
from litestar.params import FromQuery
from msgspec import Struct

from volition import __version__
from volition.drama.audience.tension import GENRES
from volition.drama.world.scenario import scenario, scenario_names
from volition.execution.journal.summary import summarise_journal
from volition.studio.bodies import BODY_BYTES
from volition.studio.cases import CELLS
from volition.studio.evenings import ScenarioShape, scenario_shape
from volition.studio.gate import STREAMS
from volition.studio.governing import PLANS, reopen_evaluation
from volition.studio.records import Kind, RecordDetail, RecordList, RecordShape, result_of
from volition.studio.routes.common import Here, Id, get, post, respond_from_pool


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


@get("/records", sync_to_thread=True, summary="Every record in the folder, newest first")
def list_records(studio: Here, kind: FromQuery[Kind | None] = None) -> RecordList:
    return studio.records(kind)


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


@get("/scenarios", sync_to_thread=True, summary="The scenarios that ship")
def list_scenarios() -> list[ScenarioShape]:
    return [scenario_shape(scenario(name)) for name in scenario_names()]


routers = (
    Router(
        "/", route_handlers=[read_about, list_records, read_record, verify_record, list_scenarios], tags=["records"]
    ),
)

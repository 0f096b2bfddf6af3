"""Looking around: what this studio is, what lies in its folder, and which scenarios ship."""
# ruff: noqa: TC001, TC002  Litestar reads the annotations

from __future__ import annotations

from typing import Any

from litestar import Response, Router, get, post
from litestar.params import FromQuery
from msgspec import Struct

from volition import __version__
from volition.drama.audience.genres import GENRES
from volition.drama.world.scenario import scenario, scenario_names
from volition.studio.cases import CELLS
from volition.studio.depth import MOST
from volition.studio.evenings import scenario_shape
from volition.studio.gate import LIMIT, STREAMS
from volition.studio.governing import look_again
from volition.studio.records import journal_summary, result_of
from volition.studio.routes.common import REFUSALS, Here, Id, worked
from volition.studio.shapes.evenings import ScenarioShape
from volition.studio.shapes.govern import PLANS
from volition.studio.shapes.records import Kind, Record, RecordDetail, Records


class About(Struct, frozen=True):
    """This studio: its version, the name of the folder it looks at, and its limits."""

    name: str
    version: str
    folder: str
    genres: list[str]
    body_bytes: int
    depth: int
    decide_cells: int
    plans: int
    streams: int


@get("/about", responses=REFUSALS, sync_to_thread=False, summary="This studio")
def about(studio: Here) -> About:
    return About("volition", __version__, studio.shelf.folder.name, list(GENRES), LIMIT, MOST, CELLS, PLANS, STREAMS)


@get("/records", responses=REFUSALS, sync_to_thread=True, summary="Every record in the folder, the newest first")
def records(studio: Here, kind: FromQuery[Kind | None] = None) -> Records:
    return studio.records(kind)


@get("/records/{record_id:str}", responses=REFUSALS, sync_to_thread=True, summary="One record, with what it holds")
def record(studio: Here, record_id: Id) -> RecordDetail:
    found = studio.record(record_id)
    if found.fault is not None or found.live:
        return RecordDetail(found)
    held = studio.shelf.find(record_id)
    more: dict[str, Any] = {}
    if found.kind == "journal":
        more["summary"] = journal_summary(held)
    elif found.kind == "evaluation":
        more["evaluation"], more["asked"] = look_again(held.path, result_of(held))
    return RecordDetail(found, **more)


@post(
    "/records/{record_id:str}/verify",
    responses=REFUSALS,
    status_code=200,
    summary="Check a record: a run is played again, a journal held against its laws, an evaluation made again",
)
async def verify(studio: Here, record_id: Id) -> Response[Record]:
    return await worked(studio, lambda: studio.check(record_id))


@get("/scenarios", responses=REFUSALS, sync_to_thread=True, summary="The scenarios that ship")
def scenarios() -> list[ScenarioShape]:
    return [scenario_shape(scenario(name)) for name in scenario_names()]


router = Router("/", route_handlers=[about, records, record, verify, scenarios], tags=["records"])

"""Looking around: what this studio is, what lies in its folder, and which scenarios ship."""
# ruff: noqa: TC001, TC002  Litestar reads the annotations

from __future__ import annotations

from typing import Any

from litestar import Router, get, post
from litestar.params import FromQuery
from msgspec import Struct

from volition import __version__
from volition.drama.audience.genres import GENRES
from volition.drama.world.scenario import scenario, scenario_names
from volition.studio.depth import MOST
from volition.studio.evenings import scenario_shape
from volition.studio.gate import LIMIT
from volition.studio.governing import look_again
from volition.studio.records import journal_summary, result_of
from volition.studio.routes.common import REFUSALS, Here, Id
from volition.studio.shapes.evenings import ScenarioShape
from volition.studio.shapes.records import Kind, Record, RecordDetail, Records


class About(Struct, frozen=True):
    """This studio: its version, the folder it looks at, and what it can do."""

    name: str
    version: str
    folder: str
    genres: list[str]
    body_bytes: int
    depth: int


@get("/about", responses=REFUSALS, sync_to_thread=False, summary="This studio")
def about(studio: Here) -> About:
    return About("volition", __version__, str(studio.shelf.folder), list(GENRES), LIMIT, MOST)


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
    sync_to_thread=True,
    summary="Check a record: a run is played again, a journal is held against its laws",
)
def verify(studio: Here, record_id: Id) -> Record:
    return studio.check(record_id)


@get("/scenarios", responses=REFUSALS, sync_to_thread=True, summary="The scenarios that ship")
def scenarios() -> list[ScenarioShape]:
    return [scenario_shape(scenario(name)) for name in scenario_names()]


router = Router("/", route_handlers=[about, records, record, verify, scenarios], tags=["records"])

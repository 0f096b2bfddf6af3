"""Ensembles: what was swept, distributions, groups, the doctor, and each of their evenings."""
# ruff: noqa: TC001, TC002  Litestar reads the annotations

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Request, Response, Router
from litestar.params import FromQuery, JSONBody, QueryParameter
from litestar.response import ServerSentEvent

from volition.core.errors import refuse
from volition.drama.ensemble.figures import Figures, PointComparison
from volition.studio.background import Started
from volition.studio.ensembles import Cells, DoctorFindings, EnsembleShape, Means
from volition.studio.records import RecordShape
from volition.studio.routes.common import (
    Here,
    Id,
    Number,
    get,
    post,
    respond_from_pool,
    stream_end,
    stream_feed,
    stream_of,
)
from volition.studio.routes.evenings import After
from volition.studio.sweeps import SweepAsked, SweepEnd, SweepProgress

EVENTS = stream_of(
    SweepProgress | SweepEnd,
    "Server-sent events: `progress` (SweepProgress) now and then, and `end` (SweepEnd) as the last.",
)
Columns = Annotated[str, QueryParameter(max_length=8000, description="Names of columns, separated by commas.")]


@post("/ensembles", sync_to_thread=True, summary="Play many evenings over seeds and settings, in the background")
def start_ensemble(studio: Here, data: JSONBody[SweepAsked]) -> Started:
    job = studio.begin_sweep(data)
    return Started(job.id, f"/api/v1/ensembles/{job.id}/live")


@get(
    "/ensembles/{ensemble_id:str}/live",
    responses=EVENTS,
    sync_to_thread=False,
    summary="An ensemble as it is played, as events",
)
def follow_ensemble(
    studio: Here, request: Request[Any, Any, Any], ensemble_id: Id, after: After = 0
) -> ServerSentEvent:
    job = studio.sweeps.get(ensemble_id)
    if job is None:
        return stream_end(msgspec.json.encode(SweepEnd("not live")))
    return stream_feed(request, job.feed, after)


@post("/ensembles/{ensemble_id:str}/stop", status_code=200, sync_to_thread=True, summary="Stop an ensemble")
def stop_ensemble(studio: Here, ensemble_id: Id) -> RecordShape:
    return studio.stop_sweep(ensemble_id)


@post("/ensembles/{ensemble_id:str}/resume", sync_to_thread=True, summary="Go on with an ensemble that was stopped")
def resume_ensemble(studio: Here, ensemble_id: Id) -> Started:
    job = studio.resume_sweep(ensemble_id)
    return Started(job.id, f"/api/v1/ensembles/{job.id}/live")


@get("/ensembles/{ensemble_id:str}", summary="An ensemble and its figures")
async def read_ensemble(studio: Here, ensemble_id: Id) -> Response[EnsembleShape]:
    return await respond_from_pool(studio, lambda: studio.ensembles.find(ensemble_id, newest=True).shape())


@get(
    "/ensembles/{ensemble_id:str}/figures",
    summary="Every number with its interval, of all evenings, by the values of a column, or of one point",
)
async def read_figures(
    studio: Here, ensemble_id: Id, by: FromQuery[str | None] = None, point: FromQuery[int | None] = None
) -> Response[list[Figures]]:
    if point is None:
        return await respond_from_pool(studio, lambda: studio.ensembles.find(ensemble_id).figures(by))
    if by is not None:
        refuse("by and point exclude each other", where="by, point", expected="one of them", remedy="leave one out")
    return await respond_from_pool(studio, lambda: studio.ensembles.find(ensemble_id).figures_at(point))


@get(
    "/ensembles/{ensemble_id:str}/compare",
    summary="Two points side by side: every mean of both, those whose intervals do not overlap first",
)
async def compare_points(
    studio: Here, ensemble_id: Id, first: FromQuery[int], second: FromQuery[int]
) -> Response[PointComparison]:
    return await respond_from_pool(studio, lambda: studio.ensembles.find(ensemble_id).compare(first, second))


@get(
    "/ensembles/{ensemble_id:str}/means",
    summary="Means over some settings, or for each point; other settings are averaged over",
)
async def read_means(studio: Here, ensemble_id: Id, columns: Columns, by: Columns) -> Response[Means]:
    return await respond_from_pool(
        studio, lambda: studio.ensembles.find(ensemble_id).means(columns.split(","), by.split(","))
    )


@get(
    "/ensembles/{ensemble_id:str}/cells",
    summary="Columns of the table, of all rows or those of a point, for distributions",
)
async def read_cells(
    studio: Here, ensemble_id: Id, columns: Columns, point: FromQuery[int | None] = None
) -> Response[Cells]:
    return await respond_from_pool(studio, lambda: studio.ensembles.find(ensemble_id).cells(columns.split(","), point))


@get("/ensembles/{ensemble_id:str}/doctor", summary="What the doctor finds in the evenings of one point")
async def examine_point(studio: Here, ensemble_id: Id, point: FromQuery[int] = 0) -> Response[DoctorFindings]:
    return await respond_from_pool(studio, lambda: studio.ensembles.find(ensemble_id).findings(point))


@post(
    "/ensembles/{ensemble_id:str}/evenings/{row:int}",
    summary="Play one of its evenings again, and record it as a run",
)
async def play_row(studio: Here, ensemble_id: Id, row: Number) -> Response[Started]:
    return await respond_from_pool(studio, lambda: studio.ensembles.find(ensemble_id).record(row, studio.store))


routers = (
    Router(
        "/",
        route_handlers=[
            start_ensemble,
            follow_ensemble,
            stop_ensemble,
            resume_ensemble,
            read_ensemble,
            read_figures,
            compare_points,
            read_means,
            read_cells,
            examine_point,
            play_row,
        ],
        tags=["ensembles"],
    ),
)

"""Ensembles: what was swept, distributions, groups, the doctor, and any of their evenings."""
# ruff: noqa: TC001  Litestar reads the annotations

from __future__ import annotations

from typing import Annotated

from litestar import Router, get, post
from litestar.params import FromQuery, QueryParameter

from volition.studio.routes.common import REFUSALS, Here, Id, Number
from volition.studio.shapes.ensembles import Cells, EnsembleShape, FiguresShape, Findings
from volition.studio.shapes.plays import Started

Columns = Annotated[str, QueryParameter(max_length=2000, description="Names of columns, with commas between.")]


@get("/ensembles/{ensemble_id:str}", responses=REFUSALS, sync_to_thread=True, summary="An ensemble and its figures")
def ensemble(studio: Here, ensemble_id: Id) -> EnsembleShape:
    return studio.ensemble(ensemble_id).shape()


@get(
    "/ensembles/{ensemble_id:str}/figures",
    responses=REFUSALS,
    sync_to_thread=True,
    summary="Every number with its interval, of all evenings or by the values of a column",
)
def figures(studio: Here, ensemble_id: Id, by: FromQuery[str | None] = None) -> list[FiguresShape]:
    return studio.ensemble(ensemble_id).figures(by)


@get(
    "/ensembles/{ensemble_id:str}/cells",
    responses=REFUSALS,
    sync_to_thread=True,
    summary="Columns of the table, for distributions and heat maps",
)
def cells(studio: Here, ensemble_id: Id, columns: Columns) -> Cells:
    return studio.ensemble(ensemble_id).cells(columns.split(","))


@get(
    "/ensembles/{ensemble_id:str}/doctor",
    responses=REFUSALS,
    sync_to_thread=True,
    summary="What the doctor says of the evenings of one point",
)
def doctor(studio: Here, ensemble_id: Id, point: FromQuery[int] = 0) -> Findings:
    return studio.ensemble(ensemble_id).findings(point)


@post(
    "/ensembles/{ensemble_id:str}/evenings/{row:int}",
    responses=REFUSALS,
    sync_to_thread=True,
    summary="Play one of its evenings again, and record it as a run",
)
def evening(studio: Here, ensemble_id: Id, row: Number) -> Started:
    return studio.ensemble(ensemble_id).record(row, studio.shelf)


router = Router("/", route_handlers=[ensemble, figures, cells, doctor, evening], tags=["ensembles"])

"""Drives: begun, followed, asked why, and stopped; and journals, the records of drives, scrubbed through."""
# ruff: noqa: TC001, TC002  Litestar reads the annotations

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response, Router
from litestar.params import JSONBody, QueryParameter
from litestar.response import ServerSentEvent
from msgspec import Struct

from volition.studio.background import Started
from volition.studio.decisions import DecisionShape, WhatIfAsked, WhatIfShape, decision_shape, what_if_shape
from volition.studio.drives import DriveAsked, DriveShape, DriveStep, LatencyShape, MapShape, shipped_maps
from volition.studio.journals import JournalMoments, JournalShape
from volition.studio.routes.common import Here, Id, Number, get, post, respond_from_pool, stream_feed, stream_of
from volition.studio.routes.evenings import After

EVENTS = stream_of(
    DriveStep | LatencyShape | DriveShape,
    "Server-sent events: `step` (DriveStep) for each step, `latency` (LatencyShape) now and then, and `end` (DriveShape).",
)
LARGEST = 2**53 - 1
RunNumber = Annotated[int, QueryParameter(ge=1, le=LARGEST, description="Which run of the journal.")]
AfterMoment = Annotated[
    int, QueryParameter(ge=0, le=LARGEST, description="The number of the last moment already received.")
]
Whose = Annotated[str, QueryParameter(max_length=200, description="Whose step, in the journal of a fleet.")]
Most = Annotated[int, QueryParameter(ge=1, le=1000, description="How many moments to return.")]


class StepDecided(Struct, frozen=True):
    """The decision of one step."""

    drive: str
    """The id of the drive."""
    step: int
    """The number of the step."""
    tick: int | None
    """The tick of the arena; null where the decision names no state."""
    decision: DecisionShape
    """The decision."""


class JournalStepDecided(Struct, frozen=True):
    """The decision of one step of a journal."""

    journal: str
    """The id of the journal."""
    run: int
    """The number of the run."""
    step: int
    """The number of the decision."""
    tick: int | None
    """The tick of the arena; null where the decision names no state."""
    decision: DecisionShape
    """The decision."""


@get("/maps", sync_to_thread=True, summary="The arena's maps")
def list_maps() -> list[MapShape]:
    return shipped_maps()


@get("/drives", sync_to_thread=False, summary="The drives of this studio, newest last")
def list_drives(studio: Here) -> list[DriveShape]:
    return [job.shape() for job in studio.drives.all()]


@post("/drives", sync_to_thread=True, summary="Begin a drive through the arena")
def start_drive(studio: Here, data: JSONBody[DriveAsked]) -> Started:
    job = studio.drive(data)
    return Started(job.id, f"/api/v1/drives/{job.id}/live")


@get("/drives/{drive_id:str}", sync_to_thread=False, summary="A drive so far")
def read_drive(studio: Here, drive_id: Id) -> DriveShape:
    return studio.drives.find(drive_id).shape()


@get("/drives/{drive_id:str}/live", responses=EVENTS, sync_to_thread=False, summary="A drive as it goes on, as events")
def follow_drive(studio: Here, request: Request[Any, Any, Any], drive_id: Id, after: After = 0) -> ServerSentEvent:
    return stream_feed(request, studio.drives.find(drive_id).feed, after)


@post("/drives/{drive_id:str}/stop", status_code=200, sync_to_thread=False, summary="Stop a drive")
def stop_drive(studio: Here, drive_id: Id) -> DriveShape:
    job = studio.drives.find(drive_id)
    job.stop()
    return job.shape()


@get("/drives/{drive_id:str}/decisions/{step:int}", summary="Why a step was taken")
async def read_step(studio: Here, drive_id: Id, step: Number) -> Response[StepDecided]:
    drive = studio.drives.find(drive_id)

    def work() -> StepDecided:
        tick, decision = drive.decision_at(step)
        return StepDecided(drive_id, step, tick, decision_shape(decision))

    return await respond_from_pool(studio, work)


@post(
    "/drives/{drive_id:str}/decisions/{step:int}/what-if",
    status_code=200,
    summary="The same decision with other weights",
)
async def ask_step_what_if(
    studio: Here, drive_id: Id, step: Number, data: JSONBody[WhatIfAsked]
) -> Response[WhatIfShape]:
    drive = studio.drives.find(drive_id)
    return await respond_from_pool(studio, lambda: what_if_shape(drive.decision_at(step)[1], data))


@get("/journals/{record_id:str}", sync_to_thread=True, summary="A journal and its runs")
def read_journal(studio: Here, record_id: Id) -> JournalShape:
    record = studio.record(record_id)
    return studio.journal(record_id).shape(live=record.live, intact=record.intact)


@get(
    "/journals/{record_id:str}/moments",
    sync_to_thread=True,
    summary="What was seen and done in a run of a journal, moment by moment",
)
def list_moments(
    studio: Here, record_id: Id, run: RunNumber = 1, after: AfterMoment = 0, most: Most = 500
) -> JournalMoments:
    return studio.journal(record_id).moments(run, after, most)


@get("/journals/{record_id:str}/decisions/{step:int}", summary="Why a recorded step was taken")
async def read_recorded_step(
    studio: Here, record_id: Id, step: Number, run: RunNumber = 1, whose: Whose = ""
) -> Response[JournalStepDecided]:
    def work() -> JournalStepDecided:
        tick, decision = studio.journal(record_id).decision(run, step, whose)
        return JournalStepDecided(record_id, run, step, tick, decision_shape(decision))

    return await respond_from_pool(studio, work)


@post(
    "/journals/{record_id:str}/decisions/{step:int}/what-if",
    status_code=200,
    summary="The same recorded decision with other weights",
)
async def ask_recorded_step_what_if(
    studio: Here, record_id: Id, step: Number, data: JSONBody[WhatIfAsked], run: RunNumber = 1, whose: Whose = ""
) -> Response[WhatIfShape]:
    def work() -> WhatIfShape:
        return what_if_shape(studio.journal(record_id).decision(run, step, whose)[1], data)

    return await respond_from_pool(studio, work)


routers = (
    Router(
        "/",
        route_handlers=[
            list_maps,
            list_drives,
            start_drive,
            read_drive,
            follow_drive,
            stop_drive,
            read_step,
            ask_step_what_if,
        ],
        tags=["drives"],
    ),
    Router(
        "/",
        route_handlers=[read_journal, list_moments, read_recorded_step, ask_recorded_step_what_if],
        tags=["journals"],
    ),
)

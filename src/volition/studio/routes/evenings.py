"""Evenings: played, followed, explained, forked and exported."""
# ruff: noqa: TC001, TC002  Litestar reads the annotations

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
from litestar import MediaType, Request, Response, Router
from litestar.params import FromQuery, JSONBody, QueryParameter
from litestar.response import ServerSentEvent

from volition.core.errors import refuse
from volition.drama.audience.timeline import Lived, TickShape
from volition.studio.audience import Audience
from volition.studio.background import Started
from volition.studio.decisions import WhatIfAsked, WhatIfShape
from volition.studio.evenings import Chosen, EveningShape
from volition.studio.export import ExportBundle, Which, bundle, page
from volition.studio.mattering import Mattered
from volition.studio.plays import ComparisonShape, ForkAsked, Forked, LiveEnd, PlayAsked, compare
from volition.studio.records import RecordShape
from volition.studio.routes.common import (
    Here,
    Id,
    Number,
    get,
    json_response,
    post,
    respond_from_pool,
    stream_end,
    stream_feed,
    stream_from_start,
    stream_of,
)

STATIC = Path(__file__).parents[1] / "static"
EVENTS = stream_of(
    Lived | LiveEnd, "Server-sent events: `tick` (Lived) for each tick, and `end` (LiveEnd) as the last."
)
MATTERING = stream_of(
    Mattered, "Server-sent events: `progress` (Mattered) after each act, and `end` (Mattered) as the last."
)
After = Annotated[int, QueryParameter(ge=0, le=2**53 - 1, description="The number of the last item already received.")]

Other = Annotated[str, QueryParameter(min_length=1, max_length=120, description="The id of the other run.")]


@post("/play", sync_to_thread=True, summary="Play an evening and record it, in the background")
def play_evening(studio: Here, data: JSONBody[PlayAsked]) -> Started:
    job = studio.play(data)
    return Started(job.id, f"/api/v1/runs/{job.id}/live")


@get("/runs/{run_id:str}", sync_to_thread=True, summary="An evening without the states of its ticks")
def read_run(studio: Here, run_id: Id) -> Response[EveningShape]:
    return json_response(studio.evening(run_id).shape_json)


@get("/runs/{run_id:str}/live", responses=EVENTS, sync_to_thread=True, summary="An evening as it goes on, as events")
def follow_run(studio: Here, request: Request[Any, Any, Any], run_id: Id, after: After = 0) -> ServerSentEvent:
    feed = studio.feed(run_id)
    if feed is None:
        return stream_end(msgspec.json.encode(LiveEnd("not live")))
    return stream_feed(request, feed, after)


@post("/runs/{run_id:str}/stop", status_code=200, sync_to_thread=True, summary="Stop an evening")
def stop_run(studio: Here, run_id: Id) -> RecordShape:
    return studio.stop(run_id)


@get("/runs/{run_id:str}/ticks", sync_to_thread=True, summary="Every tick, without bonds")
def list_ticks(studio: Here, run_id: Id) -> Response[list[TickShape]]:
    return json_response(studio.evening(run_id).ticks_json)


@get("/runs/{run_id:str}/ticks/{number:int}", sync_to_thread=True, summary="One tick, with bonds")
def read_tick(studio: Here, run_id: Id, number: Number) -> TickShape:
    shown = studio.evening(run_id)
    first, last = shown.evening.first, shown.evening.first + len(shown.ticks) - 1
    if not first <= number <= last:
        refuse(
            f"the run has no tick {number}"[:200],
            where="the address",
            expected=f"a tick from {first} to {last}",
            remedy="ask for one of them",
        )
    return shown.ticks[number - first]


@get("/runs/{run_id:str}/audience", summary="Tension, scenes and arcs by genre")
async def read_audience(studio: Here, run_id: Id, genre: FromQuery[str] = "default") -> Response[Audience]:
    return await respond_from_pool(studio, lambda: studio.evening(run_id).audience(genre))


@get("/runs/{run_id:str}/significance", sync_to_thread=True, summary="Which acts mattered most, as far as it is known")
def read_significance(studio: Here, run_id: Id) -> Mattered:
    return studio.significance(run_id)


@get(
    "/runs/{run_id:str}/significance/live",
    responses=MATTERING,
    sync_to_thread=True,
    summary="How far it is found out which acts mattered, as events; it goes on while somebody follows",
)
def follow_significance(studio: Here, run_id: Id) -> ServerSentEvent:
    followed = studio.follow_significance(run_id)
    return stream_end(msgspec.json.encode(followed)) if isinstance(followed, Mattered) else stream_from_start(followed)


@get("/runs/{run_id:str}/comparison", summary="What is different in another run")
async def compare_runs(studio: Here, run_id: Id, other: Other) -> Response[ComparisonShape]:
    return await respond_from_pool(studio, lambda: compare(studio.evening(run_id), studio.evening(other)))


@get("/runs/{run_id:str}/decisions/{number:int}/{agent:str}", summary="What somebody decided at a tick, and why")
async def read_decision(studio: Here, run_id: Id, number: Number, agent: Id) -> Response[Chosen]:
    return await respond_from_pool(studio, lambda: studio.evening(run_id).choice(number, agent))


@post(
    "/runs/{run_id:str}/decisions/{number:int}/{agent:str}/what-if",
    status_code=200,
    summary="The same decision with other weights",
)
async def ask_what_if(
    studio: Here, run_id: Id, number: Number, agent: Id, data: JSONBody[WhatIfAsked]
) -> Response[WhatIfShape]:
    return await respond_from_pool(studio, lambda: studio.evening(run_id).what_if(number, agent, data))


@post("/runs/{run_id:str}/forks", summary="Fork an evening, and compare the branch")
async def fork_run(studio: Here, run_id: Id, data: JSONBody[ForkAsked]) -> Response[Forked]:
    return await respond_from_pool(studio, lambda: studio.fork(run_id, data))


@get("/runs/{run_id:str}/bundle", summary="A run as one document")
async def read_bundle(studio: Here, run_id: Id, decisions: FromQuery[Which] = "dramatic") -> Response[ExportBundle]:
    return await respond_from_pool(studio, lambda: bundle(studio.evening(run_id), decisions))


@get(
    "/runs/{run_id:str}/export.html",
    media_type=MediaType.HTML,
    summary="A run as one file that opens without a server",
)
async def export_run(studio: Here, run_id: Id, decisions: FromQuery[Which] = "dramatic") -> Response[bytes]:
    content = await studio.tasks.run(lambda: page(STATIC, bundle(studio.evening(run_id), decisions)))
    headers = {"content-disposition": f'attachment; filename="{studio.store.find(run_id).id}.html"'}
    return Response(content, media_type=MediaType.HTML, headers=headers)


routers = (
    Router(
        "/",
        route_handlers=[
            play_evening,
            read_run,
            follow_run,
            stop_run,
            list_ticks,
            read_tick,
            read_audience,
            read_significance,
            follow_significance,
            compare_runs,
            read_decision,
            ask_what_if,
            fork_run,
            read_bundle,
            export_run,
        ],
        tags=["evenings"],
    ),
)

"""A team's registry: who works on what, and what waits for a person."""
# ruff: noqa: TC001  Litestar reads the annotations

from __future__ import annotations

from typing import Annotated

from litestar import Router
from litestar.params import JSONBody, QueryParameter

from volition.studio.routes.common import Here, Id, get, post
from volition.studio.shapes.team import TeamAnswer, TeamFlow, TeamShape

ProjectName = Annotated[str | None, QueryParameter(max_length=128, description="The project; the first if not given.")]


@get("/team", sync_to_thread=True, summary="The team's registry: plans, flows and open questions")
def team(studio: Here, project: ProjectName = None) -> TeamShape:
    return studio.team(project)


@post(
    "/team/flows/{flow_id:str}/answer",
    status_code=200,
    sync_to_thread=True,
    summary="A person's answer to the questions of a flow, bound to the pack that was shown",
)
def answer(studio: Here, flow_id: Id, data: JSONBody[TeamAnswer]) -> TeamFlow:
    return studio.answer_flow(flow_id, data)


router = Router("/", route_handlers=[team, answer], tags=["team"])

"""Documents that a page sends: a case to decide, plans to evaluate together, and a person's answer to a team."""
# ruff: noqa: TC001  Litestar reads the annotations

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
from litestar import Response, Router
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIType, Operation, RequestBody, Schema
from litestar.params import JSONBody, QueryParameter, RawBody

from volition.core.errors import refuse
from volition.core.typed import decoder
from volition.studio.acts import ActList
from volition.studio.cases import CELLS, INTENTIONS, CaseAsked, CaseDecided, decide_case
from volition.studio.governing import (
    MOST_ROUNDS,
    PLANS,
    EvaluationShape,
    GovernAsked,
    GovernSample,
    sample_sets,
)
from volition.studio.openapi import class_text, field_texts
from volition.studio.routes.common import Here, Id, get, post, respond_from_pool
from volition.studio.team_shapes import TeamAnswer, TeamApproval, TeamClaim, TeamClaimed, TeamFlow, TeamShape

ProjectName = Annotated[str | None, QueryParameter(max_length=128, description="The project; the first if not given.")]
MostActs = Annotated[int, QueryParameter(ge=1, le=1000, description="How many acts to return.")]
_requests: Final = decoder(GovernAsked)
_object: Final = Schema(type=OpenAPIType.OBJECT)


@post(
    "/decide",
    status_code=200,
    summary="Decide a case, and explain the decision",
    description=f"At most {CELLS} cells (candidates times intentions) and {INTENTIONS} intentions. Larger cases are answered "
    "with 413. "
    "Python code that a document names is never imported.",
)
async def decide(studio: Here, data: JSONBody[CaseAsked]) -> Response[CaseDecided]:
    return await respond_from_pool(studio, lambda: decide_case(data))


def _part(type: Any, description: str, **more: Any) -> Schema:
    return Schema(type=type, description=description, **more)


@dataclass
class GovernOperation(Operation):
    """The body is described by hand: documents are read as the bytes that were sent, which types cannot express."""

    def __post_init__(self) -> None:
        texts = field_texts(GovernAsked)
        words = Schema(type=OpenAPIType.OBJECT, additional_properties=Schema(type=OpenAPIType.STRING))
        shape = Schema(
            type=OpenAPIType.OBJECT,
            title="GovernAsked",
            description=class_text(GovernAsked),
            required=["set", "intents"],
            additional_properties=False,
            properties={
                "set": _part(OpenAPIType.OBJECT, texts.get("set", "")),
                "intents": _part(
                    OpenAPIType.ARRAY, f"{texts.get('intents', '')} At most {PLANS} of them.", items=_object
                ),
                "policy": _part([OpenAPIType.STRING, OpenAPIType.NULL], texts.get("policy", "")),
                "answers": _part(OpenAPIType.ARRAY, texts.get("answers", ""), items=_object, max_items=MOST_ROUNDS),
                "choices": _part(OpenAPIType.ARRAY, texts.get("choices", ""), items=words, max_items=MOST_ROUNDS),
                "limit": _part(OpenAPIType.BOOLEAN, texts.get("limit", "")),
                "save": _part(OpenAPIType.BOOLEAN, texts.get("save", "")),
                "graph": _part(OpenAPIType.BOOLEAN, texts.get("graph", "")),
                "contested": _part(OpenAPIType.BOOLEAN, texts.get("contested", "")),
            },
        )
        self.request_body = RequestBody({"application/json": OpenAPIMediaType(schema=shape)}, required=True)


@post(
    "/govern",
    status_code=200,
    operation_class=GovernOperation,
    summary="Evaluate an intent set; with choices, answer its questions",
)
async def evaluate_plans(studio: Here, body: RawBody) -> Response[EvaluationShape]:
    return await respond_from_pool(studio, lambda: studio.evaluate(_read(body)))


@get("/govern/samples", sync_to_thread=True, summary="Small sets that demonstrate conflicts")
def list_samples() -> list[GovernSample]:
    return sample_sets()


def _read(body: RawBody) -> GovernAsked:
    try:
        return _requests.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        refuse(
            f"the body does not fit: {error}"[:300],
            where="the body",
            expected="a set and its intents, as the API's types say",
            remedy="see /api/v1/openapi.json",
        )


@get("/team", sync_to_thread=True, summary="The team's registry: plans, flows and open questions")
def read_team(studio: Here, project: ProjectName = None) -> TeamShape:
    return studio.team.show(project)


@post(
    "/team/flows/{flow_id:str}/answer",
    status_code=200,
    sync_to_thread=True,
    summary="A person's answer to the questions of a flow, bound to the pack that was shown",
)
def answer_flow(studio: Here, flow_id: Id, data: JSONBody[TeamAnswer]) -> TeamFlow:
    return studio.answer_flow(flow_id, data)


@post(
    "/team/flows/{flow_id:str}/approve",
    status_code=200,
    sync_to_thread=True,
    summary="Permit what a flow shows, bound to the hash that was shown",
)
def approve_flow(studio: Here, flow_id: Id, data: JSONBody[TeamApproval]) -> TeamFlow:
    return studio.approve_flow(flow_id, data)


@post("/team/plans", status_code=200, sync_to_thread=True, summary="Register a plan, which claims what it is about")
def claim_plan(studio: Here, data: JSONBody[TeamClaim]) -> TeamClaimed:
    return studio.claim(data)


@get("/acts", sync_to_thread=True, summary="Who answered, approved, claimed and forked what, the newest first")
def list_acts(studio: Here, project: ProjectName = None, most: MostActs = 100) -> ActList:
    return studio.acts(project, most)


routers = (
    Router("/", route_handlers=[decide], tags=["decisions"]),
    Router("/", route_handlers=[evaluate_plans, list_samples], tags=["govern"]),
    Router("/", route_handlers=[read_team, answer_flow, approve_flow, claim_plan, list_acts], tags=["team"]),
)

"""Documents that a page sends: a case to decide, plans to evaluate together, and a person's answer to a team."""
# ruff: noqa: TC001  Litestar reads the annotations

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

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
    evaluate_set,
    sample_sets,
)
from volition.studio.routes.common import Here, Id, get, post, respond_from_pool
from volition.studio.team import TeamAnswer, TeamApproval, TeamClaim, TeamClaimed, TeamFlow, TeamShape

ProjectName = Annotated[str | None, QueryParameter(max_length=128, description="The project; the first if not given.")]
MostActs = Annotated[int, QueryParameter(ge=1, le=1000, description="How many acts to return.")]
_requests: Final = decoder(GovernAsked)
_object: Final = Schema(type=OpenAPIType.OBJECT)
_flag: Final = Schema(type=OpenAPIType.BOOLEAN)


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


@dataclass
class GovernOperation(Operation):
    """The body is described by hand: documents are read as the bytes that were sent, which types cannot express."""

    def __post_init__(self) -> None:
        words = Schema(type=OpenAPIType.OBJECT, additional_properties=Schema(type=OpenAPIType.STRING))
        shape = Schema(
            type=OpenAPIType.OBJECT,
            title="GovernAsked",
            description=GovernAsked.__doc__,
            required=["set", "intents"],
            additional_properties=False,
            properties={
                "set": _object,
                "intents": Schema(type=OpenAPIType.ARRAY, items=_object, description=f"At most {PLANS} of them."),
                "policy": Schema(type=[OpenAPIType.STRING, OpenAPIType.NULL]),
                "answers": Schema(type=OpenAPIType.ARRAY, items=_object, max_items=MOST_ROUNDS),
                "choices": Schema(type=OpenAPIType.ARRAY, items=words, max_items=MOST_ROUNDS),
                "limit": _flag,
                "save": _flag,
                "graph": _flag,
            },
        )
        self.request_body = RequestBody({"application/json": OpenAPIMediaType(schema=shape)}, required=True)


@post(
    "/govern",
    status_code=200,
    operation_class=GovernOperation,
    summary="Evaluate an intent set; with choices, answer its questions",
)
async def govern(studio: Here, body: RawBody) -> Response[EvaluationShape]:
    return await respond_from_pool(studio, lambda: evaluate_set(_read(body), studio.store))


@get("/govern/samples", sync_to_thread=True, summary="Small sets that demonstrate conflicts")
def govern_samples() -> list[GovernSample]:
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
def team(studio: Here, project: ProjectName = None) -> TeamShape:
    return studio.team.show(project)


@post(
    "/team/flows/{flow_id:str}/answer",
    status_code=200,
    sync_to_thread=True,
    summary="A person's answer to the questions of a flow, bound to the pack that was shown",
)
def answer(studio: Here, flow_id: Id, data: JSONBody[TeamAnswer]) -> TeamFlow:
    return studio.team.answer(flow_id, data)


@post(
    "/team/flows/{flow_id:str}/approve",
    status_code=200,
    sync_to_thread=True,
    summary="Permit what a flow shows, bound to the hash that was shown",
)
def approve(studio: Here, flow_id: Id, data: JSONBody[TeamApproval]) -> TeamFlow:
    return studio.team.approve(flow_id, data)


@post("/team/plans", status_code=200, sync_to_thread=True, summary="Register a plan, which claims what it is about")
def claim(studio: Here, data: JSONBody[TeamClaim]) -> TeamClaimed:
    return studio.team.claim(data)


@get("/acts", sync_to_thread=True, summary="Who answered, approved, claimed and forked what, the newest first")
def acts(studio: Here, project: ProjectName = None, most: MostActs = 100) -> ActList:
    return studio.acts(project, most)


routers = (
    Router("/", route_handlers=[decide], tags=["decisions"]),
    Router("/", route_handlers=[govern, govern_samples], tags=["govern"]),
    Router("/", route_handlers=[team, answer, approve, claim, acts], tags=["team"]),
)

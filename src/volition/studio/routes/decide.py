"""A decision over a pasted document."""
# ruff: noqa: TC001, TC002  Litestar reads the annotations

from __future__ import annotations

from litestar import Response, Router
from litestar.params import JSONBody

from volition.studio.cases import CELLS, decide_case
from volition.studio.routes.common import Here, post, respond_from_pool
from volition.studio.shapes.decisions import CaseAsked, CaseDecided


@post(
    "/decide",
    status_code=200,
    summary="Decide a case, and explain the decision",
    description=f"At most {CELLS} cells: candidates times intentions. Larger cases are answered with 413. "
    "Python code that a document names is never imported.",
)
async def decide(studio: Here, data: JSONBody[CaseAsked]) -> Response[CaseDecided]:
    return await respond_from_pool(studio, lambda: decide_case(data))


router = Router("/", route_handlers=[decide], tags=["decisions"])

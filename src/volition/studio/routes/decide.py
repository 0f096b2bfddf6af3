"""A decision over a document that a person pasted."""
# ruff: noqa: TC001, TC002  Litestar reads the annotations

from __future__ import annotations

from litestar import Response, Router, post
from litestar.params import JSONBody

from volition.studio.cases import CELLS, decided
from volition.studio.routes.common import REFUSALS, Here, worked
from volition.studio.shapes.decisions import CaseAsked, CaseDecided


@post(
    "/decide",
    responses=REFUSALS,
    status_code=200,
    summary="Decide over a case, and say why",
    description=f"At most {CELLS} cells: candidates times intentions. What is larger is answered with 413. "
    "Python code that a document names is never imported.",
)
async def decide(studio: Here, data: JSONBody[CaseAsked]) -> Response[CaseDecided]:
    return await worked(studio, lambda: decided(data))


router = Router("/", route_handlers=[decide], tags=["decisions"])

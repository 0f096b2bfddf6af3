"""A decision over a document that a person pasted."""
# ruff: noqa: TC002  Litestar reads the annotations

from __future__ import annotations

from litestar import Router, post
from litestar.params import JSONBody

from volition.arbitration.case import case_from_data
from volition.core.canonical import canonical
from volition.core.document import parse_json, parse_toml
from volition.core.errors import refuse
from volition.studio.decisions import decision_shape, what_if_shape
from volition.studio.routes.common import REFUSALS
from volition.studio.shapes.decisions import CaseAsked, CaseDecided, WhatIfAsked


@post("/decide", responses=REFUSALS, status_code=200, sync_to_thread=True, summary="Decide over a case, and say why")
def decide(data: JSONBody[CaseAsked]) -> CaseDecided:
    """Python code that a document names is never imported here."""
    if (data.document is None) == (data.text is None):
        refuse(
            "there is no document, or there are two",
            where="document, text",
            expected="one of them",
            remedy="send the document, or its text",
        )
    if data.text is not None:
        document = (parse_toml if data.format == "toml" else parse_json)(data.text, where="text")
    else:
        document = parse_json(canonical(data.document), where="document")
    case = case_from_data(document)
    decision = case.decide()
    then = None
    if data.weights or data.without:
        then = what_if_shape(decision, WhatIfAsked(data.weights, data.without))
    return CaseDecided(decision_shape(decision), list(case.warnings), then)


router = Router("/", route_handlers=[decide], tags=["decisions"])

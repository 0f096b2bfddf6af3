"""Journals: opened, and scrubbed through."""
# ruff: noqa: TC001  Litestar reads the annotations

from __future__ import annotations

from typing import Annotated

from litestar import Router
from litestar.params import QueryParameter

from volition.studio.routes.common import Here, Id, get
from volition.studio.shapes.journals import JournalMoments, JournalShape

LARGEST = 2**53 - 1
RunNumber = Annotated[int, QueryParameter(ge=1, le=LARGEST, description="Which run of the journal.")]
AfterMoment = Annotated[
    int, QueryParameter(ge=0, le=LARGEST, description="The number of the last moment already received.")
]
Most = Annotated[int, QueryParameter(ge=1, le=1000, description="How many moments to return.")]


@get("/journals/{record_id:str}", sync_to_thread=True, summary="A journal and its runs")
def journal(studio: Here, record_id: Id) -> JournalShape:
    return studio.journal(record_id).shape(studio.record(record_id))


@get(
    "/journals/{record_id:str}/moments",
    sync_to_thread=True,
    summary="What was seen and done in a run of a journal, moment by moment",
)
def moments(
    studio: Here, record_id: Id, run: RunNumber = 1, after: AfterMoment = 0, most: Most = 500
) -> JournalMoments:
    return studio.journal(record_id).moments(run, after, most)


router = Router("/", route_handlers=[journal, moments], tags=["journals"])

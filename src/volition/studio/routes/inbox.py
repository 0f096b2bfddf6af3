"""The inbox: what people are asked, their answers, and a stream that says when something has changed."""
# ruff: noqa: TC001, TC002  Litestar reads the annotations

from __future__ import annotations

from litestar import Response, Router
from litestar.params import JSONBody
from litestar.response import ServerSentEvent

from volition.studio.changes import Changed, ChangesEnded
from volition.studio.questions import InboxChoice, InboxCounts, InboxDetail, InboxItem, InboxShape
from volition.studio.routes.common import Here, Id, get, post, respond_from_pool, stream_from_start, stream_of

EVENTS = stream_of(
    Changed | ChangesEnded,
    "Server-sent events: `change` (Changed) at once and whenever something has changed, and `end` (ChangesEnded) as the last.",
)


@get(
    "/inbox", sync_to_thread=True, summary="Everything that people are asked, in saved evaluations and in the registry"
)
def read_inbox(studio: Here) -> InboxShape:
    return studio.inbox.show()


@get("/inbox/counts", sync_to_thread=True, summary="How many items the inbox has")
def count_inbox(studio: Here) -> InboxCounts:
    return studio.inbox.show().counts


@get("/inbox/items/{item_id:str}", summary="One item with what each option leads to, and its history")
async def read_item(studio: Here, item_id: Id) -> Response[InboxDetail]:
    return await respond_from_pool(studio, lambda: studio.inbox.detail(item_id))


@post(
    "/inbox/items/{item_id:str}/answer",
    status_code=200,
    summary="A person's answer to an item, or their permit, bound to what was shown",
)
async def answer_item(studio: Here, item_id: Id, data: JSONBody[InboxChoice]) -> Response[InboxItem]:
    return await respond_from_pool(studio, lambda: studio.answer_item(item_id, data))


@get(
    "/changes/live",
    responses=EVENTS,
    sync_to_thread=True,
    summary="What changes in the registry, in the saved evaluations and in the guard's journal, as events",
)
def follow_changes(studio: Here) -> ServerSentEvent:
    return stream_from_start(studio.follow_changes())


routers = (
    Router("/", route_handlers=[read_inbox, count_inbox, read_item, answer_item, follow_changes], tags=["inbox"]),
)

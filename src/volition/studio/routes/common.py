"""What all routes share: how they are declared, how errors look in the OpenAPI document, and how feeds are streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from litestar import MediaType, Response
from litestar.di import NamedDependency
from litestar.openapi import ResponseSpec
from litestar.params import FromPath, PathParameter
from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

from volition.studio.shapes.problems import Refusal
from volition.studio.studio import Studio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from litestar import Request

    from volition.studio.feed import Feed, Item

Here = NamedDependency[Studio]
"""The studio that is asked."""
Id = Annotated[str, PathParameter(min_length=1, max_length=120, description="An id as the lists give it.")]
Number = FromPath[int]

_MEANINGS: Final = {
    400: "What was sent cannot be used.",
    401: "The token is missing or wrong.",
    403: "The request is for another host, or comes from a page of another site.",
    404: "Nothing has this id.",
    405: "This address does not take this method.",
    408: "The body did not come to its end in time.",
    409: "There is no such answer, or the record is broken.",
    413: "The body is too large, or what is asked would take too long.",
    415: "The body is no JSON.",
    429: "As much goes on as is allowed at once; Retry-After says when to ask again.",
    503: "Something is missing in the environment, or too many streams are open.",
}
REFUSALS: Final[Mapping[int, ResponseSpec]] = {
    status: ResponseSpec(Refusal, generate_examples=False, description=meaning) for status, meaning in _MEANINGS.items()
}
STREAM: Final = {
    **REFUSALS,
    200: ResponseSpec(str, generate_examples=False, description="Server-sent events.", media_type="text/event-stream"),
}


def ready(content: bytes, **settings: Any) -> Response[Any]:
    """JSON that was made already."""
    return Response(content=content, media_type=MediaType.JSON, **settings)


async def worked(studio: Studio, work: Callable[[], Any]) -> Response[Any]:
    """What costs, worked out and written as JSON in the workroom."""
    return ready(await studio.workroom.do(lambda: msgspec.json.encode(work())))


def streamed(request: Request[Any, Any, Any], feed: Feed, after: int) -> ServerSentEvent:
    """A feed as server-sent events, from where a page left off."""
    told = request.headers.get("last-event-id", "")
    return ServerSentEvent(_messages(feed, max(after, int(told) if told.isdecimal() and len(told) < 16 else 0)))


def ended(data: str) -> ServerSentEvent:
    """A stream that says at once that nothing goes on."""

    async def only() -> AsyncIterator[ServerSentEventMessage]:
        yield ServerSentEventMessage(event="end", data=data)

    return ServerSentEvent(only())


async def _messages(feed: Feed, after: int) -> AsyncIterator[ServerSentEventMessage]:
    async for item in feed.follow(after):
        yield ServerSentEventMessage(comment="quiet") if item is None else _message(item)


def _message(item: Item) -> ServerSentEventMessage:
    return ServerSentEventMessage(id=item.number, event=item.name, data=item.data.decode())

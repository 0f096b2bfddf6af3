"""What all routes share: parameters, errors in the OpenAPI document, and how feeds are streamed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import litestar
import msgspec
from litestar import MediaType, Response
from litestar.di import NamedDependency
from litestar.openapi import ResponseSpec
from litestar.params import FromPath, PathParameter
from litestar.response import ServerSentEvent
from litestar.response.sse import ServerSentEventMessage

from volition.studio.errors import Refusal
from volition.studio.studio import Studio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from litestar import Request

    from volition.studio.background import Feed

Here = NamedDependency[Studio]
"""The studio, injected into every route."""
Id = Annotated[str, PathParameter(min_length=1, max_length=120, description="An id as in the lists.")]
Number = FromPath[int]

_MEANINGS: Final = {
    400: "The request cannot be used.",
    401: "The token is missing or wrong.",
    403: "The request is for another host, comes from a page of another site, or asks for what this person may not do.",
    404: "Nothing has this id.",
    405: "This address does not take this method.",
    408: "The body was too slow.",
    409: "There is no answer, or the record is broken.",
    413: "The body is too large, or the request would take too long to answer.",
    415: "The body is not JSON.",
    429: "Too much is going on, or too many wrong tokens came; Retry-After says when to try again.",
    503: "Something is not installed, or too many streams are open.",
}
REFUSALS: Final[Mapping[int, ResponseSpec]] = {
    status: ResponseSpec(Refusal, generate_examples=False, description=meaning) for status, meaning in _MEANINGS.items()
}

get = partial(litestar.get, responses=REFUSALS)
post = partial(litestar.post, responses=REFUSALS)
delete = partial(litestar.delete, responses=REFUSALS)
"""The decorators of a route of the API: every one of them may refuse a request."""


def stream_of(payloads: Any, description: str) -> dict[int, ResponseSpec]:
    """The responses of a stream: the data of each event is JSON, of one of these types."""
    stream = ResponseSpec(payloads, generate_examples=False, description=description, media_type="text/event-stream")
    return {**REFUSALS, 200: stream}


def json_response(content: bytes) -> Response[Any]:
    """A response of encoded JSON."""
    return Response(content=content, media_type=MediaType.JSON)


async def respond_from_pool(studio: Studio, work: Callable[[], Any]) -> Response[Any]:
    """The result of expensive work, computed and encoded in the pool for expensive work."""
    return json_response(await studio.tasks.run(lambda: msgspec.json.encode(work())))


def stream_feed(request: Request[Any, Any, Any], feed: Feed, after: int) -> ServerSentEvent:
    """A feed as server-sent events, from where a page left off."""
    last = request.headers.get("last-event-id", "")
    return ServerSentEvent(_messages(feed, max(after, int(last) if last.isdecimal() and len(last) < 16 else 0)))


def stream_from_start(feed: Feed) -> ServerSentEvent:
    """A feed as server-sent events, with all that it keeps, whatever a page has seen of another one before it."""
    return ServerSentEvent(_messages(feed, 0))


def stream_end(data: bytes) -> ServerSentEvent:
    """A stream that only says how it ended."""

    async def only() -> AsyncIterator[ServerSentEventMessage]:
        yield ServerSentEventMessage(event="end", data=data.decode())

    return ServerSentEvent(only())


async def _messages(feed: Feed, after: int) -> AsyncIterator[ServerSentEventMessage]:
    async for item in feed.follow(after):
        if item is None:
            yield ServerSentEventMessage(comment="quiet")
        else:
            yield ServerSentEventMessage(id=item.number, event=item.name, data=item.data.decode())

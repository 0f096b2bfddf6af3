"""The application: routes, errors and the OpenAPI document, behind the gate."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from anyio.to_thread import current_default_thread_limiter
from litestar import Litestar, Router
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.types import Message  # noqa: TC002  read by Litestar
from litestar.types import Scope as LitestarScope  # noqa: TC002  read by Litestar

from volition import __version__
from volition.core.errors import VolitionError
from volition.studio.compression import Compression
from volition.studio.errors import on_bug, on_deep_body, on_http_error, on_hung_up, on_refusal
from volition.studio.exchange import HungUp
from volition.studio.gate import Gate
from volition.studio.metrics import ROUTE, Metrics
from volition.studio.openapi import COMPONENTS, SECURITY, operation_id
from volition.studio.routes import documents, drives, ensembles, evenings, games, inbox, pages, records
from volition.studio.studio import Studio

if TYPE_CHECKING:
    from pathlib import Path

    from volition.studio.exchange import Receive, Scope, Send

PREFIX: Final = "/api/v1"
THREADS: Final = 8
"""How many quick requests are answered at once; the others wait."""


def application(
    folder: Path, *, bound: str = "127.0.0.1", token: str | None = None, registry: str | None = None
) -> Application:
    """The studio of a folder as an ASGI application, with the registry of a team if one is named."""
    return Application(Studio(folder, registry), bound=bound, token=token)


class Application(Gate):
    """The gate with the whole studio behind it; the routes ask `studio`."""

    def __init__(self, studio: Studio, **settings: Any) -> None:
        """`settings` are those of the gate."""
        self.studio = studio
        self.litestar = make_litestar()
        self.metrics = Metrics(studio, lambda: self.streaming)
        super().__init__(Compression(self._answer_from_routes), **settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.metrics.measure(super().__call__, scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def _answer_from_routes(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            state = {**scope.get("state", {}), "studio": self.studio, "metrics": self.metrics}
            await self.litestar({**scope, "state": state}, receive, send)  # type: ignore[arg-type]

    async def _live(self, receive: Receive, send: Send) -> None:
        """From the start of the server to its end, after which nothing goes on."""
        await receive()
        current_default_thread_limiter().total_tokens = THREADS
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self.studio.stop_all()
        self.studio.settle()
        await send({"type": "lifespan.shutdown.complete"})


def studio_of(scope: LitestarScope) -> Studio:
    """The studio that a request is for."""
    studio: Studio = scope["state"]["studio"]
    return studio


async def note_route(message: Message, scope: LitestarScope) -> None:
    """Tell those who count requests which route answers one; an address without a route has none."""
    if message["type"] == "http.response.start" and (route := scope.get("path_template")):
        scope[ROUTE].append(route)  # type: ignore[typeddict-item]


@cache
def make_litestar() -> Litestar:
    """The routes of every studio of this process: making them takes a tenth of a second."""
    parts = (records, evenings, games, documents, inbox, drives, ensembles)
    api = Router(PREFIX, route_handlers=[router for part in parts for router in part.routers])
    return Litestar(
        [api, pages.router],
        dependencies={"studio": Provide(studio_of, sync_to_thread=False)},
        exception_handlers={
            VolitionError: on_refusal,
            HTTPException: on_http_error,
            RecursionError: on_deep_body,
            HungUp: on_hung_up,
            Exception: on_bug,
        },
        openapi_config=OpenAPIConfig(
            title="Volition studio",
            version=__version__,
            description="Decisions to look at, question, change and answer. Errors are problems: what, where, "
            "expected, remedy. HEAD is answered wherever GET is.",
            path="/openapi",
            components=COMPONENTS,
            security=SECURITY,
            operation_id_creator=operation_id,
            render_plugins=[JsonRenderPlugin()],
        ),
        before_send=[note_route],
        request_max_body_size=None,
        logging_config=None,
        debug=False,
    )

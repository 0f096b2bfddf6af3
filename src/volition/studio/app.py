"""The application: routes, errors and the OpenAPI document, behind the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from anyio.to_thread import current_default_thread_limiter
from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from volition import __version__
from volition.core.errors import VolitionError
from volition.studio.compression import Compression
from volition.studio.errors import on_bug, on_deep_body, on_http_error, on_hung_up, on_refusal
from volition.studio.exchange import HungUp
from volition.studio.gate import Gate
from volition.studio.openapi import COMPONENTS, SECURITY, operation_id
from volition.studio.routes import documents, drives, ensembles, evenings, games, inbox, pages, records
from volition.studio.studio import Studio

if TYPE_CHECKING:
    from pathlib import Path

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
        self.litestar = _litestar(studio)
        super().__init__(Compression(self.litestar), **settings)


def _litestar(studio: Studio) -> Litestar:
    parts = (records, evenings, games, documents, inbox, drives, ensembles)
    api = Router(PREFIX, route_handlers=[router for part in parts for router in part.routers])
    return Litestar(
        [api, pages.router],
        dependencies={"studio": Provide(lambda: studio, sync_to_thread=False)},
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
        state=State({"folder": studio.store.folder}),
        on_startup=[_limit_threads],
        on_shutdown=[studio.stop_all, studio.settle],
        request_max_body_size=None,
        logging_config=None,
        debug=False,
    )


async def _limit_threads() -> None:
    current_default_thread_limiter().total_tokens = THREADS

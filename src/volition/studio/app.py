"""The application: routes, errors and the OpenAPI document put together, behind the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from anyio.to_thread import current_default_thread_limiter
from litestar import Litestar, Router
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from volition import __version__
from volition.core.errors import VolitionError
from volition.studio.errors import on_bug, on_http_error, on_refusal
from volition.studio.gate import LIMIT, Gate
from volition.studio.routes import (
    decide,
    document,
    drives,
    ensembles,
    evenings,
    govern,
    journals,
    pages,
    records,
    vendor,
)
from volition.studio.studio import Studio

if TYPE_CHECKING:
    from pathlib import Path

PREFIX: Final = "/api/v1"
THREADS: Final = 8
"""How many requests are worked on at once; the others wait."""


def application(folder: Path, *, bound: str = "127.0.0.1", token: str | None = None) -> Application:
    """The studio of a folder as an ASGI application."""
    return Application(Studio(folder), bound=bound, token=token)


class Application(Gate):
    """The gate with the whole studio behind it; `studio` is what the routes ask."""

    def __init__(
        self, studio: Studio, *, bound: str = "127.0.0.1", token: str | None = None, limit: int = LIMIT
    ) -> None:
        self.studio = studio
        self.litestar = _litestar(studio)
        super().__init__(self.litestar, bound=bound, token=token, limit=limit)


def _litestar(studio: Studio) -> Litestar:
    api = Router(
        PREFIX,
        route_handlers=[
            part.router for part in (records, evenings, decide, govern, drives, journals, ensembles, document)
        ],
    )
    return Litestar(
        [api, pages.router, vendor.router],
        dependencies={"studio": Provide(lambda: studio, sync_to_thread=False)},
        exception_handlers=_handlers(),
        openapi_config=OpenAPIConfig(
            title="Volition studio",
            version=__version__,
            description="Decisions to be seen, asked, changed and answered. Errors are problems: what, where, expected, remedy.",
            path="/openapi",
            render_plugins=[JsonRenderPlugin()],
        ),
        on_startup=[_bound_threads],
        on_shutdown=[studio.end, studio.settle],
        request_max_body_size=None,
        logging_config=None,
        debug=False,
    )


def _handlers() -> dict[Any, Any]:
    return {VolitionError: on_refusal, HTTPException: on_http_error, Exception: on_bug}


async def _bound_threads() -> None:
    current_default_thread_limiter().total_tokens = THREADS

"""The pages and their files. A page is reached by its name, from a list of those that there are."""
# ruff: noqa: TC002, TC003  Litestar reads the annotations

from __future__ import annotations

from pathlib import Path
from typing import Final

from litestar import MediaType, Response, Router, get
from litestar.params import FromPath

from volition.studio.errors import NoSuch
from volition.studio.gate import POLICY
from volition.studio.routes.evenings import STATIC

PAGES: Final = ("stage", "threads", "decision", "govern", "drive", "ensemble", "records")
KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""What the files of the pages are, by their endings; others are not served."""


@get("/", sync_to_thread=True, media_type=MediaType.HTML)
def index() -> Response[bytes]:
    return _page("index", POLICY)


@get("/{name:str}", sync_to_thread=True, media_type=MediaType.HTML)
def page(name: FromPath[str]) -> Response[bytes]:
    """A page of its own where there is one, else the first page, which knows the way."""
    if name not in PAGES:
        raise NoSuch.id("page", name, PAGES)
    own = (STATIC / f"{name}.html").is_file()
    return _page(name if own else "index", POLICY)


@get("/static/{name:path}", sync_to_thread=True)
def file(name: FromPath[Path]) -> Response[bytes]:
    """A file of the pages: its name is looked up among those that there are."""
    known = {
        one.relative_to(STATIC).as_posix(): one for one in STATIC.rglob("*") if one.is_file() and not one.is_symlink()
    }
    wanted = name.as_posix().lstrip("/")
    kind = KINDS.get(name.suffix)
    if wanted not in known or kind is None:
        raise NoSuch.id("file", wanted, known)
    return Response(known[wanted].read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})


def _page(name: str, policy: str) -> Response[bytes]:
    headers = {"content-security-policy": policy, "cache-control": "no-cache"}
    return Response((STATIC / f"{name}.html").read_bytes(), media_type=MediaType.HTML, headers=headers)


router = Router(
    "/",
    route_handlers=[index, page, file],
    include_in_schema=False,
)

"""The pages and their files. A page is reached by its name, from a list of those that there are."""
# ruff: noqa: TC002  Litestar reads the annotations

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from litestar import MediaType, Response, Router, get
from litestar.params import FromPath

from volition.core.errors import MissingPart
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
PLOTLY_POLICY: Final = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
    "img-src 'self' data:", "img-src 'self' data: blob:"
)
"""What the page with Plotly may do: its charts carry styles of their own."""


@get("/", sync_to_thread=True, media_type=MediaType.HTML)
def index() -> Response[bytes]:
    return _page("index", POLICY)


@get("/{name:str}", sync_to_thread=True, media_type=MediaType.HTML)
def page(name: FromPath[str]) -> Response[bytes]:
    """A page of its own where there is one, else the first page, which knows the way."""
    if name not in PAGES:
        raise NoSuch.id("page", name, PAGES)
    own = (STATIC / f"{name}.html").is_file()
    return _page(name if own else "index", PLOTLY_POLICY if name == "ensemble" else POLICY)


@get("/plotly.min.js", sync_to_thread=True, media_type="text/javascript")
def plotly() -> Response[bytes]:
    """The charts of the ensemble page, from the wheel of Plotly."""
    found = find_spec("plotly")
    file = (
        None if found is None or found.origin is None else Path(found.origin).parent / "package_data" / "plotly.min.js"
    )
    if file is None or not file.is_file():
        raise MissingPart.of(
            "plotly is not installed",
            where="this Python environment",
            expected="the extra 'studio'",
            remedy="pip install 'volition[studio]'",
        )
    return Response(file.read_bytes(), media_type="text/javascript", headers={"cache-control": "max-age=86400"})


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
    route_handlers=[index, page, plotly, file],
    include_in_schema=False,
)

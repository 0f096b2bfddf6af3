"""The pages and their files, each looked up by name among those that exist; the OpenAPI document, and numbers for monitoring."""
# ruff: noqa: TC002  Litestar reads the annotations

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import MediaType, Request, Response, Router, get
from litestar.params import FromPath
from litestar.status_codes import HTTP_304_NOT_MODIFIED, HTTP_404_NOT_FOUND

from volition.studio.cache import Cache
from volition.studio.errors import NoSuch
from volition.studio.metrics import CONTENT_TYPE, Metrics
from volition.studio.openapi import full_document
from volition.studio.routes.common import json_response
from volition.studio.routes.evenings import STATIC

PAGES: Final = (
    "stage", "play", "threads", "decision", "fork", "govern", "drive", "ensemble", "records", "team", "inbox",
)  # fmt: skip
KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
"""The types of the files that are served, by their suffixes."""


PageRequest = Request[Any, Any, Any]
_listed = Cache[dict[str, Path]](1)
_read = Cache[tuple[bytes, str]](128)
_encoded = Cache[bytes](1)


@get("/", sync_to_thread=False, media_type=MediaType.HTML)
def index(request: PageRequest) -> Response[bytes]:
    return send_file(request, STATIC / "index.html")


@get("/{name:str}", sync_to_thread=False, media_type=MediaType.HTML)
def page(request: PageRequest, name: FromPath[str]) -> Response[bytes]:
    """The one document, which shows every page; a browser gets it for an unknown one too, and it says so there."""
    if name in PAGES:
        return send_file(request, STATIC / "index.html")
    if "text/html" not in request.headers.get("accept", ""):
        raise NoSuch.id("page", name, PAGES)
    content, _ = _read_tagged(STATIC / "index.html")
    return Response(content, media_type=KINDS[".html"], status_code=HTTP_404_NOT_FOUND)


@get("/static/{name:path}", sync_to_thread=False)
def file(request: PageRequest, name: FromPath[Path]) -> Response[bytes]:
    """A file of the pages, looked up by its name among those that exist."""
    known = _known_files()
    wanted = name.as_posix().lstrip("/")
    if wanted not in known or name.suffix not in KINDS:
        raise NoSuch.id("file", wanted, known)
    return send_file(request, known[wanted])


@get("/api/v1/openapi.json", sync_to_thread=True)
def document(request: PageRequest) -> Response[Any]:
    """The OpenAPI document of the API."""
    app = request.app
    return json_response(_encoded.get(id(app), lambda: msgspec.json.encode(full_document(app))))


@get("/metrics", sync_to_thread=True)
def metrics(request: PageRequest) -> Response[bytes]:
    """How the studio is doing, in the text format of Prometheus."""
    numbers: Metrics = request.scope["state"]["metrics"]
    return Response(numbers.text(), media_type=CONTENT_TYPE)


def _known_files() -> dict[str, Path]:
    """The files that are served, by name. They are listed again when one was added or removed: that changes the folder's time."""
    # A page asks for about fifty files, and each time listing them took a millisecond.
    return _listed.get((STATIC, STATIC.stat().st_mtime_ns), lambda: {file.name: file for file in _plain_files(STATIC)})


def _plain_files(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if file.is_file() and not file.is_symlink()]


def send_file(request: PageRequest, file: Path) -> Response[bytes]:
    """A file with a tag of its bytes, which is weak because it may be sent compressed; 304 to a client that has these bytes."""
    status = file.stat()
    content, tag = _read.get((file, status.st_size, status.st_mtime_ns), lambda: _read_tagged(file))
    known = {value.strip() for value in request.headers.get("if-none-match", "").split(",")}
    headers = {"etag": tag, "cache-control": "no-cache"}
    if known & {tag, tag.removeprefix("W/"), "*"}:
        return Response(b"", status_code=HTTP_304_NOT_MODIFIED, media_type=KINDS[file.suffix], headers=headers)
    return Response(content, media_type=KINDS[file.suffix], headers=headers)


def _read_tagged(file: Path) -> tuple[bytes, str]:
    content = file.read_bytes()
    return content, f'W/"{sha256(content).hexdigest()[:32]}"'


router = Router("/", route_handlers=[index, page, file, document, metrics], include_in_schema=False)

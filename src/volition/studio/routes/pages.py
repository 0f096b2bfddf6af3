"""The pages and their files, each looked up by name among those that exist; the OpenAPI document, and numbers for monitoring.

The document names its files with their edition, a digest of them all: a browser that has them asks for none of them again.
"""
# ruff: noqa: TC002  Litestar reads the annotations

from __future__ import annotations

import re
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
ASK_AGAIN: Final = "no-cache"
"""A browser keeps the file, and asks each time whether it has changed."""
KEEP: Final = "private, max-age=31536000, immutable"
"""A browser keeps the file, and asks no more."""
_EDITION: Final = re.compile(r"([0-9a-f]{16})/(.+)")

PageRequest = Request[Any, Any, Any]
_listed = Cache[dict[str, Path]](1)
_read = Cache[tuple[bytes, str]](128)
_editions = Cache[str](1)
_documents = Cache[tuple[bytes, str]](1)
_encoded = Cache[bytes](1)


@get("/", sync_to_thread=False, media_type=MediaType.HTML)
def index(request: PageRequest) -> Response[bytes]:
    return _send(request, *_document(), ".html")


@get("/{name:str}", sync_to_thread=False, media_type=MediaType.HTML)
def page(request: PageRequest, name: FromPath[str]) -> Response[bytes]:
    """The one document, which shows every page; a browser gets it for an unknown one too, and it says so there."""
    if name in PAGES:
        return _send(request, *_document(), ".html")
    if "text/html" not in request.headers.get("accept", ""):
        raise NoSuch.id("page", name, PAGES)
    content, _ = _document()
    return Response(content, media_type=KINDS[".html"], status_code=HTTP_404_NOT_FOUND)


@get("/static/{name:path}", sync_to_thread=False)
def file(request: PageRequest, name: FromPath[Path]) -> Response[bytes]:
    """A file of the pages, looked up by its name among those that exist; before it there may be an edition.

    An open page may still ask for an earlier edition: it gets today's file, and is told not to keep it.
    """
    known = _known_files()
    wanted = name.as_posix().lstrip("/")
    found = _EDITION.fullmatch(wanted)
    edition, wanted = found.groups() if found else ("", wanted)
    if wanted not in known or name.suffix not in KINDS:
        raise NoSuch.id("file", wanted, known)
    keeping = KEEP if edition and edition == _edition() else ASK_AGAIN
    return _send(request, *_read_file(known[wanted]), name.suffix, keeping)


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


def _edition() -> str:
    """The edition of the files as they are now; they are read again when one has changed."""
    files = sorted(_known_files().items())
    now = tuple((name, status.st_size, status.st_mtime_ns) for name, file in files for status in (file.stat(),))
    return _editions.get((STATIC, now), lambda: _digest_all(files))


def _digest_all(files: list[tuple[str, Path]]) -> str:
    tags = [(name, _read_file(file)[1]) for name, file in files]
    return _digest(repr(tags).encode())[:16]


def _document() -> tuple[bytes, str]:
    """The document, with addresses of this edition, and its tag."""
    edition = _edition()
    return _documents.get((STATIC, edition), lambda: _tag(_name_edition((STATIC / "index.html").read_bytes(), edition)))


def _name_edition(document: bytes, edition: str) -> bytes:
    return document.replace(b'"/static/', f'"/static/{edition}/'.encode())


def _read_file(file: Path) -> tuple[bytes, str]:
    """The bytes of a file and their tag."""
    status = file.stat()
    return _read.get((file, status.st_size, status.st_mtime_ns), lambda: _tag(file.read_bytes()))


def _tag(content: bytes) -> tuple[bytes, str]:
    """Bytes with a tag of them, which is weak because they may be sent compressed."""
    return content, f'W/"{_digest(content)}"'


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:32]


def _send(request: PageRequest, content: bytes, tag: str, suffix: str, keeping: str = ASK_AGAIN) -> Response[bytes]:
    """Bytes with their tag; 304 to a client that has them."""
    known = {value.strip() for value in request.headers.get("if-none-match", "").split(",")}
    headers = {"etag": tag, "cache-control": keeping}
    if known & {tag, tag.removeprefix("W/"), "*"}:
        return Response(b"", status_code=HTTP_304_NOT_MODIFIED, media_type=KINDS[suffix], headers=headers)
    return Response(content, media_type=KINDS[suffix], headers=headers)


router = Router("/", route_handlers=[index, page, file, document, metrics], include_in_schema=False)

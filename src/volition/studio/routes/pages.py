"""The pages and their files. A page is reached by its name, from a list of those that there are."""
# ruff: noqa: TC002, TC003  Litestar reads the annotations

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from litestar import MediaType, Request, Response, Router, get
from litestar.params import FromPath
from litestar.status_codes import HTTP_304_NOT_MODIFIED

from volition.studio.errors import NoSuch
from volition.studio.gate import CHARTED, POLICY
from volition.studio.memory import Memory
from volition.studio.routes.evenings import STATIC

PAGES: Final = ("stage", "threads", "decision", "govern", "drive", "ensemble", "records")
CHARTS: Final = frozenset({"ensemble"})
"""The pages whose charts bring styles of their own; each is a document by itself, so that its policy ends with it."""
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


Asked = Request[Any, Any, Any]
_read = Memory[tuple[bytes, str]](128)


@get("/", sync_to_thread=False, media_type=MediaType.HTML)
def index(request: Asked) -> Response[bytes]:
    return sent(request, STATIC / "index.html")


@get("/{name:str}", sync_to_thread=False, media_type=MediaType.HTML)
def page(request: Asked, name: FromPath[str]) -> Response[bytes]:
    """A page of its own where there is one, else the first page, which knows the way."""
    if name not in PAGES:
        raise NoSuch.id("page", name, PAGES)
    own = STATIC / f"{name}.html"
    policy = CHARTED if name in CHARTS else POLICY
    return sent(request, own if own.is_file() else STATIC / "index.html", policy)


@get("/static/{name:path}", sync_to_thread=False)
def file(request: Asked, name: FromPath[Path]) -> Response[bytes]:
    """A file of the pages: its name is looked up among those that there are."""
    known = {
        one.relative_to(STATIC).as_posix(): one for one in STATIC.rglob("*") if one.is_file() and not one.is_symlink()
    }
    wanted = name.as_posix().lstrip("/")
    if wanted not in known or name.suffix not in KINDS:
        raise NoSuch.id("file", wanted, known)
    return sent(request, known[wanted])


def sent(request: Asked, file: Path, policy: str = POLICY) -> Response[bytes]:
    """A file with a tag of its bytes, a weak one, since it may be sent compressed; who has these bytes already is told so, and they are not sent again."""
    status = file.stat()
    content, tag = _read.get((file, status.st_size, status.st_mtime_ns), lambda: _tagged(file))
    known = {one.strip() for one in request.headers.get("if-none-match", "").split(",")}
    headers = {"etag": tag, "cache-control": "no-cache", "content-security-policy": policy}
    if known & {tag, tag.removeprefix("W/"), "*"}:
        return Response(b"", status_code=HTTP_304_NOT_MODIFIED, media_type=KINDS[file.suffix], headers=headers)
    return Response(content, media_type=KINDS[file.suffix], headers=headers)


def _tagged(file: Path) -> tuple[bytes, str]:
    content = file.read_bytes()
    return content, f'W/"{sha256(content).hexdigest()[:32]}"'


router = Router(
    "/",
    route_handlers=[index, page, file],
    include_in_schema=False,
)

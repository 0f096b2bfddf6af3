"""Errors as pages get them: problems with a status, and never a traceback."""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar import MediaType, Response
from litestar.exceptions import HTTPException, ValidationException
from msgspec.structs import astuple

from volition.core.errors import (
    BrokenRecord,
    InvalidInput,
    MissingPart,
    NotPossible,
    Problem,
    VolitionError,
    did_you_mean,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from litestar import Request

_PACKAGE: Final = Path(__file__).parents[1]
LOG: Final = logging.getLogger("volition.studio")
RETRY: Final = 2
"""Seconds after which it is worth trying again, where too much is going on."""
MOST_PROBLEMS: Final = 50
"""How many problems of one body are reported; the others are counted."""


class Refusal(msgspec.Struct, frozen=True):
    """An answer that is an error: its name and all its problems."""

    error: str
    """The kind of error."""
    problems: list[Problem]
    """All its problems, up to a limit."""


class NoSuch(InvalidInput):
    """Nothing has this id."""

    @classmethod
    def id(cls, kind: str, id: str, known: Iterable[str]) -> NoSuch:
        """There is no such thing; the remedy names similar ids."""
        return cls(
            Problem(f"there is no {kind} {id[:100]!r}", "the address", f"the id of a {kind}", did_you_mean(id, known))
        )


class Busy(NotPossible):
    """As much is going on as is allowed at once."""


class NotAllowed(NotPossible):
    """The person as whom the studio acts may not do this."""


class TooMuch(InvalidInput):
    """The request would take too long to answer."""


class RequestRefused(Exception):
    """A request is answered with an error before it reaches the application."""

    def __init__(self, status: int, error: VolitionError, retry: int | None = None) -> None:
        super().__init__(status)
        self.status = status
        self.error = error
        self.headers = [] if retry is None else [(b"retry-after", str(retry).encode())]

    @classmethod
    def because(cls, status: int, *problem: str, retry: int | None = None) -> RequestRefused:
        """A refusal for what was sent: what, where, expected, remedy; with `retry`, worth another try after so many seconds."""
        return cls(status, InvalidInput(Problem(*problem)), retry)


STATUS: Final[tuple[tuple[type[VolitionError], int], ...]] = (
    (NoSuch, 404),
    (Busy, 429),
    (NotAllowed, 403),
    (TooMuch, 413),
    (InvalidInput, 400),
    (NotPossible, 409),
    (BrokenRecord, 409),
    (MissingPart, 503),
)
"""The first type that an error is an instance of gives its status."""


def status_of(error: VolitionError) -> int:
    """The status that an error is answered with.

    >>> status_of(NoSuch.id("run", "x", [])), status_of(InvalidInput())
    (404, 400)
    """
    return next((status for kind, status in STATUS if isinstance(error, kind)), 400)


def body_of(error: VolitionError, folder: Path | None = None) -> bytes:
    """An error as JSON; with a folder, paths are relative to it."""
    problems = list(error.problems[:MOST_PROBLEMS])
    if left := len(error.problems) - len(problems):
        what = f"{left} more problems"
        problems.append(Problem(what, problems[-1].where, "a document without problems", "correct these first"))
    shown = problems if folder is None else [hide_root(problem, folder) for problem in problems]
    return msgspec.json.encode(Refusal(type(error).__name__, shown))


def answer(error: VolitionError, status: int | None = None, folder: Path | None = None) -> Response[Any]:
    """An error as a response."""
    headers = {"retry-after": str(RETRY)} if isinstance(error, Busy) else {}
    code = status or status_of(error)
    return Response(content=body_of(error, folder), status_code=code, media_type=MediaType.JSON, headers=headers)


def on_refusal(request: Request[Any, Any, Any], error: VolitionError) -> Response[Any]:
    """Answer what the packages below refuse."""
    return answer(error, folder=request.scope["state"]["studio"].store.folder)


def hide_root(problem: Problem, folder: Path) -> Problem:
    """A problem that names no absolute path of this machine.

    >>> hide_root(Problem("it is gone", "/srv/records/volition-runs/x, line 2", "a run", "play it"), Path("/srv/records")).where
    'volition-runs/x, line 2'
    """
    return Problem(*(_hide_root(text, folder) for text in astuple(problem)))


def _hide_root(text: str, folder: Path) -> str:
    for place, name in ((folder, ""), (_PACKAGE, "volition"), (Path(sys.prefix), "python"), (Path.home(), "~")):
        root = str(place).rstrip("/")
        if root:
            text = text.replace(f"{root}/", f"{name}/" if name else "").replace(root, name or "the folder")
    return text


def on_http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """Answer what the framework refuses: unknown addresses and methods, and bodies of another shape than the API's."""
    where = f"{request.method} {request.url.path}"[:200]
    if isinstance(error, ValidationException):
        extra = error.extra if isinstance(error.extra, list) else []
        problems = [_invalid_field(fault, where) for fault in extra if isinstance(fault, dict)]
        return answer(InvalidInput(*problems or [_unreadable_body(where)]), 400)
    status = error.status_code
    if status >= 500:
        return on_bug(request, error)
    if status == 400:
        return answer(InvalidInput(_unreadable_body(where)), 400)
    what = {404: "there is nothing at this address", 405: "this address does not take this method"}
    problem = Problem(
        what.get(status, f"the request is refused: status {status}"),
        where,
        "an address and a method of the API",
        "see /api/v1/openapi.json",
    )
    refused = answer((NoSuch if status == 404 else InvalidInput)(problem), status)
    refused.headers.update(error.headers or {})
    return refused


def on_deep_body(request: Request[Any, Any, Any], _: RecursionError) -> Response[Any]:
    """Answer a body that is nested deeper than its parser goes."""
    what, expected = "the body is nested too deeply", "a body as the API's types say"
    return answer(InvalidInput(Problem(what, f"{request.method} {request.url.path}"[:200], expected, "flatten it")))


def on_hung_up(_request: Request[Any, Any, Any], _error: Exception) -> Response[Any]:
    """The answer to a client that is gone, which nobody gets."""
    return Response(content=b"", status_code=499)


def on_bug(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Answer an unforeseen error: logged here with its traceback, and answered without it."""
    trace = "".join(traceback.format_exception(error))
    LOG.error("%s", escape_control(f"{request.method} {request.url.path}\n{trace}"))
    problem = Problem(
        "this is a bug in volition",
        f"{request.method} {request.url.path}"[:200],
        "an answer",
        "its traceback is in the terminal where the studio runs: please report it",
    )
    body = msgspec.json.encode(Refusal("Bug", [problem]))
    return Response(content=body, status_code=500, media_type=MediaType.JSON)


def escape_control(text: str) -> str:
    r"""A text that a terminal only prints: whatever is not printable is escaped, except for line ends.

    >>> escape_control("GET /\x1b[2J\nend")
    'GET /\\x1b[2J\nend'
    """
    return "".join(
        letter if letter == "\n" or letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def _invalid_field(fault: dict[str, Any], where: str) -> Problem:
    field = str(fault.get("key") or fault.get("source") or "the body")
    return Problem(
        str(fault.get("message", "it does not fit"))[:300],
        f"{where}, {field}",
        "what the API's types say",
        "see /api/v1/openapi.json",
    )


def _unreadable_body(where: str) -> Problem:
    return Problem(
        "the body cannot be read", where, "JSON of the shape that the API's types say", "see /api/v1/openapi.json"
    )

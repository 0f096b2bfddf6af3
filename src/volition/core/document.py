"""Where a document is invalid: the line and column of what the strict reader refuses."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import stat
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from volition.core.canonical import MAX_INTEGER, canonical
from volition.core.errors import InvalidInput, Problem, did_you_mean, refuse
from volition.core.folder import replace_file, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DEPTH = 64
"""How deeply the arrays and objects of a document may be nested."""

TOO_DEEP = Problem(
    f"the document is nested deeper than {MAX_DEPTH} levels",
    "document",
    f"at most {MAX_DEPTH} arrays and objects inside one another",
    "flatten it: refer to inner parts by an id",
)

_TEXT = r'"(?:[^"\\]++|\\.)*+"'
_TOKEN = re.compile(
    rf"""(?P<key>{_TEXT}(?=[ \t\n\r]*:)) | (?P<text>{_TEXT}) | (?P<open>[\[{{]) | (?P<close>[\]}}])
    | (?P<number>-?+(?:[0-9]++(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?|Infinity)|NaN)""",
    re.VERBOSE | re.DOTALL,
)
_INTEGER = re.compile(r"-?[0-9]+")
_EXPONENT = re.compile(rb"[0-9]e[-+]?[0-9]+,?$", re.MULTILINE)
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def place(where: str, text: str, position: int) -> str:
    """The line and column of `position` in `text`, with the name of its document; both count from 1.

    >>> place("a.json", "ab\\ncd", 4)
    'a.json, line 2, column 2'
    """
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    return f"{where}, line {line}, column {column}"


def first_json_fault(text: str, where: str) -> InvalidInput | None:
    """The first thing in `text` that JSON allows but a document does not, or None; `text` is JSON up to there."""
    keys: list[dict[str, int]] = []  # for each object or array around the token: its keys so far, with their positions
    for token in _TOKEN.finditer(text):
        word, position = token.group(), token.start()
        problem = None
        match token.lastgroup:
            case "open":
                if len(keys) == MAX_DEPTH:
                    problem = TOO_DEEP.what, TOO_DEEP.expected, TOO_DEEP.remedy
                keys.append({})
            case "close":
                keys.pop()
            case "number":
                problem = _number_problem(word)
            case kind:
                content = json.loads(word)
                if _HALF_CHARACTER.search(content):
                    problem = f"half a character (a lone surrogate) in {word}", "whole characters", "repair the text"
                elif kind == "key":
                    first = keys[-1].setdefault(content, position)
                    if first != position:
                        advice = f"remove or rename one of them; the first: {place(where, text, first)}"
                        problem = f"the key {_short(word)} is duplicated in one object", "each key once", advice
        if problem:
            what, expected, remedy = problem
            return InvalidInput(Problem(what, place(where, text, position), expected, remedy))
    return None


def _number_problem(word: str) -> tuple[str, str, str] | None:
    if _INTEGER.fullmatch(word):
        if len(word) > 17 or abs(int(word)) > MAX_INTEGER:
            return f"the integer {_short(word)} is too large", "-(2^53 - 1) to 2^53 - 1", "write it as text"
    elif not math.isfinite(float(word)):
        return f"{_short(word)} is not a finite number", "a finite number", "leave it out or use null"
    return None


def _short(word: str) -> str:
    return word if len(word) <= 60 else word[:57] + "..."


LIMIT_BYTES = 16 * 2**20
"""The largest file that is read unless the caller sets another limit."""

_TOML_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
# A dotted name with more parts than a document may have levels. The TOML reader takes quadratic time on such a name, so
# this pattern finds it first.
_LONG_NAME = re.compile(
    rf"""(?:^|[\[{{,])[ \t]*+(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}""", re.MULTILINE
)


def parse_json(data: bytes | str, *, where: str = "document") -> Any:
    """Read strict JSON: no duplicate keys, no NaN or infinity, nothing after the value, at most 64 levels.

    >>> parse_json('{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    >>> parse_json('{"a": 1,\\n "a": 2}')
    Traceback (most recent call last):
    ...
    volition.core.errors.InvalidInput: the key "a" is duplicated in one object
      where:    document, line 2, column 2
      expected: each key once
      remedy:   remove or rename one of them; the first: document, line 1, column 2
    """
    text = _decode(data, where)
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys)
        _check(value)
    except json.JSONDecodeError as error:
        what = "text after the value" if error.msg == "Extra data" else error.msg
        refuse(
            f"not JSON: {what}",
            where=place(where, text, error.pos),
            expected="one JSON value",
            remedy="correct the text here",
        )
    except (ValueError, RecursionError, InvalidInput) as error:
        raise first_json_fault(text, where) or _fault_without_line(error, where) from None
    return value


def parse_toml(data: bytes | str, *, where: str = "document") -> Any:
    """Read strict TOML. Dates and times are refused: JSON has none, so they are written as text.

    >>> parse_toml('[cast]\\nhost = "Julian"')
    {'cast': {'host': 'Julian'}}
    """
    text = _decode(data, where)
    if long_name := _LONG_NAME.search(text):
        refuse(
            TOO_DEEP.what,
            where=place(where, text, long_name.start()),
            expected=TOO_DEEP.expected,
            remedy="shorten the dotted name",
        )
    try:
        value = tomllib.loads(text)
        _check(value)
    except tomllib.TOMLDecodeError as error:
        raise _toml_fault(str(error), text, where) from None
    except (ValueError, RecursionError, InvalidInput) as error:
        raise _fault_without_line(error, where) from None
    return value


def read_document(path: str | os.PathLike[str], *, limit_bytes: int = LIMIT_BYTES) -> Any:
    """Read the JSON or TOML file at `path`; its suffix says which."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in {".json", ".toml"}:
        refuse(
            f"cannot tell what kind of document {file.name!r} is",
            where=str(file),
            expected="a name that ends in .json or .toml",
            remedy="rename the file",
        )
    try:
        # Checked before opening: opening a pipe would wait for its writer.
        if not stat.S_ISREG(file.stat().st_mode):
            what = "a directory" if file.is_dir() else "a pipe or a device"
            refuse(f"{what} is not a document", where=str(file), expected="a file", remedy="name a file")
        with file.open("rb") as stream:
            data = stream.read(limit_bytes + 1)
    except (OSError, ValueError) as error:
        _refuse_file(error, file)
    if len(data) > limit_bytes:
        refuse(
            f"the file is larger than {limit_bytes} bytes",
            where=str(file),
            expected=f"at most {limit_bytes} bytes",
            remedy="split the document, or raise the limit if you trust it",
        )
    return (parse_json if suffix == ".json" else parse_toml)(data, where=str(file))


def dump_json(data: Any) -> str:
    """Write readable JSON that `parse_json` gives back: two spaces, keys in the order given, a newline at the end.

    >>> print(dump_json({"b": 1, "a": []}), end="")
    {
      "b": 1,
      "a": []
    }
    """
    _check(data)
    # orjson takes a fiftieth of the time, and writes the same but for numbers with an exponent, in which its versions differ.
    quick = orjson.dumps(data, option=orjson.OPT_INDENT_2)
    if b"0.0000" in quick or _EXPONENT.search(quick):
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    return quick.decode() + "\n"


def dump_toml(data: dict[str, Any]) -> str:
    """Write TOML that `parse_toml` gives back; TOML has no null, so None is refused.

    >>> print(dump_toml({"cast": {"host": "Julian"}}), end="")
    [cast]
    host = "Julian"
    """
    import tomli_w  # noqa: PLC0415  only writing TOML needs it

    _check(data)
    try:
        return tomli_w.dumps(data)
    except (TypeError, AttributeError):
        refuse(
            "the data cannot be written as TOML",
            where="$",
            expected="a dict without None in it",
            remedy="leave out what is None, or write JSON",
        )


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Replace the file at `path` atomically: readers see the old file or the new one, even after a crash.

    Links are followed; the mode of an existing file is kept.
    """
    file = Path(path)
    try:
        file = Path(os.path.realpath(file))
        replace_file(file, data)
        sync_folder(file.parent)
    except (OSError, ValueError) as error:
        _refuse_file(error, file)


def _decode(data: bytes | str, where: str) -> str:
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        refuse(
            f"not UTF-8: the byte at offset {error.start} is 0x{data[error.start]:02x}",
            where=place(where, before, len(before)),
            expected="text in UTF-8",
            remedy="save the file as UTF-8",
        )
    if text.startswith("\ufeff"):
        refuse(
            "the text starts with a byte order mark",
            where=f"{where}, line 1, column 1",
            expected="UTF-8 without a byte order mark",
            remedy="save the file as plain UTF-8 (without BOM)",
        )
    return text


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is duplicated in one object")
    return value


def _check(value: Any) -> None:
    """Refuse what has no canonical bytes (which also excludes cycles) or is nested too deeply for a document."""
    canonical(value)
    level = _containers([value])
    for _ in range(MAX_DEPTH):
        level = [deeper for outer in level for deeper in _containers(outer)]
    if level:
        raise InvalidInput(TOO_DEEP)


def _containers(values: Iterable[Any]) -> list[Iterable[Any]]:
    """The values of each table and list among some values."""
    return [value.values() if type(value) is dict else value for value in values if type(value) in (dict, list, tuple)]


def _toml_fault(message: str, text: str, where: str) -> InvalidInput:
    """The message of the TOML reader with the line it refers to, so that a duplicated key is named."""
    match = _TOML_PLACE.fullmatch(message)
    what, line, column = match.groups() if match else (message, None, None)
    lines = text.split("\n")
    excerpt = lines[int(line) - 1 if line else -1].strip()[:60]
    spot = f"{where}, line {line}, column {column}" if line else place(where, text, len(text))
    what = f"{what}: {excerpt}" if excerpt else what
    return InvalidInput(Problem(f"not TOML: {what}", spot, "TOML 1.0, with each key once", "correct the text here"))


def _fault_without_line(error: Exception, where: str) -> InvalidInput:
    """A fault of the document `where` without a line; with a path if the error has one."""
    if isinstance(error, RecursionError):
        problem = TOO_DEEP
    elif isinstance(error, InvalidInput):
        (problem,) = error.problems
    else:
        problem = Problem(
            str(error), "document", "numbers of common size, dates and times as text", "correct the document"
        )
    spot = f"{where}, {problem.where}" if problem.where.startswith("$") else where
    return InvalidInput(Problem(problem.what, spot, problem.expected, problem.remedy))


def _refuse_file(error: OSError | ValueError, file: Path) -> NoReturn:
    what, remedy = str(getattr(error, "strerror", None) or error), "check the name and the disk"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        what, remedy = "there is no such file or folder", "check the name"
        with contextlib.suppress(OSError):
            remedy = did_you_mean(file.name, sorted(neighbour.name for neighbour in file.parent.iterdir()))
    elif isinstance(error, PermissionError):
        what, remedy = "permission denied", "ask its owner, or change its mode"
    elif isinstance(error, IsADirectoryError):
        what, remedy = "this is a directory", "name a file"
    refuse(what, where=str(file), expected="a file that can be read and written", remedy=remedy)

"""Rounds of questions: record how the questions in a folder were asked, to suggest the command that continues."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any, Final

from volition.cli.common import program_name

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS: Final = "rounds.toml"
"""The file beside a question pack that records the options of `evaluate`. No evaluation reads it."""
_PATHS: Final = ("set", "intents", "policy")
_LISTS: Final = ("intent", "answers")


def record(out: Path, pack_id: str, given: dict[str, Any]) -> bytes:
    """The content of the file: the options of `evaluate`, with paths relative to the folder `out`."""
    from volition.core.document import dump_toml

    options: dict[str, Any] = {"questions": pack_id}
    options |= {name: os.path.relpath(given[name], out) for name in _PATHS if given.get(name)}
    options |= {name: [os.path.relpath(path, out) for path in given[name]] for name in _LISTS if given.get(name)}
    options |= {name: given[name] for name in ("now", "apply") if given.get(name)}
    return dump_toml(options).rstrip("\n").encode()


def next_command(pack_file: Path, pack_id: str, answers: Path) -> str:
    """The command that evaluates again with these answers, and with the options of the last round if they are known."""
    folder = pack_file.parent
    options = _read(folder / ROUNDS, pack_id)
    if options is None:
        return f"{program_name()} govern evaluate SET.json --answers {shlex.quote(str(answers))}"
    words = ["evaluate", _from_here(folder, options["set"])]
    for name in _PATHS[1:]:
        words += [f"--{name}", _from_here(folder, options[name])] if name in options else []
    for path in options.get("intent", ()):
        words += ["--intent", _from_here(folder, path)]
    for path in (*(_from_here(folder, path) for path in options.get("answers", ())), str(answers)):
        words += ["--answers", path]
    words += ["--now", options["now"]] if "now" in options else []
    words += ["--apply"] if options.get("apply") else []
    return f"{program_name()} govern {shlex.join([*words, '--out', str(folder)])}"


def _read(file: Path, pack_id: str) -> dict[str, Any] | None:
    """The options recorded for this pack; None if there is no such file, or it belongs to another pack."""
    from volition.core.document import read_document
    from volition.core.errors import InvalidInput

    try:
        options = read_document(file)
    except InvalidInput:
        return None
    fits = isinstance(options, dict) and options.get("questions") == pack_id and isinstance(options.get("set"), str)
    return options if fits and all(_is_text(options.get(name, [])) for name in (*_PATHS, *_LISTS, "now")) else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _from_here(folder: Path, path: str) -> str:
    """A path relative to `folder` as seen from the current folder: relative or absolute, whichever is shorter."""
    whole = os.path.normpath(folder.absolute() / path)
    return min(os.path.relpath(whole), whole, key=len)

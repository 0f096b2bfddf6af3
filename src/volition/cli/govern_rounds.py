"""Rounds of questions: how the questions in a folder were asked, so that whoever answers them is told how to go on."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any, Final

from volition.cli.called import called

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS: Final = "rounds.toml"
"""The file beside a question pack that says with what it was asked; it is no document, and nothing is judged by it."""
_PATHS: Final = ("set", "intents", "policy")
_LISTS: Final = ("intent", "answers")


def record(out: Path, pack_id: str, given: dict[str, Any]) -> bytes:
    """What belongs into the file: the options of `evaluate`, with paths as they are seen from the folder `out`."""
    from volition.core.document import dump_toml  # noqa: PLC0415  only when it runs

    said: dict[str, Any] = {"questions": pack_id}
    said |= {name: _from(out, given[name]) for name in _PATHS if given.get(name)}
    said |= {name: [_from(out, path) for path in given[name]] for name in _LISTS if given.get(name)}
    said |= {name: given[name] for name in ("now", "lenient", "apply") if given.get(name)}
    return dump_toml(said).rstrip("\n").encode()


def next_command(pack_file: Path, pack_id: str, answers: Path) -> str:
    """The line that evaluates again with these answers, and with all that was given before where that is known."""
    folder = pack_file.parent
    said = _recorded(folder / ROUNDS, pack_id)
    if said is None:
        return f"{called()} govern evaluate SET.json --answers {shlex.quote(str(answers))}"
    words = ["evaluate", _seen(folder, said["set"])]
    for name in _PATHS[1:]:
        words += [f"--{name}", _seen(folder, said[name])] if name in said else []
    for path in said.get("intent", ()):
        words += ["--intent", _seen(folder, path)]
    for path in (*(_seen(folder, path) for path in said.get("answers", ())), str(answers)):
        words += ["--answers", path]
    words += ["--now", said["now"]] if "now" in said else []
    words += [f"--{name}" for name in ("lenient", "apply") if said.get(name)]
    return f"{called()} govern {shlex.join([*words, '--out', str(folder)])}"


def _recorded(file: Path, pack_id: str) -> dict[str, Any] | None:
    """What a file records about this pack; None where there is none, or it speaks of another pack."""
    from volition.core.document import read_document  # noqa: PLC0415  only when it runs
    from volition.core.errors import InvalidInput  # noqa: PLC0415

    try:
        said = read_document(file)
    except InvalidInput:
        return None
    fits = isinstance(said, dict) and said.get("questions") == pack_id and isinstance(said.get("set"), str)
    return said if fits and all(_is_text(said.get(name, [])) for name in (*_PATHS, *_LISTS, "now")) else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _from(folder: Path, path: Path) -> str:
    return os.path.relpath(path, folder)


def _seen(folder: Path, path: str) -> str:
    """A path of the file as it is named from here, in the shorter of its two ways."""
    whole = os.path.normpath(folder.absolute() / path)
    return min(os.path.relpath(whole), whole, key=len)

"""Where a guard keeps what it knows, and by which rules it judges: one folder for each repository.

The folder is `volition` in git's common directory, so that all worktrees share it and none shows it as a change.
`guard.json` in it is written by `volition agents install`.
"""

from __future__ import annotations

import os

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple, read_json, write_json

if TYPE_CHECKING:
    from typing import Any, Final

FOLDER: Final = "volition"
FILE: Final = "guard.json"
FORMAT: Final = 1


class GuardFailure(Exception):
    """The guard cannot judge; the text says why, and what to do."""


class GuardSetting(LeanTuple):
    """The rules of one repository: its registry and project, where the registry's index is, whether what cannot be
    judged is denied (`strict`) or passes marked, whether writes pass and are recorded (`lenient`) while the registry
    cannot be reached, or are denied, and whether the first write of a file that nobody has claims it (`auto_claim`)."""

    home: str
    registry: str
    project: str
    index_file: str
    strict: bool
    lenient: bool = False
    auto_claim: bool = False

    @property
    def common(self) -> str:
        """Git's common directory."""
        return os.path.dirname(self.home)

    def to_data(self) -> dict[str, Any]:
        """What `guard.json` holds."""
        return {
            "format": FORMAT, "registry": self.registry, "project": self.project, "index": self.index_file,
            "strict": self.strict, "unreachable": "record" if self.lenient else "refuse",
            **({"auto_claim": True} if self.auto_claim else {}),
        }  # fmt: skip


def read_setting(home: str) -> GuardSetting:
    """The setting in a folder; GuardFailure if it is missing or broken."""
    place = os.path.join(home, FILE)
    data = read_object(place, remedy="run: volition agents install")
    if data is None or data.get("format") != FORMAT:
        raise GuardFailure(f"{place} is {'missing' if data is None else 'of another version'}: volition agents install")
    texts = [data.get(key) for key in ("registry", "project", "index")]
    if not all(isinstance(text, str) and text for text in texts):
        raise GuardFailure(f"{place} names no registry, project or index: volition agents install")
    registry, project, index = map(str, texts)
    strict, is_lenient = data.get("strict") is not False, data.get("unreachable") == "record"
    does_claim = data.get("auto_claim") is True
    return GuardSetting(os.path.realpath(home), registry, project, index, strict, is_lenient, does_claim)


def read_object(place: str, remedy: str = "remove it") -> dict[str, Any] | None:
    """The JSON object in a file; None if there is no such file, GuardFailure if it holds anything else."""
    try:
        with open(place, "rb") as file:
            data = read_json(file.read())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise GuardFailure(f"{place} cannot be read ({error}): {remedy}") from None
    if not isinstance(data, dict):
        raise GuardFailure(f"{place} holds no object: {remedy}")
    return data


def write_object(place: str, data: dict[str, Any]) -> None:
    """Replace a file as a whole; GuardFailure if it cannot be written."""
    draft = f"{place}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        with open(draft, "w", encoding="ascii") as file:
            file.write(write_json(data))
        os.replace(draft, place)
    except OSError as error:
        raise GuardFailure(f"{place} cannot be written ({error.strerror})") from None

"""The scenarios that a guest can be played in: those that ship, and the files of the studio's folder.

A file is looked up by its place among those that were found; an id never becomes part of a path.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from msgspec import Struct

from volition.core.errors import VolitionError
from volition.drama.audience.prose import short_names
from volition.drama.world.model import Scenario
from volition.drama.world.scenario import LIMIT_BYTES, load_scenario, scenario, scenario_names
from volition.studio.cache import Cache
from volition.studio.errors import NoSuch
from volition.studio.store import HOMES

FILES: Final = 100
"""How many files of the folder are looked at."""
DEPTH: Final = 2
"""How many folders deep they are searched for."""
SUFFIXES: Final = (".toml", ".json")


class CastPerson(Struct, frozen=True):
    """Somebody who can be played."""

    id: str
    """The id of the person."""
    name: str
    """The full name."""
    short: str
    """The name that fits a small place."""
    role: str
    """What everybody knows of the person."""


class PlayableScenario(Struct, frozen=True):
    """A scenario without anything that a guest may not know."""

    id: str
    """The id of one that ships, or the place of a file in the studio's folder."""
    name: str
    """Its name."""
    own: bool
    """Whether it is a file of the folder."""
    people: list[CastPerson]
    """Who can be played."""


class ScenarioStore:
    """The scenarios of a studio; a file is read again when it changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read = Cache[Scenario | None](FILES)

    def all(self) -> list[PlayableScenario]:
        """Every scenario that can be played, those that ship first."""
        shipped = [_playable(name, scenario(name), own=False) for name in scenario_names()]
        own = ((place, self._load(file)) for place, file in self._files().items())
        return [*shipped, *(_playable(place, loaded, own=True) for place, loaded in own if loaded is not None)]

    def find(self, id: str) -> Scenario:
        """The scenario of this id."""
        if id in scenario_names():
            return scenario(id)
        file = self._files().get(id)
        loaded = None if file is None else self._load(file)
        if loaded is None:
            raise NoSuch.id("scenario", id, [*scenario_names(), *self._files()])
        return loaded

    def _files(self) -> dict[str, Path]:
        """The files that may be scenarios, by their places; links are not followed."""
        files: dict[str, Path] = {}
        waiting = [(self._folder, "", 0)]
        while waiting and len(files) < FILES:
            folder, place, depth = waiting.pop(0)
            try:
                with os.scandir(folder) as entries:
                    inside = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in inside:
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                if entry.is_dir() and depth < DEPTH and entry.name not in HOMES:
                    waiting.append((Path(entry.path), f"{place}{entry.name}/", depth + 1))
                elif entry.name.endswith(SUFFIXES) and entry.is_file() and entry.stat().st_size <= LIMIT_BYTES:
                    files[f"{place}{entry.name}"] = Path(entry.path)
        return dict(list(files.items())[:FILES])

    def _load(self, file: Path) -> Scenario | None:
        """The scenario in a file; None where it holds none."""

        def read() -> Scenario | None:
            try:
                return load_scenario(file)
            except VolitionError:
                return None

        try:
            status = file.stat()
        except OSError:
            return None
        return self._read.get((file, status.st_mtime_ns, status.st_size), read)


def _playable(id: str, found: Scenario, *, own: bool) -> PlayableScenario:
    names = short_names(found)
    people = [
        CastPerson(person.id, person.name, names[person.id], person.role.split(";")[0].strip())
        for person in found.people.values()
    ]
    return PlayableScenario(id, found.name, own, people)

"""The radar: watches a folder of plans and reports collisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from volition.core.errors import VolitionError, refuse
from volition.governance.documents.intent import IntentDocument
from volition.governance.documents.loading import load_document
from volition.governance.live.index import ConflictIndex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from volition.governance.documents.intent_set import Env
    from volition.governance.documents.policy import Policy
    from volition.governance.live.index import Collision


class Sighting(Struct, frozen=True):
    """A plan that was added or changed: its collisions, or why it was left out."""

    file: Path
    intent_id: str | None
    collisions: tuple[Collision, ...] = ()
    fault: str | None = None


class Radar:
    """Watches a folder in which plans, `ID.json` each, are added, changed and removed."""

    def __init__(self, folder: Path, policy: Policy, env: Env) -> None:
        if not folder.is_dir():
            refuse("this is not a folder", where=str(folder), expected="a folder of intents", remedy="name one")
        self._folder, self._index = folder, ConflictIndex(policy, env)
        self._seen: dict[Path, tuple[int, str | None]] = {}

    def look(self) -> Iterator[Sighting]:
        """Everything that was added or changed since the last look; removed plans no longer collide."""
        plans = (file for file in sorted(self._folder.glob("intent_*.json")) if not file.name.startswith("intent_set_"))
        now = {file: changed for file in plans if (changed := _modified_at(file)) is not None}
        self._forget(now)
        for file, changed in now.items():
            if file not in self._seen:
                sighting = self._take_in(file)
                self._seen[file] = changed, sighting.intent_id
                yield sighting

    def _forget(self, now: dict[Path, int]) -> None:
        gone = [file for file, (changed, _) in self._seen.items() if changed != now.get(file)]
        for file in gone:
            _, id = self._seen.pop(file)
            if id is not None:
                self._index.remove(id)
        if gone:  # what was left out may have been so because of one that is gone
            self._seen = {file: entry for file, entry in self._seen.items() if entry[1] is not None}

    def _take_in(self, file: Path) -> Sighting:
        try:
            intent = load_document(file, IntentDocument)
            return Sighting(file, intent.id, tuple(self._index.add(intent)))
        except VolitionError as error:
            return Sighting(file, None, fault=str(error).splitlines()[0])


def _modified_at(file: Path) -> int | None:
    """When a file was last changed; None if it is not a file, or was removed."""
    try:
        return file.stat().st_mtime_ns if file.is_file() else None
    except OSError:
        return None

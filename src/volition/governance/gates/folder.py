"""A folder of documents as the gates see it: classified by their content, not by their names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import BrokenRecord, InvalidInput
from volition.core.manifest import MANIFEST
from volition.governance.documents.kinds import KINDS, kind_of
from volition.governance.documents.supersession import restore
from volition.governance.evaluation_folder import INPUTS, check_evaluation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Data = dict[str, Any]

MERGED: Final = "merged_intent"
"""The name of the file that holds a merged intent."""


@dataclass(frozen=True)
class DocumentFolder:
    """The JSON files of a folder: their bytes, and their data by kind; `broken` says which manifests do not hold."""

    files: Mapping[str, bytes]
    documents: Mapping[str, Mapping[str, Data]]
    unknown: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: Path) -> DocumentFolder:
        """All `*.json` files below `path`, by their names relative to it, except for the inputs that evaluations keep."""
        kept = {file.parent for file in path.rglob(MANIFEST)}
        files = {
            str(file.relative_to(path)): file.read_bytes()
            for file in sorted(path.rglob("*.json"))
            if not (file.name == MANIFEST or (file.parent.name == INPUTS and file.parent.parent in kept))
        }
        broken = (_manifest_fault(folder, path) for folder in sorted(kept))
        return replace(cls.of(files), broken=tuple(reason for reason in broken if reason))

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> DocumentFolder:
        documents: dict[str, dict[str, Data]] = {kind: {} for kind in KINDS}
        unknown = []
        for name, content in files.items():
            try:
                data = msgspec.json.decode(content)
                documents[kind_of(data)][name] = data
            except (InvalidInput, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                unknown.append(name)
        return cls(files, documents, tuple(unknown))

    @property
    def merged(self) -> Mapping[str, Data]:
        """The merged intents by their names."""
        return {name: data for name, data in self.documents["intent"].items() if Path(name).stem == MERGED}

    def sets(self) -> Iterator[tuple[str, Data, dict[str, Data]]]:
        """Each set: its name, its data, and the intents by id in the versions that its results name."""
        for name, data in self.documents["intent_set"].items():
            mine = [
                result for result in self.documents["evaluation_result"].values() if set_of(result) == data.get("id")
            ]
            yield name, data, self.intents(mine)

    def intents(self, results: Iterable[Data] = ()) -> dict[str, Data]:
        """The intents by id, each in the version that one of the results names, or else in the first."""
        inputs = [evaluated for result in results if isinstance(evaluated := result.get("input"), dict)]
        named = [sums for evaluated in inputs if isinstance(sums := evaluated.get("intent_checksums"), dict)]
        return {
            id: next((of[sums[id]] for sums in named if str(sums.get(id)) in of), next(iter(of.values())))
            for id, of in self._versions.items()
        }

    @cached_property
    def _versions(self) -> dict[str, dict[str, Data]]:
        """Id -> checksum -> the intent as it was evaluated, one that was written by hand before one that was merged.

        A winner keeps its id, so a merged intent is distinguished from its source by its file name.
        """
        versions: dict[str, dict[str, Data]] = {}
        for _, data in sorted(self.documents["intent"].items(), key=lambda item: Path(item[0]).stem == MERGED):
            evaluated = restore(data)
            audit = evaluated.get("audit")
            checksum = audit.get("checksum") if isinstance(audit, dict) else None
            versions.setdefault(str(evaluated.get("id")), {}).setdefault(str(checksum), evaluated)
        return versions


def set_of(result: Data) -> object:
    """The id of the set that a result claims to belong to."""
    evaluated = result.get("input")
    return evaluated.get("intent_set_id") if isinstance(evaluated, dict) else None


def _manifest_fault(folder: Path, path: Path) -> str:
    """Why the manifest of an evaluation does not hold; empty if it does."""
    try:
        check_evaluation(folder)
    except BrokenRecord as error:
        return f"{folder.relative_to(path)}: {error.problems[0].what}"
    return ""

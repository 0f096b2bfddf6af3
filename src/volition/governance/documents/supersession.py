"""Supersession: losing plans are marked in their files, all or none, and can be restored.

The mark records the evaluation, the winner, the rule and the earlier state of the plan; so an evaluation can be repeated
on marked plans, and interrupted marking can be completed by running it again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from volition.core.document import dump_json, parse_json
from volition.core.errors import InvalidInput, Problems, refuse
from volition.governance.documents.checksums import intent_checksum, seal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from volition.governance.documents.result import EvaluationResult, Loss

    Data = dict[str, Any]


def mark_superseded(data: Data, loss: Loss, result_id: str) -> Data:
    """A plan as plain data, marked and sealed."""
    mark = {"result_id": result_id, "rule": loss.rule, "status": data["status"], "checksum": data["audit"]["checksum"]}
    if loss.lost_to:
        mark["superseded_by"] = loss.lost_to
    metadata = {**data.get("metadata", {}), "supersession": mark}
    return seal("intent", {**data, "status": "superseded", "metadata": metadata})


def restore(data: Data) -> Data:
    """A plan as it was before it was marked; without a mark that its checksum proves, the plan itself."""
    metadata = data.get("metadata")
    mark = metadata.get("supersession") if isinstance(metadata, dict) else None
    if not isinstance(mark, dict) or not isinstance(data.get("audit"), dict):
        return data
    rest = {name: value for name, value in (metadata or {}).items() if name != "supersession"}
    bare = {name: value for name, value in data.items() if name != "metadata"}
    for before in ({**data, "metadata": rest}, bare):
        restored = {
            **before,
            "status": mark.get("status"),
            "audit": {**data["audit"], "checksum": mark.get("checksum")},
        }
        if intent_checksum(restored) == mark.get("checksum"):
            return restored
    return data


def restore_bytes(content: bytes) -> bytes:
    """The file of a plan as it was before it was marked; any other content is returned unchanged."""
    if b'"supersession"' not in content:
        return content
    with suppress(InvalidInput):
        data = parse_json(content)
        if isinstance(data, dict) and (was := restore(data)) is not data:
            return orjson.dumps(was)
    return content


def marked_files(result: EvaluationResult, file_of: Callable[[str], Path]) -> dict[Path, bytes]:
    """The new content of the files of superseded plans; `replace_together` writes it.

    A file that is marked by this result already is left alone; one that is not what was evaluated is refused.
    """
    problems = Problems()
    changed: dict[Path, bytes] = {}
    for loss in result.losses:
        if loss.fate == "superseded":
            file = file_of(loss.intent_id)
            try:
                marked = _mark_file(file, loss, result)
            except InvalidInput as error:
                problems.include(error)
                continue
            if marked is not None:
                changed[file] = marked
    problems.raise_if_any(InvalidInput)
    return changed


def _mark_file(file: Path, loss: Loss, result: EvaluationResult) -> bytes | None:
    """The new content of the file of a loser; None if it is marked already."""
    try:
        data = parse_json(file.read_bytes(), where=str(file))
    except OSError as error:
        refuse(f"it cannot be read: {error.strerror}", where=str(file), expected="the plan", remedy="put it back")
    was = restore(data)
    if was["audit"]["checksum"] != result.input.intent_checksums[loss.intent_id]:
        expected = f"the plan with checksum {result.input.intent_checksums[loss.intent_id][:12]}..."
        refuse("this is not the plan that was evaluated", where=str(file), expected=expected, remedy="evaluate again")
    if was is data:
        return dump_json(mark_superseded(data, loss, result.id)).encode()
    if data["metadata"]["supersession"]["result_id"] != result.id:
        refuse(
            f"it was superseded by another evaluation, {data['metadata']['supersession']['result_id']}",
            where=str(file),
            expected=f"a plan that {result.id} may supersede",
            remedy="take it out of the set",
        )
    return None


def replace_together(files: Mapping[Path, bytes]) -> None:
    """Replace files, all or none: everything is written under temporary names before the first name changes.

    An error on the way puts back what was there. If the process dies on the way, each file is the old or the new one.
    """
    files = {Path(os.path.realpath(file)): content for file, content in files.items()}
    drafts = {file: file.with_name(f".{file.name}.draft") for file in files}
    before: dict[Path, bytes] = {}
    try:
        for file, draft in drafts.items():
            before[file] = file.read_bytes()
            with draft.open("wb") as stream:
                stream.write(files[file])
                stream.flush()
                os.fsync(stream.fileno())
            draft.chmod(file.stat().st_mode & 0o7777)
        try:
            for file, draft in drafts.items():
                draft.replace(file)
        except OSError:
            for file, draft in drafts.items():
                if not draft.exists():
                    file.write_bytes(before[file])
            raise
    except OSError as error:
        refuse(
            f"the plans cannot be marked: {error.strerror}",
            where=str(error.filename),
            expected="a folder that can be written",
            remedy="check its mode and its space; nothing was changed",
        )
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)

"""Loading an intent set with all its intents, from files or elsewhere; everything that is wrong is reported at once.

An id becomes a file name only after it has matched the pattern of ids, so no id leads anywhere but into the folder;
a link that leads out of the folder is refused.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from msgspec import Struct, to_builtins

from volition.core.document import parse_json
from volition.core.errors import InvalidInput, Problems, did_you_mean, refuse
from volition.governance.documents.checklist import target_findings
from volition.governance.documents.intent import INTENT_ID, IntentDocument, StrictStruct
from volition.governance.documents.intent_set import IntentSet, LargeIntentSet
from volition.governance.documents.kinds import LIMITS, kind_of_type
from volition.governance.documents.reading import parse_document
from volition.governance.documents.supersession import restore_bytes
from volition.governance.paths.names import is_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

D = TypeVar("D", bound=StrictStruct)

DEAD = frozenset({"rejected", "superseded"})
"""The states in which an intent is not evaluated any more."""

# Opening a pipe would wait for its writer without O_NONBLOCK.
_READ_ONLY = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


class Loaded(Struct, frozen=True):
    """A set and its intents, in the set's order."""

    intent_set: IntentSet
    intents: tuple[IntentDocument, ...]


def load_document(path: str | os.PathLike[str], type_: type[D]) -> D:
    """The document of this type in the file at `path`; InvalidInput lists everything that is wrong with it."""
    return parse_document(read_file(path, LIMITS[kind_of_type(type_)]), type_, where=str(path))


def load_set(
    path: str | os.PathLike[str],
    intents_dir: str | os.PathLike[str] | None = None,
    *,
    limit: bool = True,
    elsewhere: Sequence[str | os.PathLike[str]] = (),
    restore: bool = False,
) -> Loaded:
    """The set in the file at `path` and its intents, `ID.json` in `intents_dir` (default: beside the set).

    `elsewhere` are files of intents that lie in other places or under other names; each is known by its id. With
    `restore`, intents that an evaluation marked as superseded are read as they were before.
    """
    file = Path(path)
    folder = file.parent if intents_dir is None else Path(intents_dir)
    named = intent_files(elsewhere)

    def fetch(name: str) -> bytes:
        is_named = name in named
        content = read_file(named[name], LIMITS["intent"]) if is_named else _read_member(folder, f"{name}.json")
        return restore_bytes(content) if restore else content

    loaded = load_from(read_file(file, LIMITS["intent_set"]), fetch, where=str(file), limit=limit)
    for name in sorted(named.keys() - {*loaded.intent_set.intent_ids}):
        remedy = did_you_mean(name, loaded.intent_set.intent_ids)
        refuse(f"{name} is not in the set", where=str(named[name]), expected="an intent of the set", remedy=remedy)
    return loaded


def intent_files(files: Iterable[str | os.PathLike[str]]) -> dict[str, Path]:
    """Files of intents, by the id in each."""
    by_id: dict[str, Path] = {}
    for file in files:
        data = parse_json(read_file(file, LIMITS["intent"]), where=str(file))
        name = data.get("id") if isinstance(data, dict) else None
        if not isinstance(name, str) or name in by_id:
            what = f"{name} is given twice" if name in by_id else "this is not an intent: it has no id"
            refuse(what, where=str(file), expected="intents, each once", remedy="name the file of an intent")
        by_id[name] = Path(file)
    return by_id


def load_from(
    content: bytes, fetch: Callable[[str], bytes], *, where: str = "intent set", limit: bool = True
) -> Loaded:
    """The set in `content` and its intents, whose bytes `fetch` gives by id (InvalidInput where it cannot)."""
    problems = Problems()
    intent_set: IntentSet | None = None
    project: str | None
    try:
        intent_set = parse_document(content, IntentSet if limit else LargeIntentSet, where=where)
        ids, project = list(intent_set.intent_ids), intent_set.context.project_id
    except InvalidInput as error:
        problems.include(error)
        ids, project = _readable_ids(content)
    intents: list[IntentDocument] = []
    for place, name in enumerate(ids):
        spot = f"{where}, $.intent_ids[{place}] {name}"
        try:
            intent = parse_document(fetch(name), IntentDocument, where=spot)
        except InvalidInput as error:
            problems.include(error)
            continue
        intents.append(intent)
        if intent.id != name:
            what = f"the document is {intent.id!r}"
            problems.add(what, where=f"{spot}, $.id", expected=repr(name), remedy="rename the file")
        check_member(intent, project, spot, problems)
    problems.raise_if_any(InvalidInput)
    assert intent_set is not None
    return Loaded(intent_set, tuple(intents))


def _readable_ids(content: bytes) -> tuple[list[str], str | None]:
    """The ids and the project of an invalid set, as far as they can be read, so that its intents are checked too."""
    try:
        data = parse_json(content)
        ids = [name for name in data["intent_ids"] if isinstance(name, str) and re.match(INTENT_ID, name)]
        project = data.get("context", {}).get("project_id")
    except (InvalidInput, AttributeError, KeyError, TypeError):
        return [], None
    return list(dict.fromkeys(ids)), project if isinstance(project, str) else None


def check_member(intent: IntentDocument, project: str | None, spot: str, problems: Problems) -> None:
    """Report why an intent cannot be in a set of this project."""
    if project is not None and intent.scope.project_id != project:
        problems.add(
            f"the intent belongs to the project {intent.scope.project_id!r}",
            where=f"{spot}, $.scope.project_id",
            expected=f"{project!r}, the project of the set",
            remedy="take it out of the set, or correct the project",
        )
    if intent.status in DEAD:
        problems.add(
            f"the intent is {intent.status}",
            where=f"{spot}, $.status",
            expected="draft, proposed or approved",
            remedy="take it out of the set; what is rejected or superseded is not evaluated",
        )
    check_targets(intent, spot, problems)


def check_targets(intent: IntentDocument, spot: str, problems: Problems) -> None:
    """Report targets and locks that name nothing in the project."""
    targets, locks = intent.scope.targets, intent.constraints.lock_scope.paths
    if (
        intent.scope.repo_root == "."
        and all(map(is_plain, (*targets.files, *targets.modules, *locks)))
        and not (targets.reads or targets.removes or targets.renames)
    ):
        return  # nearly every plan, in a fraction of the time
    for finding in target_findings(to_builtins(intent.scope), locks):
        problems.include(InvalidInput(finding.problem(spot)))


def read_file(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes; InvalidInput says why there are none."""
    file = Path(path)
    try:
        handle = os.open(file, _READ_ONLY)
    except (OSError, ValueError) as error:
        _refuse_missing(file, error)
    return _read_handle(handle, file, most)


def _read_member(folder: Path, name: str) -> bytes:
    """The bytes of a file in `folder`; a link is followed only inside it."""
    file = folder / name
    most = LIMITS["intent"]
    try:
        return _read_handle(os.open(file, _READ_ONLY | os.O_NOFOLLOW), file, most)
    except OSError as error:
        if error.errno != errno.ELOOP:
            _refuse_missing(file, error)
    home, target = os.path.realpath(folder), os.path.realpath(file)
    if os.path.commonpath([home, target]) != home or Path(target).is_symlink():
        refuse(
            "the file is a link that leads out of the folder",
            where=str(file),
            expected="a file in the folder of the intents",
            remedy="copy the intent into the folder",
        )
    return read_file(target, most)


def _read_handle(handle: int, file: Path, most: int) -> bytes:
    """The bytes behind an open handle, so that the file that was checked is the one that is read."""
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        refuse("this is not a regular file", where=str(file), expected="a file", remedy="name a file")
    with open(handle, "rb") as stream:
        if status.st_size > most:
            refuse(
                f"the file has {status.st_size} bytes",
                where=str(file),
                expected=f"at most {most} bytes",
                remedy="shorten its lists and texts: refer to evidence instead of holding it",
            )
        return stream.read(most + 1)


def _refuse_missing(file: Path, error: OSError | ValueError) -> NoReturn:
    what = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
    remedy = "check the name and its mode"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        what = "there is no such file"
        near = sorted(neighbour.name for neighbour in file.parent.iterdir()) if file.parent.is_dir() else []
        remedy = did_you_mean(file.name, near) if near else "check the name; its folder is empty or does not exist"
    refuse(what, where=str(file), expected="a file that can be read", remedy=remedy)

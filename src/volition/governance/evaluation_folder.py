"""An evaluation on disk: its documents, its inputs and a manifest; it can be reopened and verified.

A folder holds the documents of the outcome and, in `inputs`, the set, its intents, the policy and the answers as they were
given. So an evaluation can be made again from its folder alone, and its questions answered later.
"""

from __future__ import annotations

import re
from shutil import rmtree
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.core.document import write_atomically
from volition.core.errors import BrokenRecord, MissingPart, Problem, VolitionError, refuse
from volition.core.manifest import MANIFEST, read_manifest, write_manifest
from volition.governance.documents.intent import INTENT_ID
from volition.governance.documents.kinds import LIMITS
from volition.governance.documents.loading import load_from, read_file
from volition.governance.documents.packs import AnswerPack
from volition.governance.documents.policy import BUILT_IN, parse_policy
from volition.governance.documents.reading import parse_document
from volition.governance.evaluator import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from volition.core.manifest import Manifest
    from volition.governance.documents.loading import Loaded
    from volition.governance.evaluator import EvaluationOutcome

KIND: Final = "evaluation"
DOCUMENTS: Final = ("merge_plan.json", "merged_intent.json", "question_pack.json", "result.json")
"""What an evaluation may write; the last one is written last, so if it exists, everything exists."""
ASIDE: Final = ("rounds.toml",)
"""Files next to the documents that help to continue; the manifest covers them, and no evaluation depends on them."""
INPUTS: Final = "inputs"
_SET, _POLICY = f"{INPUTS}/set.json", f"{INPUTS}/policy.toml"


class Inputs(Struct, frozen=True):
    """The inputs of an evaluation: the exact bytes of the set, of its intents by id, and of the answers, in order."""

    intent_set: bytes
    intents: Mapping[str, bytes]
    policy: str | None = None
    answers: tuple[bytes, ...] = ()
    now: str | None = None
    limit: bool = True


def inputs_from(
    set_file: Path,
    place: Callable[[str], Path],
    loaded: Loaded,
    policy: Path | None,
    answers: tuple[Path, ...],
    **options: Any,
) -> Inputs:
    """The inputs of an evaluation as they are in files, after they were loaded; `place` says where each intent is."""
    return Inputs(
        read_file(set_file, LIMITS["intent_set"]),
        {intent.id: read_file(place(intent.id), LIMITS["intent"]) for intent in loaded.intents},
        None if policy is None else policy.read_text(encoding="utf-8"),
        tuple(read_file(file, LIMITS["answer_pack"]) for file in answers),
        **options,
    )


def write_evaluation(folder: Path, files: Mapping[str, bytes], inputs: Inputs | None) -> None:
    """Write the documents of an outcome with their inputs, each atomically; those of an earlier outcome are removed first."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (*ASIDE, *DOCUMENTS):
            if name not in files or name == DOCUMENTS[-1]:
                (folder / name).unlink(missing_ok=True)
        if (folder / INPUTS).is_dir():
            rmtree(folder / INPUTS)
        if inputs is not None:
            (folder / INPUTS).mkdir()
    except OSError as error:
        what = f"documents cannot be written here: {error.strerror}"
        refuse(what, where=str(folder), expected="a folder that is there or can be made", remedy="name another one")
    kept_inputs = {} if inputs is None else _input_files(inputs)
    written = {**kept_inputs, **{name: files[name] + b"\n" for name in (*ASIDE, *DOCUMENTS) if name in files}}
    about = {} if inputs is None else {"now": inputs.now, "limit": inputs.limit}
    for name, content in written.items():
        if name != DOCUMENTS[-1]:
            write_atomically(folder / name, content)
    write_manifest(folder, KIND, written, about)
    write_atomically(folder / DOCUMENTS[-1], written[DOCUMENTS[-1]])


def check_evaluation(folder: Path) -> Manifest:
    """Check every byte of an evaluation; BrokenRecord names the first file that is not as it was written."""
    if not any((folder / name).exists() for name in (MANIFEST, DOCUMENTS[-1])):
        refuse(
            "there is no evaluation",
            where=str(folder),
            expected="a folder that `volition govern evaluate --out` wrote",
            remedy="check the path",
        )
    manifest = read_manifest(folder)
    if manifest.kind != KIND or DOCUMENTS[-1] not in manifest.files:
        raise _broken_record(folder, "the manifest is not one of an evaluation")
    for name in (*ASIDE, *DOCUMENTS):
        if name not in manifest.files and (folder / name).exists():
            raise _broken_record(folder, f"{name} does not belong to this evaluation")
    return manifest


def read_inputs(folder: Path) -> Inputs | None:
    """The inputs of an intact evaluation; None if they were not kept."""
    manifest = check_evaluation(folder)
    if _SET not in manifest.files:
        return None

    def content(name: str) -> bytes:
        return (folder / name).read_bytes()

    ids = {name: name.removeprefix(f"{INPUTS}/").removesuffix(".json") for name in manifest.files}
    rounds = range(1, 1 + sum(name.startswith(f"{INPUTS}/answers_") for name in manifest.files))
    return Inputs(
        content(_SET),
        {id: content(name) for name, id in ids.items() if name.startswith(INPUTS) and re.match(INTENT_ID, id)},
        content(_POLICY).decode() if _POLICY in manifest.files else None,
        tuple(content(_answers_name(number)) for number in rounds),
        manifest.about.get("now"),
        bool(manifest.about.get("limit", True)),
    )


def read_answers(folder: Path) -> tuple[AnswerPack, ...]:
    """The answers that an evaluation was made with, round by round, as they are there: whether they count is not looked at."""
    inputs = read_inputs(folder)
    return () if inputs is None else tuple(parse_document(content, AnswerPack) for content in inputs.answers)


def verify_evaluation(folder: Path) -> int:
    """Check every byte and, if the inputs were kept, evaluate them again; returns the number of verified files.

    BrokenRecord says which file was changed, or which document comes out differently.
    """
    manifest = check_evaluation(folder)
    inputs = read_inputs(folder)
    if inputs is not None:
        try:
            again = {name: content + b"\n" for name, content in _evaluate_again(inputs).files().items()}
        except MissingPart:
            raise  # nothing is known about the record then
        except VolitionError as error:
            raise _broken_record(folder, f"it cannot be evaluated again: {error.problems[0].what}") from error
        for name in DOCUMENTS:
            if again.get(name) != ((folder / name).read_bytes() if name in manifest.files else None):
                raise _broken_record(folder, f"evaluated again, {name} comes out differently")
    return len(manifest.files)


def _evaluate_again(inputs: Inputs) -> EvaluationOutcome:
    policy = BUILT_IN if inputs.policy is None else parse_policy(inputs.policy)
    loaded = load_from(inputs.intent_set, inputs.intents.__getitem__, limit=inputs.limit)
    packs = [parse_document(content, AnswerPack) for content in inputs.answers]
    return evaluate(loaded, policy=policy, answers=packs or None, now=inputs.now, limit=inputs.limit)


def _input_files(inputs: Inputs) -> dict[str, bytes]:
    named = {_SET: inputs.intent_set}
    named |= {f"{INPUTS}/{id}.json": content for id, content in inputs.intents.items()}
    named |= {_answers_name(number): content for number, content in enumerate(inputs.answers, 1)}
    return named if inputs.policy is None else {**named, _POLICY: inputs.policy.encode()}


def _answers_name(number: int) -> str:
    return f"{INPUTS}/answers_{number}.json"


def _broken_record(folder: Path, what: str) -> BrokenRecord:
    return BrokenRecord(
        Problem(
            what,
            str(folder),
            "an evaluation as it was written",
            "restore the folder from a copy, or evaluate the set again",
        )
    )

"""The questions of saved evaluations: each once, however often it was saved, with the evaluation that answers it if there is one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from volition.core.errors import Problem, VolitionError
from volition.core.signing import name_fault
from volition.governance import IntentDocument, parse_document
from volition.governance.documents.loading import load_from
from volition.governance.documents.packs import AnswerPack, QuestionPack
from volition.governance.documents.policy import BUILT_IN, parse_policy
from volition.governance.documents.signatures import signature_fault
from volition.governance.evaluation_folder import read_inputs
from volition.governance.preview import preview_options
from volition.studio.acts import ActShape, when
from volition.studio.answerer import signers_of
from volition.studio.cache import Cache
from volition.studio.questions import (
    InboxAction,
    InboxAnswer,
    InboxDetail,
    InboxEvent,
    InboxItem,
    InboxState,
    chosen_labels,
    option_shapes,
    title_of,
)
from volition.studio.records import result_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from volition.governance.evaluation_folder import Inputs
    from volition.governance.preview import OptionPreview
    from volition.studio.answerer import KeysOf
    from volition.studio.store import StoredRecord

KEPT: Final = 4096
UNNAMED: Final = "author"
"""The author of a draft in which nobody is named."""
LED_TO: Final = {
    "merge_union": "All of it was merged.",
    "override_by_priority": "It was merged, and some plans gave way.",
    "reject": "Nothing was merged yet.",
    "no_merge_needed": "Nothing needed merging.",
}
_WITHOUT_PLANS: Final = Problem(
    "its plans were not saved with it",
    "the saved evaluation",
    "an evaluation with its inputs",
    "evaluate the plans again: volition govern evaluate SET --out FOLDER",
)


class SavedAnswer(Struct, frozen=True):
    """An answer with which an evaluation was made, and why it does not count; None where it does."""

    pack: AnswerPack
    fault: str | None


class SavedQuestion(Struct, frozen=True):
    """What the inbox needs of a saved evaluation: its questions, if it has some, and the answers that it was made with."""

    id: str
    set_id: str
    modified: float
    strategy: str
    pack: QuestionPack | None
    answers: tuple[SavedAnswer, ...]
    titles: dict[str, str]
    authors: tuple[str, ...]
    may_be_answered: bool
    """Whether its plans were saved with it."""


class SavedQuestions:
    """The saved evaluations of a folder, each read once for every state of its files."""

    def __init__(self) -> None:
        self._read = Cache[SavedQuestion | None](KEPT)

    def items(
        self,
        records: Iterable[StoredRecord],
        noted: Mapping[str, ActShape],
        problem: Problem | None,
        keys_of: KeysOf,
    ) -> list[InboxItem]:
        """The items of these records. `noted` says who answered, by the record that has the answer; a `problem` keeps the person
        of this studio from answering; `keys_of` says which keys names have, where that is known."""
        saved = self._judge_all(records, noted, keys_of)
        answered, not_counted = _answers_by_question(saved)
        newest = {question.pack.checksum: question for question in sorted(saved, key=_whole_and_new) if question.pack}
        return [
            _item(question, answered.get(checksum), not_counted.get(checksum, []), noted, problem)
            for checksum, question in newest.items()
        ]

    def acts(self, records: Iterable[StoredRecord], noted: Mapping[str, ActShape], keys_of: KeysOf) -> list[ActShape]:
        """The answers in these records as acts, each once: in the first evaluation that was made with it."""
        acts: dict[str, ActShape] = {}
        for question in sorted(self._judge_all(records, noted, keys_of), key=_by_answers):
            for answer in question.answers:
                giver = _giver_of(question, answer.pack, noted)
                act = ActShape(
                    giver.who, "answer", giver.at, question.set_id, question.id, signer=giver.key, fault=answer.fault
                )
                acts.setdefault(f"{answer.pack.pack_id} {answer.fault}", act)
        return list(acts.values())

    def _judge_all(
        self, records: Iterable[StoredRecord], noted: Mapping[str, ActShape], keys_of: KeysOf
    ) -> list[SavedQuestion]:
        """The saved evaluations among some records, with whether their answers count."""
        saved = [question for record in records if record.what == "evaluation" and (question := self._look(record))]
        keys = keys_of(signers_of([answer.pack for question in saved for answer in question.answers]))
        return [_judge(question, noted.get(question.id), keys) for question in saved]

    def _look(self, record: StoredRecord) -> SavedQuestion | None:
        return self._read.get((record.place, record.fingerprint), lambda: _read_saved(record))


def saved_id(checksum: str) -> str:
    """The id of an item in the inbox, by the checksum of its questions."""
    return f"saved-{checksum[:24]}"


def saved_detail(item: InboxItem, folder: Path) -> InboxDetail:
    """An item with what each option leads to; the questions of an evaluation without its plans lead to nothing that is known."""
    inputs = read_inputs(folder)
    previews: tuple[OptionPreview, ...] = ()
    commands: dict[str, list[InboxAction]] = {}
    if inputs is not None and item.state == "open":
        loaded = load_from(inputs.intent_set, inputs.intents.__getitem__, limit=inputs.limit)
        policy = BUILT_IN if inputs.policy is None else parse_policy(inputs.policy)
        previews = preview_options(loaded, policy, [parse_document(content, AnswerPack) for content in inputs.answers])
        commands = {
            intent.id: [
                InboxAction(intent.id, intent.title, command.command_id, command.intent)
                for command in intent.planned_commands
            ]
            for intent in loaded.intents
        }
    history = [InboxEvent(item.asked_at, "", f"asked in {item.record}", None)] if item.asked_at else []
    for answer in item.not_counted:
        what = f"answered: {'; '.join(answer.chosen)}; it does not count: {answer.fault}"
        history.append(InboxEvent(answer.at, answer.who, what, answer.key))
    if item.answer is not None:
        what = f"answered: {'; '.join(item.answer.chosen)}"
        history.append(InboxEvent(item.answer.at, item.answer.who, what, item.answer.key))
    return InboxDetail(item, option_shapes(previews, commands), [], history)


def _read_saved(record: StoredRecord) -> SavedQuestion | None:
    """A saved evaluation as the inbox needs it; None where it cannot be read, which its record says."""
    try:
        result, inputs, file = result_of(record), read_inputs(record.path), record.path / "question_pack.json"
        pack = None
        if file.is_file() and not file.is_symlink():
            pack = parse_document(file.read_bytes(), QuestionPack)
        intents = _intents(inputs)
        packs = [] if inputs is None else [parse_document(content, AnswerPack) for content in inputs.answers]
        answers = tuple(SavedAnswer(pack, signature_fault(pack) or None) for pack in packs)
    except (VolitionError, OSError):
        return None
    return SavedQuestion(
        id=record.id,
        set_id=result.input.intent_set_id,
        modified=record.modified,
        strategy=result.evaluation.merge_plan.strategy,
        pack=pack,
        answers=answers,
        titles={id: intents[id].title if id in intents else id for id in result.input.intent_checksums},
        authors=tuple(sorted({intent.audit.created_by for intent in intents.values()} - {UNNAMED})),
        may_be_answered=inputs is not None,
    )


def _intents(inputs: Inputs | None) -> dict[str, IntentDocument]:
    if inputs is None:
        return {}
    return {id: parse_document(content, IntentDocument) for id, content in inputs.intents.items()}


def _judge(one: SavedQuestion, noted: ActShape | None, keys: Mapping[str, Collection[str]]) -> SavedQuestion:
    """A saved evaluation whose answers are also judged by the keys of their names, and by what was noted when it was saved."""
    answers = [SavedAnswer(each.pack, each.fault or _key_fault(each.pack, keys)) for each in one.answers]
    if answers and noted is not None and noted.signer is not None and answers[-1].pack.signature is None:
        answers[-1] = SavedAnswer(answers[-1].pack, "its signature was taken away")
    return replace(one, answers=tuple(answers))


def _key_fault(pack: AnswerPack, keys: Mapping[str, Collection[str]]) -> str | None:
    """Why the key that signed an answer is not that of its name."""
    return None if pack.signature is None else name_fault(pack.signature.by, pack.signature.key, keys) or None


def _whole_and_new(one: SavedQuestion) -> tuple[bool, float]:
    return _fault_of(one) is None, one.modified


def _fault_of(one: SavedQuestion) -> str | None:
    """Why an evaluation does not follow from answers that count; None where it does."""
    return next((each.fault for each in one.answers if each.fault), None)


Given = tuple[SavedQuestion, AnswerPack]
"""An answer, and the evaluation that was made with it."""


def _by_answers(question: SavedQuestion) -> tuple[int, float]:
    """An evaluation that was made with fewer answers comes first, and an older one before a newer."""
    return len(question.answers), question.modified


def _answers_by_question(
    saved: Iterable[SavedQuestion],
) -> tuple[dict[str, Given], dict[str, list[tuple[SavedQuestion, SavedAnswer]]]]:
    """Question pack -> its answer, in the first evaluation that was made with it; and the answers that do not count."""
    counted: dict[str, Given] = {}
    not_counted: dict[str, list[tuple[SavedQuestion, SavedAnswer]]] = {}
    for question in sorted(saved, key=_by_answers):
        for answer in question.answers:
            if answer.fault is None:
                counted.setdefault(answer.pack.question_pack_checksum, (question, answer.pack))
            else:
                not_counted.setdefault(answer.pack.question_pack_checksum, []).append((question, answer))
    return counted, not_counted


def _item(
    one: SavedQuestion,
    answered: Given | None,
    not_counted: Sequence[tuple[SavedQuestion, SavedAnswer]],
    noted: Mapping[str, ActShape],
    problem: Problem | None,
) -> InboxItem:
    assert one.pack is not None
    until = _seconds(one.pack.expires_at)
    left = None if until is None else until - datetime.now(UTC).timestamp()
    state: InboxState = "answered" if answered else "expired" if left is not None and left <= 0 else "open"
    then = ""
    if answered:
        then = LED_TO.get(answered[0].strategy, "")
    elif state == "expired":
        then = "Nobody answered in time, and nothing was merged: evaluate the plans again."
    why_not = (problem or _why_not(one)) if state == "open" else None
    return InboxItem(
        id=saved_id(one.pack.checksum),
        source="evaluation",
        kind="question",
        state=state,
        title=title_of(list(one.titles.values())),
        titles=one.titles,
        waiting=list(one.authors),
        answerers=[],
        asked_at=one.modified,
        until=until,
        seconds_left=left if state == "open" else None,
        then=then,
        mine=state == "open" and why_not is None,
        why_not=why_not,
        checksum=one.pack.checksum,
        question_pack=msgspec.to_builtins(one.pack),
        answer=None if answered is None else _answer(one.pack, *answered, noted),
        record=one.id,
        led_to=answered[0].id if answered else None,
        not_counted=[_answer(one.pack, by, each.pack, noted, each.fault) for by, each in not_counted],
    )


def _why_not(one: SavedQuestion) -> Problem | None:
    """Why nobody can answer the questions of a saved evaluation; None where somebody can."""
    if not one.may_be_answered:
        return _WITHOUT_PLANS
    if (fault := _fault_of(one)) is None:
        return None
    what, expected = f"it was made with an answer that does not count: {fault}", "an evaluation with answers that count"
    return Problem(what, "the saved evaluation", expected, "answer the earlier question again")


def _answer(
    pack: QuestionPack,
    by: SavedQuestion,
    answer: AnswerPack,
    noted: Mapping[str, ActShape],
    fault: str | None = None,
) -> InboxAnswer:
    choices = {each.question_id: each.answer_text for each in answer.answers}
    return replace(_giver_of(by, answer, noted), chosen=chosen_labels(pack, choices), fault=fault)


def _giver_of(by: SavedQuestion, answer: AnswerPack, noted: Mapping[str, ActShape]) -> InboxAnswer:
    """Who gave an answer, and when: by its signature or, where it has none, as it was noted when it was saved."""
    note, signature = noted.get(by.id), answer.signature
    who, key = (note.who if note else "", None) if signature is None else (signature.by, signature.key)
    at = when(_seconds(answer.provided_at) or by.modified, note)
    return InboxAnswer(who, key, at, [], by.id)


def _seconds(moment: str | None) -> float | None:
    """A time of a document in seconds since 1970; None where there is none, or it cannot be read."""
    try:
        read = datetime.fromisoformat(moment or "")
    except ValueError:
        return None
    return read.replace(tzinfo=read.tzinfo or UTC).timestamp()

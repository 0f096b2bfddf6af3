"""Questions: what only a person can settle, with the options; and the answers.

A question is open about a part of a cluster that no priority settles, a conflict of the whole set, or plans that depend on
one that is not there. Each of its options is an act that the evaluation performs when the option is chosen.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from volition.core.errors import InvalidInput, Problems, did_you_mean, refuse
from volition.governance.documents.checksums import whole_checksum
from volition.governance.documents.intent import LEVELS, UNSEALED
from volition.governance.documents.packs import Answer, AnswerPack, Impact, PackPolicy, PackQuestion, QuestionPack
from volition.governance.documents.result import Option, Question
from volition.governance.documents.signatures import check_signature
from volition.governance.wording import fit_names, join_names, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.result import Conflict
    from volition.governance.settlement.prerequisites import Gap

QuestionKey = tuple[bool, str, tuple[int, ...]]
"""What identifies a question across rounds: whether it is about the whole set, what it is about, and the plans."""
MOST_WRONG: Final = 50
"""How many wrong answers are explained."""
LABEL: Final = 200
"""How long the label of an option may be."""


class Act(Struct, frozen=True):
    """What choosing an option does, and to which plans.

    Keep some of a part, unite it in order, or drop it; for the whole set: cap the budgets, leave some out, or stop, that is
    merge nothing; for plans that depend on one that is not there: go on without it, or prefer the one that they depend on.
    """

    name: Literal["keep", "unite", "drop", "cap", "leave_out", "stop", "go_on", "prefer"]
    members: tuple[int, ...] = ()


class QuestionChoice(Struct, frozen=True):
    """One option as the evaluation sees it."""

    label: str
    implications: str
    act: Act


class OpenQuestion(Struct, frozen=True):
    """What only a person can settle: the plans it concerns, the conflicts behind it, and the choices."""

    members: tuple[int, ...]
    conflicts: tuple[Conflict, ...]
    condition: str
    reason: str
    choices: tuple[QuestionChoice, ...]
    whole_set: bool = False
    about: str = ""
    """What the question is about, if its members do not tell: the plan that others depend on."""

    @property
    def key(self) -> QuestionKey:
        """What identifies the question across rounds."""
        return (self.whole_set, self.condition if self.whole_set else self.about, self.members)


def component_question(
    members: Sequence[int],
    possible: Sequence[tuple[int, ...]],
    intents: Sequence[IntentDocument],
    conflicts: Sequence[Conflict],
    why: str,
    *,
    more: bool,
    orders: Sequence[tuple[int, ...]] = (),
    needed_by: Mapping[int, Sequence[str]] | None = None,
) -> OpenQuestion:
    """The question of an open part of a cluster: which of the possible choices is kept, or all, in order, or none.

    `possible` are the choices that can be kept together; `more` says that there are others. `orders` are those in which
    all can follow each other, and `needed_by` says which other plans depend on each.
    """
    names = {number: intents[number].id for number in members}
    needed_by = needed_by or {}
    choices = [_keep_choice(choice, names, needed_by) for choice in possible]
    for each in orders:
        order = fit_names([names[number] for number in each], 160, between=" then ")
        implied = "All commands are kept; what else decides the order comes first."
        choices.append(QuestionChoice(f"One after the other: {order}", implied, Act("unite", tuple(each))))
    if len(members) < len(intents):
        implied = f"{fit_names([*names.values()], 250)} superseded; the others are merged."
        implied += _describe_needed(members, needed_by)
        choices.append(QuestionChoice("Drop all of them", implied, Act("drop", tuple(members))))
    beyond = (
        f" More than {len(possible)} outcomes are possible; for another one, set metadata.priority or split the set."
    )
    return OpenQuestion(
        members=tuple(members),
        conflicts=tuple(conflicts),
        condition=f"Which of {fit_names([*names.values()], 450)} is to be followed?",
        reason=shorten(f"They clash ({_describe_conflicts(conflicts)}) and {why}.", 800) + (beyond if more else ""),
        choices=_number_duplicates(choices),
    )


def _describe_needed(gone: Iterable[int], needed_by: Mapping[int, Sequence[str]]) -> str:
    """Which plans depend on what would be gone, as a separate sentence; empty if none do."""
    waiting = sorted({name for number in gone for name in needed_by.get(number, ())})
    verb = "depends" if len(waiting) == 1 else "depend"
    return f" {fit_names(waiting, 120)} {verb} on what is dropped, and will be asked about." if waiting else ""


def prerequisite_question(
    gap: Gap, text: str, all_dependents: Sequence[int], names: Sequence[str], needed: int | None
) -> OpenQuestion:
    """The question about plans that depend on one that will not be executed; `needed` is its number, if it could be
    preferred to what it lost to."""
    who = fit_names([names[number] for number in all_dependents], LABEL - 60)
    choices = [
        QuestionChoice(
            f"Drop {who} too", f"Without {gap.needed} it is not executed.", Act("drop", tuple(all_dependents))
        ),
        QuestionChoice(
            f"Go on without {gap.needed}",
            f"Choose this if {gap.needed} is done already, or is not needed after all.",
            Act("go_on", gap.dependents),
        ),
    ]
    if needed is not None:
        implied = f"What {gap.needed} clashes with gives way to it."
        choices.insert(0, QuestionChoice(f"Keep {gap.needed}", implied, Act("prefer", (needed,))))
    return OpenQuestion(
        members=gap.dependents,
        conflicts=(),
        condition=shorten(f"{text}. What is to happen?", 500),
        reason="No plan is executed without what it depends on, unless somebody says so.",
        choices=_number_duplicates(choices),
        about=f"prerequisite {gap.needed}",
    )


def _keep_choice(
    choice: Sequence[int], names: Mapping[int, str], needed_by: Mapping[int, Sequence[str]]
) -> QuestionChoice:
    kept = [names[number] for number in choice]
    others = [name for number, name in names.items() if number not in choice]
    label = f"Keep {join_names(kept)}"
    if len(label) > LABEL:
        all_but = f"Keep all but {join_names(others)}"
        label = all_but if len(all_but) <= LABEL else f"Keep {fit_names(kept, LABEL - 25)}"
    implied = f"{fit_names(others, 220)} superseded: commands and agents are dropped."
    implied += _describe_needed((number for number in names if number not in choice), needed_by)
    return QuestionChoice(label, implied, Act("keep", tuple(choice)))


def _number_duplicates(choices: Sequence[QuestionChoice]) -> tuple[QuestionChoice, ...]:
    """The choices; labels that name too few plans to differ are numbered."""
    labels = [choice.label for choice in choices]
    return tuple(
        choice if labels.count(choice.label) == 1 else replace(choice, label=f"{choice.label} (choice {number})")
        for number, choice in enumerate(choices, 1)
    )


def whole_set_question(
    conflicts: Sequence[Conflict],
    size: int,
    leaving: Sequence[tuple[int, ...]],
    names: Sequence[str],
    *,
    more: bool,
    capping: bool,
) -> OpenQuestion:
    """The question of a conflict of the whole set: make it fit, leave plans out, or merge nothing.

    `leaving` are the choices of plans without which the others fit; `more` says that there are others.
    """
    choices = []
    if capping:
        implied = "All are merged, with less than they asked for together."
        choices.append(QuestionChoice("Cap the budgets at the limits", implied, Act("cap")))
    for some in leaving:
        left = [names[number] for number in some]
        implied = f"The others are merged and fit; {fit_names(left, 440)} stays as it is."
        choices.append(QuestionChoice(f"Leave out {fit_names(left, LABEL - 30)}", implied, Act("leave_out", some)))
    implied = "The plans are to be revised first; the result stays a rejection."
    choices.append(QuestionChoice("Merge nothing", implied, Act("stop")))
    if len(choices) == 1:
        implied = "Smaller sets are to be evaluated one by one."
        choices.append(QuestionChoice("Merge nothing, and split the set", implied, Act("stop")))
    about = "budgets" if capping else "capacities"
    beyond = " Others could be left out too; for that, take them out of the set." if more else ""
    return OpenQuestion(
        members=tuple(range(size)),
        conflicts=tuple(conflicts),
        condition=f"Together the plans exceed the {about} of one intent. What is to give way?",
        reason=shorten(" ".join(c.description or "" for c in conflicts), 900) + beyond,
        choices=_number_duplicates(choices),
        whole_set=True,
    )


def result_question(open_question: OpenQuestion, place: int) -> Question:
    """An open question as a question of the result."""
    return Question(
        question_id=question_id(place),
        condition=open_question.condition,
        reason=open_question.reason,
        options=options(open_question),
    )


def question_id(place: int) -> str:
    return f"question_{place + 1:04d}"


def options(open_question: OpenQuestion) -> tuple[Option, ...]:
    """The choices as options."""
    return tuple(
        Option(option_id=f"option_{n:04d}", label=choice.label, implications=choice.implications)
        for n, choice in enumerate(open_question.choices, 1)
    )


def question_pack(
    open_questions: Sequence[OpenQuestion], result_id: str, intents: Sequence[IntentDocument], moment: str
) -> QuestionPack:
    """All open questions for a person. Dated as its set, so that it is always the same."""
    asked = tuple(_pack_question(open_question, place) for place, open_question in enumerate(open_questions))
    blocking = any(intent.interaction.question_policy == "blockers_only" for intent in intents)
    pack = QuestionPack(
        pack_id=f"qpack_{sha256(result_id.encode()).hexdigest()[:32]}",
        schema_version="0.9.2",
        coordinator_run_id=result_id,
        intent_id=intents[open_questions[0].members[0]].id,
        questions=asked,
        policy_constraints=PackPolicy(
            execution_mode="interactive",
            question_budget=len(asked),
            question_policy="blockers_only" if blocking else "all",
            budget_consumed=len(asked),
            budget_remaining=0,
        ),
        created_at=moment,
        checksum=UNSEALED,
    )
    return replace(pack, checksum=whole_checksum(pack))


def _pack_question(open_question: OpenQuestion, place: int) -> PackQuestion:
    refs = dict.fromkeys(ref for conflict in open_question.conflicts for ref in conflict.evidence_refs)
    refs = refs or dict.fromkeys([open_question.about])
    text = " ".join(conflict.description or "" for conflict in open_question.conflicts)
    return PackQuestion(
        question_id=question_id(place),
        type="blocker",
        blocking_level=max((c.severity for c in open_question.conflicts), key=LEVELS.index, default="high"),
        question_text=shorten(f"{open_question.condition} {open_question.reason}", 2000),
        context=shorten(text or open_question.reason, 4000),
        evidence_refs=tuple(refs)[:50],
        impact=Impact(
            scope="entire_plan",
            description=f"Nothing is merged while this is open; it concerns {len(open_question.members)} plans.",
        ),
        options=options(open_question),
        default_strategy="reject",
    )


def answer_questions(pack: QuestionPack, choices: Mapping[str, str], moment: str) -> AnswerPack:
    """Answers to a pack: question id -> option id; InvalidInput names unknown questions and options."""
    _check_answers(pack, [(name, "choice", option) for name, option in choices.items()])
    if not choices:
        refuse("no answer was given", where="answers", expected="at least one", remedy="choose an option of a question")
    content = f"{pack.checksum} {moment} {sorted(choices.items())}"
    return AnswerPack(
        pack_id=f"apack_{sha256(content.encode()).hexdigest()[:32]}",
        question_pack_id=pack.pack_id,
        question_pack_checksum=pack.checksum,
        answers=tuple(
            Answer(question_id=name, answer_type="choice", answer_text=option, provided_at=moment, provided_by="human")
            for name, option in sorted(choices.items())
        ),
        provided_at=moment,
    )


def chosen_acts(
    open_questions: Sequence[OpenQuestion], pack: QuestionPack, answers: AnswerPack
) -> dict[QuestionKey, Act]:
    """Question -> the chosen act; answers that are not as they were signed, or belong to another question pack, are refused."""
    check_signature(answers)
    if answers.question_pack_checksum != pack.checksum or answers.question_pack_id != pack.pack_id:
        refuse(
            f"the answers belong to {answers.question_pack_id}, as it was with checksum {answers.question_pack_checksum[:12]}...",
            where="answers, $.question_pack_checksum",
            expected=f"answers to {pack.pack_id} with checksum {pack.checksum[:12]}...",
            remedy="something has changed since the questions were asked: evaluate again, and answer the new questions",
        )
    choices = [(answer.question_id, answer.answer_type, answer.answer_text) for answer in answers.answers]
    _check_answers(pack, choices)
    by_id = {question_id(place): open_question for place, open_question in enumerate(open_questions)}
    return {by_id[name].key: by_id[name].choices[int(option[-4:]) - 1].act for name, _, option in choices}


def _check_answers(pack: QuestionPack, choices: Sequence[tuple[str, str, str]]) -> None:
    problems = Problems()
    offered = {q.question_id: [option.option_id for option in q.options] for q in pack.questions}
    seen: set[str] = set()
    for place, (name, kind, text) in enumerate(choices):
        where = f"answers, $.answers[{place}]"
        if len(problems) == MOST_WRONG:
            what, remedy = f"{len(choices) - place} more answers were not looked at", "correct these first"
            problems.add(what, where=where, expected="answers to the questions of the pack", remedy=remedy)
            break
        if name not in offered:
            problems.add(
                f"no question {name!r}",
                where=where,
                expected="a question of the pack",
                remedy=did_you_mean(name, offered),
            )
        elif kind != "choice" or text not in offered[name]:
            problems.add(
                f"{text!r} ({kind}) is not an option of {name}",
                where=where,
                expected="a choice of one option's id",
                remedy=did_you_mean(text, offered[name]),
            )
        elif name in seen:
            problems.add(
                f"{name} is answered twice",
                where=where,
                expected="one answer to each question",
                remedy="leave one of them out",
            )
        seen.add(name)
    problems.raise_if_any(InvalidInput)


def _describe_conflicts(conflicts: Sequence[Conflict]) -> str:
    contested = [
        f"{c.type.replace('_', ' ')} on {c.resource_ref}" if c.resource_ref else c.type.replace("_", " ")
        for c in conflicts
    ]
    return ", ".join(contested[:4]) + (f" and {len(contested) - 4} more" if len(contested) > 4 else "")

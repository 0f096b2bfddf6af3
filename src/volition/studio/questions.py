"""Questions for people as the inbox shows them, wherever they come from; what each option leads to, and what happened so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct

from volition.core.errors import Problem  # noqa: TC001  msgspec reads the annotations
from volition.studio.team_shapes import Hash  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.governance.documents.packs import QuestionPack
    from volition.governance.preview import OptionPreview

QuestionSource = Literal["evaluation", "team"]
InboxState = Literal["open", "answered", "expired", "closed"]
NAMED = 3
"""How many plans a title names."""


class InboxAction(Struct, frozen=True):
    """One command of a plan."""

    plan: str
    """The id of its plan."""
    title: str
    """The title of its plan."""
    command: str
    """The id of the command."""
    words: str
    """What is done for it: what it is bound to or, where nothing is bound, what its plan says."""


class InboxOption(Struct, frozen=True):
    """What choosing one option leads to, as the evaluation would decide it."""

    question: str
    """The id of the question."""
    option: str
    """The id of the option."""
    approves: list[InboxAction]
    """The commands that it lets through."""
    forbids: list[InboxAction]
    """The commands that it stops."""
    undecided: list[InboxAction]
    """The commands that another question is still about."""


class InboxAnswer(Struct, frozen=True):
    """Who answered, when, and what was chosen."""

    who: str
    """The name under which it is recorded; empty where nobody recorded one."""
    key: str | None
    """The public key that signed it; null where nothing is signed."""
    at: float
    """When, in seconds since 1970."""
    chosen: list[str]
    """The labels of the chosen options, one for each question."""
    record: str | None = None
    """The saved evaluation that has it."""
    fault: str | None = None
    """Why it does not count: its signature does not fit; null where it counts."""


class InboxEvent(Struct, frozen=True):
    """Something that happened around a question."""

    at: float
    """When, in seconds since 1970."""
    who: str
    """Who did it; empty where that is not recorded."""
    what: str
    """What was done."""
    key: str | None
    """The public key that signed it; null where nothing is signed."""


class InboxItem(Struct, frozen=True):
    """One thing that waits for a person, or did: the questions of a round, or a permit."""

    id: str
    """The id in the inbox."""
    source: QuestionSource
    """Whether it comes from a saved evaluation or from the registry of the team."""
    kind: Literal["question", "permit"]
    """Whether something is asked, or what was judged waits for a permit."""
    state: InboxState
    """`open`; `answered`; `expired`, if nobody answered in time; `closed`, if it ended before anybody had answered."""
    title: str
    """The plans that it is about, by their titles."""
    titles: dict[str, str]
    """The titles of all its plans, by their ids."""
    waiting: list[str]
    """Who waits for it: the holders or authors of the plans."""
    answerers: list[str]
    """Who may answer; empty where everybody may who uses this studio."""
    asked_at: float | None
    """Since when it waits, in seconds since 1970; null where that is not recorded."""
    until: float | None
    """Until when it waits; null where there is no limit."""
    seconds_left: float | None
    """How long it still waits; null where there is no limit, or it does not wait any more."""
    then: str
    """What became of it, in words; empty while it is open."""
    mine: bool
    """Whether it is open and the person of this studio may answer it."""
    why_not: Problem | None
    """Why that person may not answer it; null where they may, or nobody is asked any more."""
    checksum: str
    """What an answer is bound to: the checksum of the question pack, or the hash of what is permitted."""
    question_pack: Any = None
    """The questions, as a document; null for a permit."""
    answer: InboxAnswer | None = None
    """The answer, where there is one."""
    project: str | None = None
    """The project of the registry."""
    flow: str | None = None
    """The flow in the registry."""
    record: str | None = None
    """The saved evaluation that asks."""
    led_to: str | None = None
    """The saved evaluation that has the answer."""
    not_counted: list[InboxAnswer] = []
    """Answers in saved evaluations that do not count, because they are not as they were signed."""


class InboxDetail(Struct, frozen=True):
    """An item with what each option leads to, and with its history."""

    item: InboxItem
    """The item."""
    options: list[InboxOption]
    """What each option of an open question leads to."""
    actions: list[InboxAction]
    """What a permit allows."""
    history: list[InboxEvent]
    """What happened so far, in order."""


class InboxCounts(Struct, frozen=True):
    """How many items there are."""

    mine: int
    """Those that are open and that the person of this studio may answer."""
    open: int
    """All that are open."""
    answered: int
    """Those that were answered."""
    over: int
    """Those that expired or were closed."""


class InboxShape(Struct, frozen=True):
    """Everything that people are asked, here and in the registry of the team."""

    me: str
    """The name of the person as whom this studio acts; empty where it has none."""
    items: list[InboxItem]
    """The items: open ones first, those with the least time left before others; then the newest."""
    left_out: int
    """How many more there are, at the end of the list."""
    counts: InboxCounts
    """How many there are in all."""
    problem: Problem | None
    """Why the registry cannot be read; null where it can, or there is none."""


class InboxChoice(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to what an item shows, by the person as whom the studio acts."""

    checksum: Hash
    """The checksum of the item that was shown; for another one the answer is refused."""
    choices: Annotated[dict[str, str], Meta(max_length=1000)] = {}
    """The chosen options: question id -> option id; nothing for a permit."""


def count_items(items: Iterable[InboxItem]) -> InboxCounts:
    """How many items are in each state."""
    states = [(item.state, item.mine) for item in items]
    return InboxCounts(
        mine=sum(mine for _, mine in states),
        open=sum(state == "open" for state, _ in states),
        answered=sum(state == "answered" for state, _ in states),
        over=sum(state in {"expired", "closed"} for state, _ in states),
    )


def in_order(items: Iterable[InboxItem]) -> list[InboxItem]:
    """Open items first, those with the least time left before others; then the newest."""

    def place(item: InboxItem) -> tuple[bool, float, float, str]:
        left = float("inf") if item.seconds_left is None else item.seconds_left
        return item.state != "open", left, -(item.asked_at or 0.0), item.id

    return sorted(items, key=place)


def title_of(titles: Sequence[str]) -> str:
    """Plans by their titles, of many only the first.

    >>> title_of(["a"]), title_of(["a", "b"]), title_of(["a", "b", "c", "d", "e"])
    ('a', 'a and b', 'a, b, c and 2 more')
    """
    if len(titles) > NAMED:
        return f"{', '.join(titles[:NAMED])} and {len(titles) - NAMED} more"
    return " and ".join(filter(None, (", ".join(titles[:-1]), *titles[-1:])))


def chosen_labels(pack: QuestionPack, choices: Mapping[str, str]) -> list[str]:
    """The labels of the chosen options, in the order of the questions."""
    return [
        option.label
        for question in pack.questions
        for option in question.options
        if choices.get(question.question_id) == option.option_id
    ]


def option_shapes(
    previews: Iterable[OptionPreview], commands: Mapping[str, Sequence[InboxAction]]
) -> list[InboxOption]:
    """What options lead to, command by command; `commands` are those of each plan, by its id."""

    def of(plans: Iterable[str]) -> list[InboxAction]:
        return [command for plan in plans for command in commands.get(plan, ())]

    return [
        InboxOption(each.question_id, each.option_id, of(each.kept), of(each.dropped), of(each.undecided))
        for each in previews
    ]

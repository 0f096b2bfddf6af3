"""What the tools answer: models whose schemas clients see, each bounded, so that no answer is cut by a client.

Clients cut long answers in the middle and without a word. So an answer stays below `LIMIT` characters as JSON, lists go
on at a cursor, and texts are shortened here, visibly.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LIMIT: Final = 10_000
"""No answer has as many characters."""
ROOM: Final = 7_000
"""What the list of a page may take of it."""
LISTED: Final = 12
"""How many names are listed where a list is not what was asked for."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that would break a line, or let a text look like another one."""
Outcome = Literal["granted", "held", "waiting", "refused", "free"]
AskedState = Literal["answered", "approved", "open", "nothing_asked"]
Item = TypeVar("Item", bound=BaseModel | str)


class PlanObstacle(BaseModel):
    """Something that the plan collides with gravely."""

    severity: str
    resource: str = Field(description="what both want")
    plans: list[str] = Field(description="the plans that have it")
    because: str
    evidence: list[str]
    ways_out: list[str] = Field(description="what would end the collision")


class PlanVerdict(BaseModel):
    """How a plan was judged. Only `granted` and `held` allow you to write."""

    outcome: Annotated[
        Outcome,
        Field(
            description="granted: yours now. held: your session had it already, nothing changed. waiting: in line, holds "
            "nothing. refused: not stored. free: only checked, would be granted"
        ),
    ]
    plan_id: str
    token: int | None = Field(description="pass it to every tool that changes the plan; it changes with every grant")
    lease_until: str | None = Field(description="renew before this time, or others may have what the plan claims")
    obstacles: list[PlanObstacle]
    more_obstacles: int = Field(description="how many more there are; show_plan and why page through them")
    mild: list[str] = Field(description="milder collisions, which refuse nothing")
    advice: str = Field(description="what to do next")


class PlanSummary(BaseModel):
    """A registered plan, on one line."""

    plan_id: str
    title: str
    state: str
    holder: str
    yours: bool
    token: int | None = Field(description="only its holder sees it")
    lease_until: str | None
    files: list[str]
    more_files: int


class PlanPage(BaseModel):
    """Plans in the order of their ids."""

    plans: list[PlanSummary]
    next_cursor: str | None = Field(description="pass it as cursor for the plans after these; null at the end")
    total: int


class PlanDetail(BaseModel):
    """One plan, and what is in its way now."""

    plan_id: str
    title: str
    goal: str
    state: str
    holder: str
    yours: bool
    token: int | None = Field(description="only its holder sees it")
    lease_until: str | None
    files: list[str]
    more_files: int
    modules: list[str]
    effects: list[str]
    depends_on: list[str]
    priority: int | None
    obstacles: list[PlanObstacle]
    next_cursor: str | None = Field(description="pass it as cursor for more obstacles; null at the end")
    advice: str


class PlanEnd(BaseModel):
    """A plan that is over."""

    plan_id: str
    state: Literal["finished", "withdrawn"]
    advice: str


class WhyAnswer(BaseModel):
    """An explanation, in lines."""

    about: str
    lines: list[str]
    next_cursor: str | None = Field(description="pass it as cursor for more lines; null at the end")


class ChoiceOffered(BaseModel):
    """One option of a question."""

    option_id: str
    label: str
    implications: str


class QuestionAsked(BaseModel):
    """A question that only a person may answer."""

    flow_id: str
    question_id: str
    text: str
    options: list[ChoiceOffered]
    plans: list[str]


class QuestionPage(BaseModel):
    """Open questions, oldest first."""

    questions: list[QuestionAsked]
    next_cursor: str | None
    total: int


class QuestionRaised(BaseModel):
    """Plans that were brought to a person, with what is asked."""

    flow_id: str
    flow_state: str
    plans: dict[str, str] = Field(description="what becomes of each plan, as far as it is known")
    questions: list[QuestionAsked]
    advice: str


class AnswerReport(BaseModel):
    """What became of a question, or of an approval, that was put to the person."""

    state: AskedState
    flow_id: str
    flow_state: str
    chosen: dict[str, str]
    reason: str
    advice: str


def cut(text: str, most: int = 300) -> str:
    """A text on one line, visibly shortened if it is longer than `most`.

    >>> cut("a\\nb" + "a" * 10, 8)
    'a baaaa…'
    """
    plain = _CONTROL.sub(" ", text)
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def cut_list(texts: Iterable[str], most: int = LISTED, length: int = 200) -> list[str]:
    """The first texts of a list, each shortened."""
    return [cut(text, length) for text in list(texts)[:most]]


def fill_page(items: Sequence[Item], room: int = ROOM) -> list[Item]:
    """As many of the first items as fit into a page, and at least one if there is one."""
    taken, page = 0, list[Item]()
    for item in items:
        taken += size_of(item)
        if page and taken > room:
            break
        page.append(item)
    return page


def size_of(answer: BaseModel | str) -> int:
    """How many characters an answer takes in the text that clients without structured answers get."""
    return len(answer) + 8 if isinstance(answer, str) else len(answer.model_dump_json(indent=2))

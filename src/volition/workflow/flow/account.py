"""What the events of a flow tell a person: which options were chosen, and what is known of a node that nobody answered for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from volition.governance import QuestionPack, parse_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.workflow.flow.status import FlowStatus
    from volition.workflow.store.events import RecordedEvent

_ASKED: Final = ("node sent", "node asked")
"""The events after which an effect may have happened."""


@dataclass(frozen=True, slots=True)
class ChosenOption:
    """What a person chose in one question."""

    question_id: str
    question: str
    option_id: str
    label: str

    def to_data(self) -> dict[str, str]:
        return asdict(self)


def chosen_options(event: RecordedEvent, events: Sequence[RecordedEvent]) -> list[ChosenOption]:
    """The options that an `answered` event chose, in the words of the question that it answered; none for another event."""
    if event.what != "answered":
        return []
    packs = [parse_document(each.body["pack"].encode(), QuestionPack) for each in events if each.what == "asked"]
    questions = [question for pack in packs if pack.checksum == event.body["question"] for question in pack.questions]
    return [
        ChosenOption(question.question_id, question.question_text, option.option_id, option.label)
        for question in questions
        for option in question.options
        if event.body["choices"].get(question.question_id) == option.option_id
    ]


@dataclass(frozen=True, slots=True)
class UnansweredNode:
    """A node that may have happened, and of which no outcome is known. Times are milliseconds since 1970."""

    node_id: str
    words: str
    """What was asked for."""
    request: str
    sent_at: int
    """When it was first sent; 0 if that is in an archive."""
    sent_by: str
    asked_again: tuple[tuple[int, str], ...]
    """When it was asked for again under the same request, and by whom."""
    silent_since: int
    """When it was last asked for."""
    silence: str
    """What came instead of an answer."""

    def to_data(self) -> dict[str, Any]:
        return asdict(self)


def unanswered_nodes(flow: FlowStatus, events: Sequence[RecordedEvent]) -> Iterator[UnansweredNode]:
    """The unknown nodes of a flow, with everything that its events say of their requests."""
    for node in flow.nodes:
        if node.state != "unknown":
            continue
        asked = [each for each in events if each.what in _ASKED and each.body["request"] == node.request]
        yield UnansweredNode(
            node.node_id,
            node.words,
            node.request,
            asked[0].at if asked else 0,
            asked[0].actor if asked else "",
            tuple((each.at, each.actor) for each in asked[1:]),
            asked[-1].at if asked else 0,
            node.detail or "there was no answer",
        )

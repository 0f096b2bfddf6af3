"""The inbox: everything that people are asked, in saved evaluations and in the team's registry, and their answers."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

import msgspec

from volition.core.errors import NotPossible, Problem, VolitionError, refuse
from volition.governance.evaluation_folder import read_inputs
from volition.studio.actor import belongs_to_another
from volition.studio.errors import NoSuch, NotAllowed
from volition.studio.governing import GovernAsked
from volition.studio.questions import InboxShape, count_items, in_order
from volition.studio.saved_questions import SavedQuestions, saved_detail
from volition.studio.team_questions import team_detail, team_items
from volition.studio.team_shapes import TeamAnswer, TeamApproval

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from volition.studio.acts import ActLog, ActShape
    from volition.studio.governing import EvaluationShape
    from volition.studio.questions import InboxChoice, InboxDetail, InboxItem
    from volition.studio.store import RecordStore
    from volition.studio.team import TeamRegistry

LISTED: Final = 500
"""How many items are listed, those that are open first."""


class Inbox:
    """The questions for people in a folder and in a registry. `evaluate` makes an evaluation, and notes who answered."""

    def __init__(
        self, store: RecordStore, team: TeamRegistry, acts: ActLog, evaluate: Callable[[GovernAsked], EvaluationShape]
    ) -> None:
        self._store, self._team, self._acts, self._evaluate = store, team, acts, evaluate
        self._saved = SavedQuestions()
        self._answering = Lock()

    def show(self) -> InboxShape:
        """All items; a registry that cannot be read is a problem, and takes nothing from the other items."""
        problem = None
        items = self._saved_items()
        try:
            items += self._team.each_project(team_items)
        except VolitionError as error:
            problem = error.problems[0]
        listed = in_order(items)[:LISTED]
        return InboxShape(self._team.actor.name, listed, len(items) - len(listed), count_items(items), problem)

    def detail(self, id: str) -> InboxDetail:
        """One item with what each option leads to."""
        item = self._find(id)
        if item.source == "evaluation":
            assert item.record is not None
            return saved_detail(item, self._store.find(item.record).path)
        return self._team.in_project(item.project, lambda team: team_detail(item, team))

    def answer(self, id: str, choice: InboxChoice) -> InboxItem:
        """Answer an item as it was shown, or approve it; refused if it is something else by now, or is not asked any more."""
        item = self._find(id)
        if item.source == "evaluation":
            with self._answering:
                self._answer_saved(self._find(id), choice)
        else:
            assert item.flow is not None
            assert item.project is not None
            if item.kind == "permit":
                self._team.approve(item.flow, TeamApproval(item.project, choice.checksum))
                return item
            self._team.answer(item.flow, TeamAnswer(item.project, choice.checksum, choice.choices))
        return self._find(id)

    def answers(self) -> list[ActShape]:
        """Every answer in the saved evaluations, each once, as an act of whoever gave it."""
        return self._saved.acts(self._store.all(), self._notes(), self.known_keys)

    def _notes(self) -> dict[str, ActShape]:
        """Who answered here, by the saved evaluation that has the answer."""
        return {act.result: act for act in self._acts.read() if act.what == "answer"}

    def _saved_items(self) -> list[InboxItem]:
        return self._saved.items(self._store.all(), self._notes(), self.may_not_answer(), self.known_keys)

    def may_not_answer(self) -> Problem | None:
        """Why the person of this studio answers no saved evaluation: an answer has a name and, who has a key, signs it."""
        actor = self._team.actor
        if (problem := actor.folder_problem()) is not None:
            return problem
        signer, keys = actor.own_signer(), self.known_keys({actor.name})
        if signer is None or signer.public in keys.get(actor.name, {signer.public}):
            return None
        return belongs_to_another(actor.name)

    def known_keys(self, names: Collection[str]) -> Mapping[str, Collection[str]]:
        """The keys of names by the registry; of a registry that cannot be read nothing is known, and the list says that it cannot."""
        try:
            return self._team.keys_of(names)
        except VolitionError:
            return {}

    def _find(self, id: str) -> InboxItem:
        known = {item.id: item for item in self._saved_items()}
        if id not in known:
            known |= {item.id: item for item in self._team.each_project(team_items)}
        if id not in known:
            raise NoSuch.id("item of the inbox", id, known)
        return known[id]

    def _answer_saved(self, item: InboxItem, choice: InboxChoice) -> None:
        if item.state != "open":
            raise NotPossible.of(
                f"this question is {item.state}",
                where="the inbox",
                expected="a question that is open",
                remedy="open the evaluation to see what became of it" if item.led_to else "evaluate the plans again",
            )
        if item.why_not is not None:
            raise NotAllowed(item.why_not)
        if item.checksum != choice.checksum:
            raise NotPossible.of(
                f"the questions are {item.checksum[:16]}..., not {choice.checksum[:16]}",
                where="checksum",
                expected="the questions that were shown",
                remedy="load the page again",
            )
        if missing := sorted(
            {question["question_id"] for question in item.question_pack["questions"]} - choice.choices.keys()
        ):
            refuse(
                f"{', '.join(missing)} is not answered",
                where="choices",
                expected="an option for every question",
                remedy="choose one",
            )
        assert item.record is not None
        inputs = read_inputs(self._store.find(item.record).path)
        assert inputs is not None
        self._evaluate(
            GovernAsked(
                msgspec.Raw(inputs.intent_set),
                [msgspec.Raw(content) for content in inputs.intents.values()],
                inputs.policy,
                [msgspec.Raw(content) for content in inputs.answers],
                [choice.choices],
                limit=inputs.limit,
                save=True,
                graph=False,
            )
        )

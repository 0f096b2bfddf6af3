"""A mind from outside as one voter of an arbitration.

It is a heuristic, so it can neither veto nor free what is vetoed: it is asked about survivors alone. What it names gets the
score 1, the other options that it was shown get 0, and where it has no answer it abstains.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import local
from typing import TYPE_CHECKING, Any, ClassVar, Final

from volition.arbitration import CompositeIntention, Heuristic, arbitrate
from volition.arbitration.intent import HEURISTIC, Kind, label_of
from volition.core.clock import SystemClock
from volition.core.errors import format_value, refuse
from volition.minds.asking import ask_all
from volition.minds.budget import Spending
from volition.minds.contract import Asked, MindOption, MindSituation, check_deadline, check_mind, question_hash
from volition.minds.record import MindReplay

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.arbitration.stages import Score
    from volition.core.clock import Clock
    from volition.minds.budget import Budget
    from volition.minds.contract import AnyMind
    from volition.minds.record import MindRecord

_CLOCK: Final = SystemClock()


def voter(
    id: str,
    mind: AnyMind,
    *,
    weight: float = 1.0,
    deadline_s: float = 2.0,
    budget: Budget | None = None,
    engine: CompositeIntention | None = None,
    best: int = 5,
    margin: float | None = None,
    situation: str | Callable[[Any], str] = "",
    describe: Callable[[Any, Any], str] | None = None,
    record: MindRecord | None = None,
    replay: bool = False,
    clock: Clock = _CLOCK,
) -> Heuristic:
    """A heuristic that asks a mind for which of the survivors it votes.

    Args:
        id: the id of the heuristic, and `who` in the questions.
        mind: whom to ask.
        weight: how much its vote counts.
        deadline_s: how long a decision waits for it.
        budget: how much it may be asked in all.
        engine: the intentions that it joins. They say which survivors are best, which one they would choose by themselves
            and with which totals; they are asked once more for it.
        best: how many survivors it is shown: the best by `engine`, or else the first in the order offered.
        margin: with `engine`: the mind is asked only where the engine's own choice leads by less than this.
        situation: what is perceived, in words, or a function that says it of the context.
        describe: a function that says what a candidate is, in words, of the candidate and the context.
        record: keeps every question with its answer.
        replay: answer from the record and ask nobody; what is not in it is an error.
        clock: by which lateness is judged.

    >>> from volition.arbitration import CompositeIntention, arbitrate
    >>> from volition.minds.contract import MindVote
    >>> model = voter("model", lambda situation: MindVote("ford", "the ferry is late"), deadline_s=5)
    >>> print(arbitrate(["ferry", "ford"], CompositeIntention(model)).why().text)
    ford leads ferry by 1: model +1. model voted for ford: the ferry is late.
    """
    check_mind(mind, id)
    check_deadline(deadline_s)
    if type(best) is not int or best < 2:
        refuse(
            f"best is {format_value(best)}", where=f"voter {id!r}", expected="at least 2", remedy="leave it out for 5"
        )
    if margin is not None and engine is None:
        refuse(
            "there is a margin, and no engine whose lead it could be compared with",
            where=f"voter {id!r}",
            expected="both, or no margin",
            remedy="pass the intentions that the voter joins as engine=",
        )
    if replay and record is None:
        refuse("there is no record to replay", where=f"voter {id!r}", expected="a MindRecord", remedy="pass record=")
    intent = MindIntent(
        who=id,
        mind=mind,
        deadline_s=deadline_s,
        spending=Spending(budget),
        engine=None if engine is None else CompositeIntention(*engine.heuristics),
        best=best,
        margin=margin,
        situation=situation,
        describe=describe,
        record=record,
        replay=MindReplay(record) if replay and record is not None else None,
        clock=clock,
    )
    return Heuristic(id, intent, weight=weight)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MindIntent:
    """The intent of a voter: for heuristics only, and asked about all survivors at once."""

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)
    batch: ClassVar[bool] = True

    who: str
    mind: AnyMind = field(repr=False)
    deadline_s: float
    spending: Spending
    engine: CompositeIntention | None = field(repr=False)
    best: int
    margin: float | None
    situation: str | Callable[[Any], str] = field(repr=False)
    describe: Callable[[Any, Any], str] | None = field(repr=False)
    record: MindRecord | None
    replay: MindReplay | None = field(repr=False)
    clock: Clock = field(repr=False)
    last: local = field(default_factory=local, repr=False)
    """What was asked last in each thread, because a voter may take part in several decisions at once."""

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[Score]:
        self.last.asked = None
        question = self.question(candidates, ids, context)
        if question is None:
            return [None] * len(ids)
        if self.replay is not None:
            asked = self.replay.answer(self.who, question_hash(question))
        else:
            asked = ask_all(
                {self.who: self.mind},
                {self.who: question},
                deadline_s=self.deadline_s,
                spending=self.spending,
                clock=self.clock,
            )[self.who]
            if self.record is not None:
                self.record.append(asked)
        self.last.asked = asked
        return _scores(asked, question, ids)

    def question(self, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> MindSituation | None:
        """What the mind is asked about these survivors; None where there is nothing to choose, or the lead is clear."""
        if len(ids) < 2:
            return None
        order, totals = list(ids), dict[str, float]()
        if self.engine is not None:
            names = iter(ids)
            own = arbitrate(candidates, self.engine, key=lambda candidate: next(names), context=context)
            if self.margin is not None and own.margin is not None and own.margin >= self.margin:
                return None
            totals = dict(zip(own.tally.survivors, own.tally.totals, strict=True))
            order = [ranked.id for ranked in own.ranking(len(ids))]
        shown = {*order[: self.best]}
        if len(shown) < 2:  # errors of the engine's own heuristics may veto
            return None
        options = tuple(
            MindOption(id, "" if self.describe is None else self.describe(candidate, context), totals.get(id))
            for id, candidate in zip(ids, candidates, strict=True)
            if id in shown
        )
        words = self.situation if isinstance(self.situation, str) else self.situation(context)
        return MindSituation(self.who, words, options, order[0] if totals else "")

    def remark(self) -> str:
        """What the mind said when it was last asked in this thread, in words; nothing where it was not asked."""
        asked: Asked | None = getattr(self.last, "asked", None)
        if asked is None:
            return ""
        if asked.fallback:
            return f"did not vote ({asked.fallback}): {asked.fault}"
        return f"voted for {asked.choice}" + (f": {asked.reason.rstrip('.')}" if asked.reason else "")

    def to_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"mind": label_of(self.mind), "deadline_s": self.deadline_s, "best": self.best}
        return data if self.margin is None else data | {"margin": self.margin}


def _scores(asked: Asked, question: MindSituation, ids: Sequence[str]) -> list[Score]:
    """1 for what was named, 0 for what else was shown; None for what was not shown, and for all where nothing was named."""
    if asked.fallback:
        return [None] * len(ids)
    return [float(id == asked.choice) if id in question.ids else None for id in ids]

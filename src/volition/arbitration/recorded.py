"""Decisions as data: what was offered, every veto and every score, from which the same decision is made again.

A restored decision equals the original and answers the same questions, without the code of its intentions. What a vetoed
candidate would have scored is asked when the decision is recorded, because nobody can be asked later.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, Literal

from volition.arbitration.choice import choose_candidate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.decision import Decision
from volition.arbitration.intention import UNIT, Constraint, Heuristic, OnError, Range
from volition.arbitration.settings import Chooser, DecisionSettings, Margin, Total, read_settings
from volition.arbitration.stages import contributions, scores_of
from volition.arbitration.tally import Tally
from volition.core.errors import InvalidInput, format_value, refuse
from volition.core.typed import FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from volition.arbitration.stages import Score, Verdict

VetoReason = Literal[True] | str
"""Why a candidate is vetoed; True where no text was given."""


class RecordedVoter(FrozenStruct, frozen=True, omit_defaults=True):
    """A heuristic without its code."""

    id: str
    weight: float = 1.0
    priority: int | None = None
    range: Range = UNIT
    on_error: OnError = "raise"


class RecordedComposite(FrozenStruct, frozen=True, omit_defaults=True):
    """The intentions of a decision without their code; both lists are sorted by id."""

    constraints: tuple[str, ...] = ()
    heuristics: tuple[RecordedVoter, ...] = ()


class RecordedSettings(FrozenStruct, frozen=True, omit_defaults=True):
    """How a decision was asked for. `hold_below` names what it bounds: a margin or a total."""

    on_impossible: Literal["hold", "fail"] = "hold"
    tie_margin: float = 0.0
    stay: str | None = None
    hold_below: tuple[Literal["margin", "total"], float] | None = None
    choose: Chooser = "best"
    seed: int | None = None


class RecordedDecision(FrozenStruct, frozen=True, omit_defaults=True, kw_only=True):
    """A decision as data.

    `chosen` is the id of the winner. `vetoes` has the reasons of each judge by candidate, `scores` those of each voter;
    who abstains or forbids nothing is left out. `shadows` says that vetoed candidates are among the scores: they were
    asked for when it was recorded, and took no part in it.
    """

    candidates: tuple[str, ...]
    chosen: str | None = None
    vetoes: dict[str, dict[str, VetoReason]] = {}  # noqa: RUF012  msgspec copies it
    scores: dict[str, dict[str, float]] = {}  # noqa: RUF012  msgspec copies it
    shadows: bool = False
    settings: RecordedSettings = RecordedSettings()
    version: int | str | None = None
    remarks: tuple[tuple[str, str], ...] = ()


def record_composite(composite: CompositeIntention) -> RecordedComposite:
    """The intentions of a composite without their code."""
    voters = (
        RecordedVoter(entry.id, entry.weight, entry.priority, entry.range, entry.on_error)
        for entry in composite.heuristics
    )
    return RecordedComposite(tuple(entry.id for entry in composite.constraints), tuple(voters))


def record_decision(decision: Decision[Any]) -> RecordedDecision:
    """A decision as data; its heuristics are asked about the vetoed candidates, now.

    Where one of them cannot say, the scores of vetoed candidates are left out.
    """
    tally = decision.tally
    vetoes: dict[str, dict[str, VetoReason]] = {}
    for name in tally.vetoed:
        for judge, reason in tally.vetoed_by(name).items():
            vetoes.setdefault(judge, {})[name] = reason
    scores: dict[str, dict[str, float]] = {}
    for place, voter in enumerate(tally.composite.voters):
        column = {
            name: row[place] for name, row in zip(tally.survivors, tally.scores, strict=True) if row[place] is not None
        }
        if column:
            scores[voter] = column  # type: ignore[assignment]  # abstentions are left out
    shadows = _ask_about_vetoed(tally)
    for voter, asked in (shadows or {}).items():
        scores.setdefault(voter, {}).update(asked)
    return RecordedDecision(
        candidates=tuple(tally.ids),
        chosen=tally.winner_id,
        vetoes=vetoes,
        scores=scores,
        shadows=bool(tally.vetoed) and shadows is not None,
        settings=_record_settings(tally.settings),
        version=tally.version if type(tally.version) in (int, str) else None,
        remarks=tally.remarks,
    )


def restore_decision(recorded: RecordedDecision, composite: RecordedComposite) -> Decision[str]:
    """The decision that was recorded, over the ids of its candidates.

    InvalidInput where the record contradicts itself: it names an id that was not offered or an intention that is not
    there, or its votes do not lead to what was chosen.
    """
    _check_names(recorded, composite)
    vetoed_ids = {name for vetoes in recorded.vetoes.values() for name in vetoes}
    asked = _restore_composite(recorded, composite, frozenset() if recorded.shadows else frozenset(vetoed_ids))
    ids = list(recorded.candidates)
    settings = read_settings(_restore_settings(recorded.settings), ids)
    vetoed = {name: _verdicts(name, recorded.vetoes, asked) for name in ids if name in vetoed_ids}
    survivors = [name for name in ids if name not in vetoed_ids]
    columns = [recorded.scores.get(voter, {}) for voter in asked.voters]
    scores: list[tuple[Score, ...]] = [tuple([column.get(name) for column in columns]) for name in survivors]
    products = contributions(asked.heuristics, scores)
    totals = list(map(fsum, products))
    chosen = choose_candidate(asked, settings, vetoed, ids, scores, totals)
    fields = (asked, settings, ids, ids, None, recorded.version)
    tally = Tally(*fields, vetoed, survivors, survivors, scores, products, totals, *chosen, recorded.remarks)
    if tally.winner_id != recorded.chosen:
        refuse(
            f"the recorded votes lead to {format_value(tally.winner_id)}",
            where="recorded decision",
            expected=f"what was chosen: {format_value(recorded.chosen)}",
            remedy="record a decision with `record_decision`, and change nothing in it",
        )
    return Decision(tally)


def best_vetoed(recorded: RecordedDecision, composite: RecordedComposite) -> str | None:
    """The vetoed candidate whose votes are above all that was allowed: what a veto has prevented. None if there is none,
    or its votes are not recorded."""
    totals = dict.fromkeys(recorded.candidates, 0.0)
    for voter in composite.heuristics:
        for name, score in recorded.scores.get(voter.id, {}).items():
            totals[name] += voter.weight * score
    vetoed = {name for vetoes in recorded.vetoes.values() for name in vetoes}
    allowed = [totals[name] for name in recorded.candidates if name not in vetoed]
    best = max((name for name in recorded.candidates if name in vetoed), key=totals.__getitem__, default=None)
    if best is None or not recorded.shadows or (allowed and totals[best] <= max(allowed)):
        return None
    return best


def _ask_about_vetoed(tally: Tally) -> dict[str, dict[str, float]] | None:
    """What each heuristic says of the vetoed candidates, without abstentions; None where one of them cannot say."""
    if not tally.vetoed:
        return {}
    names = [name for name in tally.ids if name in tally.vetoed]
    pool = dict(zip(tally.ids, tally.candidates, strict=True))
    candidates = [pool[name] for name in names]
    asked: dict[str, dict[str, float]] = {}
    try:
        for entry in tally.composite.heuristics:
            row = scores_of(entry, candidates, names, tally.context)
            answers = {name: score for name, score in zip(names, row, strict=True) if score is not None}
            if answers:
                asked[entry.id] = answers
    except Exception:  # noqa: BLE001  the owner's code, about candidates that no decision asks about
        return None
    return asked


def _record_settings(settings: DecisionSettings) -> RecordedSettings:
    bound = settings.hold_below
    below: tuple[Literal["margin", "total"], float] | None = (
        None if bound is None else ("margin" if isinstance(bound, Margin) else "total", bound.least)
    )
    return RecordedSettings(
        settings.on_impossible, settings.tie_margin, settings.stay, below, settings.choose, settings.seed
    )


def _restore_settings(settings: RecordedSettings) -> DecisionSettings:
    below = settings.hold_below
    bound = None if below is None else (Margin if below[0] == "margin" else Total)(below[1])
    return DecisionSettings(
        settings.on_impossible, settings.tie_margin, settings.stay, bound, settings.choose, settings.seed
    )


def _restore_composite(
    recorded: RecordedDecision, composite: RecordedComposite, unknown: frozenset[str]
) -> CompositeIntention:
    """The intentions, which say again what they said; they cannot say what the `unknown` candidates score."""
    return CompositeIntention(
        *(Constraint(id, _forbids(recorded.vetoes.get(id, {}))) for id in composite.constraints),
        *(
            Heuristic(
                voter.id,
                _scores(recorded.scores.get(voter.id, {}), unknown),
                weight=voter.weight,
                priority=voter.priority,
                range=voter.range,
                on_error=voter.on_error,
            )
            for voter in composite.heuristics
        ),
    )


def _forbids(vetoes: Mapping[str, VetoReason]) -> Callable[[str], VetoReason | bool]:
    return lambda candidate: vetoes.get(candidate, False)


def _scores(scores: Mapping[str, float], unknown: frozenset[str]) -> Callable[[str], Score]:
    def score(candidate: str) -> Score:
        if candidate in unknown:
            raise InvalidInput.of(
                f"what {candidate!r} would have scored was not recorded",
                where="recorded decision",
                expected="a candidate that was not vetoed",
                remedy="ask with other weights, or without heuristics",
            )
        return scores.get(candidate)

    return score


def _verdicts(
    name: str, vetoes: Mapping[str, Mapping[str, VetoReason]], composite: CompositeIntention
) -> tuple[Verdict, ...]:
    """The verdict of every judge; heuristics are not asked about what a constraint forbids."""
    rules = [entry.id for entry in composite.constraints]
    not_asked = None if any(name in vetoes.get(id, {}) for id in rules) else False
    return tuple(vetoes.get(id, {}).get(name, False if id in rules else not_asked) for id in composite.judges)


def _check_names(recorded: RecordedDecision, composite: RecordedComposite) -> None:
    voters = [voter.id for voter in composite.heuristics]
    offered = set(recorded.candidates)
    judges = {*composite.constraints, *(voter.id for voter in composite.heuristics if voter.on_error == "veto")}
    parts: tuple[tuple[str, set[str], Sequence[str]], ...] = (
        ("vetoes", judges, [*recorded.vetoes]),
        ("scores", set(voters), [*recorded.scores]),
        ("candidates", offered, [name for entries in recorded.vetoes.values() for name in entries]),
        ("candidates", offered, [name for entries in recorded.scores.values() for name in entries]),
    )
    unknown = [(where, name) for where, known, names in parts for name in names if name not in known]
    if len(offered) < len(recorded.candidates):
        unknown.append(("candidates", "a duplicate"))
    if unknown:
        where, name = unknown[0]
        refuse(
            f"{format_value(name)} is unknown",
            where=f"recorded decision, {where}",
            expected="intentions of its composite, and candidates that were offered once",
            remedy="record a decision with `record_decision`, and change nothing in it",
        )

"""A checker for your constraints and heuristics: does this one keep the laws?

- `answers`: it gives one answer for every candidate and raises on none.
- `type`: a constraint answers True, False or a text that says why; a heuristic a number, or None to abstain.
- `range`: a score lies in [-1.0, 1.0], or in the range that its heuristic declares.
- `deterministic`: the same candidate gets the same answer: again, in another order, as an equal copy.
- `pure`: asking changes neither the candidate, nor the context, nor anything in which the function can keep state.
- `batch`: asked about many at once, it gives the same answers as one by one.
- `process`: another process with another hash seed gets the same answers.

A broken law is certain; a law that holds was only seen to hold on these samples.
"""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

from volition.arbitration.data_checks import is_truth
from volition.arbitration.intent import CONSTRAINT, HEURISTIC, Function, Intent, Kind, as_intent
from volition.arbitration.intention import UNIT, Constraint, Heuristic
from volition.arbitration.samples import choose_samples, name_samples
from volition.arbitration.snapshot import reachable_parts, snapshot
from volition.arbitration.stages import describe_raised, lies_in
from volition.arbitration.witness import SEEDS, ask_elsewhere, describe_answer, describe_answer_of, sendable
from volition.core.errors import refuse
from volition.core.typed import DataStruct, FrozenStruct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class LawFinding(DataStruct, frozen=True):
    """Whether one law holds, what was seen, and on which candidate where it does not hold."""

    law: str
    holds: bool
    evidence: str
    candidate: str | None = None


class CheckReport(FrozenStruct, frozen=True):
    """What the checker found about one intention, law by law."""

    intention: str
    kind: Kind
    samples: str
    findings: tuple[LawFinding, ...]

    @property
    def ok(self) -> bool:
        """Whether every law that was looked at holds."""
        return all(finding.holds for finding in self.findings)

    def to_data(self) -> dict[str, Any]:
        return {
            "intention": self.intention,
            "kind": self.kind,
            "samples": self.samples,
            "ok": self.ok,
            "findings": [finding.to_data() for finding in self.findings],
        }

    def __str__(self) -> str:
        head = f"{self.kind} {self.intention!r} {'keeps' if self.ok else 'BREAKS'} the laws, on {self.samples}"
        return "\n".join([head, *map(_line, self.findings)])


def check_intention(
    intention: Constraint | Heuristic | Intent | Callable[..., Any],
    samples: Iterable[Any] | None = None,
    *,
    context: Any = None,
    kind: Kind | None = None,
    other_process: bool = False,
    reference: str | None = None,
) -> CheckReport:
    """Try an intention on samples and report, law by law, what was seen.

    Without samples the first of the BUILT_IN_SAMPLES families on which it does not raise is used. The kind of a plain
    function is inferred from its answers unless `kind` is given. `other_process` asks again in other processes, which
    must be able to import the intention, by its own name or by `reference` ("module:name").

    >>> def taller(tree):
    ...     return tree["height"] / 10
    >>> print(check_intention(taller, [{"id": "oak", "height": 30}, {"id": "elm", "height": 5}]))
    heuristic 'taller' BREAKS the laws, on 2 given samples
      answers        holds   one for each of 2 candidates
      type           holds   float
      range          BROKEN  'oak': answered 3.0 (float)
      deterministic  holds   asked again, in another order, and about equal copies
      pure           holds   nothing that it reaches has changed
    """
    name, intent, kind = _subject(intention, kind)
    remembered = _memory(intent)
    candidates, context, described = choose_samples(intent, kind, samples, context)
    trial = _Trial(intent, kind or intent.kinds[0], candidates, name_samples(candidates), context)
    remembered["the context"] = snapshot(context)
    seen = [snapshot(candidate) for candidate in candidates]
    answers, raised = trial.first()
    judged = kind or (_infer_kind(answers) if isinstance(intent, Function) else intent.kinds[0])
    findings = [raised, _type(judged, trial.names, answers)]
    if judged == HEURISTIC:
        findings.append(_range(trial.names, answers, getattr(intention, "range", UNIT)))
    findings += [trial.deterministic(answers), trial.pure(seen, remembered)]
    if not isinstance(intent, Function) or intent.batch:
        findings.append(trial.batch(answers))
    if other_process:
        findings.append(trial.process(reference))
    return CheckReport(name, judged, described, tuple(findings))


_NOTHING = object()
"""Marks a missing answer."""


class _Trial(FrozenStruct, frozen=True):
    """An intent and the candidates it is tried on."""

    intent: Intent
    kind: Kind
    candidates: list[Any]
    names: list[str]
    context: Any

    def first(self) -> tuple[list[Any], LawFinding]:
        """The answers, each candidate asked about alone, and the finding of the law `answers`."""
        answers: list[Any] = []
        wrong: LawFinding | None = None
        for candidate, name in zip(self.candidates, self.names, strict=True):
            try:
                replies = list(self.intent.ask(self.kind, [candidate], [name], self.context))
                evidence = f"{len(replies)} answers for one candidate"
            except Exception as error:  # noqa: BLE001  whatever a user's function raises is evidence
                replies, evidence = [], describe_raised(error)
            answers.append(replies[0] if len(replies) == 1 else _NOTHING)
            if len(replies) != 1 and wrong is None:
                wrong = LawFinding("answers", False, evidence, name)
        return answers, wrong or LawFinding("answers", True, f"one for each of {len(answers)} candidates")

    def deterministic(self, answers: list[Any]) -> LawFinding:
        first = ["" if answer is _NOTHING else describe_answer(answer) for answer in answers]
        copies = [_copy_or_nothing(candidate) for candidate in self.candidates]
        passes: list[tuple[str, Iterator[int], list[Any]]] = [
            ("when asked again", iter(range(len(first))), self.candidates),
            ("in another order", reversed(range(len(first))), self.candidates),
            ("about an equal copy", (i for i, copy in enumerate(copies) if copy is not _NOTHING), copies),
        ]
        for when, order, asked in passes:
            for index in order:
                again = describe_answer_of(self.intent, self.kind, asked[index], self.names[index], self.context)
                if first[index] and again != first[index]:
                    return LawFinding(
                        "deterministic", False, f"answered {first[index]}, then {again} {when}", self.names[index]
                    )
        return LawFinding("deterministic", True, "asked again, in another order, and about equal copies")

    def pure(self, seen: list[Any], remembered: dict[str, Any]) -> LawFinding:
        for candidate, name, before in zip(self.candidates, self.names, seen, strict=True):
            if snapshot(candidate) != before:
                return LawFinding("pure", False, "asking changed the candidate", name)
        after = {**_memory(self.intent), "the context": snapshot(self.context)}
        for part in sorted({*remembered, *after}):
            if remembered.get(part) != after.get(part):
                return LawFinding("pure", False, f"asking changed {part}")
        return LawFinding("pure", True, "nothing that it reaches has changed")

    def batch(self, answers: list[Any]) -> LawFinding:
        answered = [index for index, answer in enumerate(answers) if answer is not _NOTHING]
        candidates, names = [self.candidates[i] for i in answered], [self.names[i] for i in answered]
        try:
            together = list(self.intent.ask(self.kind, candidates, names, self.context))
        except Exception as error:  # noqa: BLE001  whatever a user's function raises is evidence
            return LawFinding("batch", False, f"{describe_raised(error)}, about {len(answered)} candidates at once")
        if len(together) != len(answered):
            return LawFinding("batch", False, f"{len(together)} answers for {len(answered)} candidates")
        for name, index, answer in zip(names, answered, together, strict=True):
            if describe_answer(answer) != describe_answer(answers[index]):
                return LawFinding(
                    "batch",
                    False,
                    f"{describe_answer(answers[index])} alone, {describe_answer(answer)} among others",
                    name,
                )
        return LawFinding("batch", True, f"{len(answered)} candidates at once")

    def process(self, reference: str | None) -> LawFinding:
        sent = sendable(self.intent, reference)
        here = [
            describe_answer_of(self.intent, self.kind, candidate, name, self.context)
            for candidate, name in zip(self.candidates, self.names, strict=True)
        ]
        for seed in SEEDS:
            there = ask_elsewhere(sent, self.kind, self.candidates, self.names, self.context, seed)
            for name, ours, theirs in zip(self.names, here, there, strict=True):
                if ours != theirs:
                    evidence = f"{ours} here, {theirs} in another process (hash seed {seed})"
                    return LawFinding("process", False, evidence, name)
        return LawFinding("process", True, f"the same in {len(SEEDS)} other processes")


def _subject(intention: Any, kind: Kind | None) -> tuple[str, Intent, Kind | None]:
    """The name, the intent and, if it is known, the kind."""
    if kind not in (None, CONSTRAINT, HEURISTIC):
        refuse(f"the kind is {kind!r}", where="kind", expected="'constraint' or 'heuristic'", remedy="or leave it out")
    own: Kind | None
    if isinstance(intention, (Constraint, Heuristic)):
        name, intent, own = intention.id, intention.intent, intention.kind
    else:
        intent = as_intent(intention)
        name = str(getattr(intention, "__name__", type(intention).__name__))
        own = intent.kinds[0] if len(intent.kinds) == 1 else None
    if kind is not None and own is not None and kind != own:
        refuse(
            f"{name!r} is a {own}",
            where="kind",
            expected=f"it to be checked as a {own}",
            remedy="leave the kind out",
        )
    return name, intent, kind or own


def _memory(intent: Intent) -> dict[str, Any]:
    return reachable_parts(intent.call if isinstance(intent, Function) else intent)


def _infer_kind(answers: Sequence[Any]) -> Kind:
    """The kind of a plain function, by the majority of its answers."""
    verdicts = sum(isinstance(answer, str) or is_truth(answer) for answer in answers)
    scores = sum(answer is not None and _is_score(answer) for answer in answers)
    return CONSTRAINT if verdicts > scores else HEURISTIC


def _type(kind: Kind, names: Sequence[str], answers: Sequence[Any]) -> LawFinding:
    for name, answer in zip(names, answers, strict=True):
        is_verdict = is_truth(answer) or (isinstance(answer, str) and bool(answer))
        if answer is not _NOTHING and not (is_verdict if kind == CONSTRAINT else _is_score(answer)):
            return LawFinding("type", False, f"a {kind} answered {describe_answer(answer)}", name)
    kinds = sorted({type(answer).__name__ for answer in answers if answer is not _NOTHING})
    return LawFinding("type", True, ", ".join(kinds) or "nothing to judge")


def _is_score(answer: Any) -> bool:
    return answer is None or (isinstance(answer, (Real, Decimal)) and not isinstance(answer, bool))


def _range(names: Sequence[str], answers: Sequence[Any], range: tuple[float, float]) -> LawFinding:
    votes = [
        (name, answer)
        for name, answer in zip(names, answers, strict=True)
        if answer is not _NOTHING and answer is not None and _is_score(answer)
    ]
    for name, vote in votes:
        if not lies_in(range[0], vote, range[1]):
            return LawFinding("range", False, f"answered {describe_answer(vote)}", name)
    if not votes:
        return LawFinding("range", True, "it abstained on all")
    return LawFinding("range", True, f"from {min(vote for _, vote in votes)!r} to {max(vote for _, vote in votes)!r}")


def _copy_or_nothing(candidate: Any) -> Any:
    """An equal copy, or `_NOTHING` if there is none."""
    try:
        copy = deepcopy(candidate)
        return copy if bool(copy == candidate) else _NOTHING
    except Exception:  # noqa: BLE001  what cannot be copied or compared is not asked about twice
        return _NOTHING


def _line(finding: LawFinding) -> str:
    on = "" if finding.candidate is None else f"{finding.candidate!r}: "
    return f"  {finding.law:<13}  {'holds ' if finding.holds else 'BROKEN'}  {on}{finding.evidence}"

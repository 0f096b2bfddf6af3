"""Intents that are tables by candidate id: what somebody else already judged, scored or measured, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from volition.arbitration.curves import curve_from_data
from volition.arbitration.data_checks import data_number, is_number, member, numbers_by_id, read_member, record, text
from volition.arbitration.intent import CONSTRAINT, HEURISTIC, Kind
from volition.core.errors import InvalidInput, Problems, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration.curves import Curve


@dataclass(frozen=True, slots=True, init=False)
class Violates:
    """A constraint's intent: the named candidates are forbidden, each with its reason or without one.

    >>> forbidden = Violates({"bridge": "it is closed"})
    >>> list(forbidden.ask("constraint", ["bridge", "ferry"], ["bridge", "ferry"], None))
    ['it is closed', False]
    >>> Violates({"b", "a"}).to_data()
    {'violates': ['a', 'b']}
    """

    kinds: ClassVar[tuple[Kind, ...]] = (CONSTRAINT,)

    entries: tuple[tuple[str, bool | str], ...]
    _verdicts: dict[str, bool | str] = field(compare=False, repr=False)

    def __init__(self, violating: Mapping[str, bool | str] | Iterable[str]) -> None:
        if isinstance(violating, str) or not isinstance(violating, Iterable):
            refuse(
                f"this is {violating!r}",
                where="violates",
                expected="a list of candidate ids, or a mapping from ids to reasons",
                remedy="write ['b'] or {'b': 'why'}",
            )
        problems = Problems()
        listed: list[tuple[str, str, bool | str]]
        if isinstance(violating, Mapping):
            listed = [(member("violates", id), id, reason) for id, reason in violating.items()]
        else:
            listed = [(f"violates[{index}]", id, True) for index, id in enumerate(violating)]
        for place, id, reason in listed:
            text(id, place, problems)
            if reason is not True:
                text(reason, place, problems)
        problems.raise_if_any(InvalidInput)
        verdicts = {id: reason for _, id, reason in listed}
        object.__setattr__(self, "entries", tuple(sorted(verdicts.items())))
        object.__setattr__(self, "_verdicts", verdicts)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        return [self._verdicts.get(id, False) for id in ids]

    def to_data(self) -> dict[str, Any]:
        if all(reason is True for _, reason in self.entries):
            return {"violates": [id for id, _ in self.entries]}
        return {"violates": dict(self.entries)}

    @classmethod
    def from_data(cls, data: Any, where: str, problems: Problems) -> Violates | None:
        """Read `{"violates": ["b"]}` or `{"violates": {"b": "why"}}`."""
        return read_member(data, "violates", cls, where, problems)


@dataclass(frozen=True, slots=True, init=False)
class Scores:
    """A heuristic's intent: the score of each named candidate; it abstains on the others.

    Numbers are kept as they were given: the arbiter checks every score that is asked for.

    >>> list(Scores({"a": 0.5, "b": None}).ask("heuristic", ["a", "b"], ["a", "b"], None))
    [0.5, None]
    """

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    entries: tuple[tuple[str, float], ...]
    _scores: dict[str, float] = field(compare=False, repr=False)

    def __init__(self, scores: Mapping[str, float | None]) -> None:
        _keep(self, "_scores", scores)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        return map(self._scores.get, ids)

    def to_data(self) -> dict[str, Any]:
        return {"scores": dict(self.entries)}

    @classmethod
    def from_data(cls, data: Any, where: str, problems: Problems) -> Scores | None:
        """Read `{"scores": {"a": 0.5, "b": null}}`; the caller checks the range with `check_within`."""
        before = len(problems)
        fields = record(data, where, problems, required=("scores",))
        if fields is None:
            return None
        scores = numbers_by_id(fields["scores"], f"{where}.scores", problems)
        return cls(scores) if len(problems) == before else None

    def check_within(self, range: tuple[float, float], where: str, problems: Problems) -> bool:
        """Whether every score lies in a heuristic's range; each that does not is a problem."""
        low, high = map(float, range)
        outside = [(id, score) for id, score in self.entries if not low <= score <= high]
        for id, score in outside:
            problems.add(
                f"the score is {score!r}",
                where=member(where, id),
                expected=f"a score in [{low!r}, {high!r}], or null to abstain",
                remedy="write raw numbers as 'measures' with a 'curve', or declare their range",
            )
        return not outside


@dataclass(frozen=True, slots=True, init=False)
class RawMeasures:
    """A heuristic's intent: a raw measure of each named candidate, and the curve that makes it a score.

    >>> from volition.arbitration.curves import linear
    >>> list(RawMeasures({"a": 3}, linear(10, 0)).ask("heuristic", ["a", "b"], ["a", "b"], None))
    [0.3999999999999999, None]
    """

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    entries: tuple[tuple[str, float], ...]
    curve: Curve
    _measures: dict[str, float] = field(compare=False, repr=False)

    def __init__(self, measures: Mapping[str, float | None], curve: Curve) -> None:
        _keep(self, "_measures", measures)
        object.__setattr__(self, "curve", curve)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        return map(self.curve.of, map(self._measures.get, ids))

    def to_data(self) -> dict[str, Any]:
        return {"measures": dict(self.entries), "curve": self.curve.to_data()}

    @classmethod
    def from_data(cls, data: Any, where: str, problems: Problems) -> RawMeasures | None:
        """Read `{"measures": {"a": 3}, "curve": {...}}`; a measure that the curve refuses is a problem."""
        before = len(problems)
        fields = record(data, where, problems, required=("measures", "curve"))
        if fields is None:
            return None
        measures = numbers_by_id(fields["measures"], f"{where}.measures", problems)
        curve = curve_from_data(fields["curve"], f"{where}.curve", problems)
        if curve is None:
            return None
        for id, measure in measures.items():
            try:
                curve(measure)
            except InvalidInput as error:
                (problem,) = error.problems
                place = member(f"{where}.measures", id)
                problems.add(problem.what, where=place, expected=problem.expected, remedy=problem.remedy)
        return cls(measures, curve) if len(problems) == before else None


def _keep(table: Scores | RawMeasures, name: str, numbers: Mapping[str, float | None]) -> None:
    """Store the entries that say something: sorted for equality and hash, and as a dict for asking."""
    if not isinstance(numbers, Mapping):
        refuse(
            f"this is {numbers!r}",
            where=type(table).__name__,
            expected="a mapping from candidate ids to numbers",
            remedy="write {'a': 0.5}",
        )
    problems = Problems()
    for id in numbers:
        text(id, member(type(table).__name__, id), problems)
    problems.raise_if_any(InvalidInput)
    known = {
        id: data_number(number) if is_number(number) else number for id, number in numbers.items() if number is not None
    }
    object.__setattr__(table, "entries", tuple(sorted(known.items())))
    object.__setattr__(table, name, known)

"""Curves: how a raw measure (a distance, a price, a risk) becomes a score in [-1, 1].

Nothing is clamped unless the author wrote it. `linear`, `power` and `piecewise` refuse a value outside their domain
until they are made with `.clamped()`; `logistic` and `step` are bounded by nature; `logit` saturates and `clamp`
limits, as their names say. All problems of the parameters of a curve arrive at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from dataclasses import MISSING, Field, dataclass, fields, replace
from decimal import Decimal
from math import inf, isfinite, isnan, log, pow, tanh  # noqa: A004  the float power, never a complex one
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from volition.arbitration.data_checks import is_number, member, record
from volition.core.errors import InvalidInput, Problems, did_you_mean, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

__all__ = ["Curve", "clamp", "linear", "logistic", "logit", "piecewise", "power", "step"]


class Curve(ABC):
    """A function from a number to a score in [-1, 1] that can be written down.

    `curve(value)` gives the score; `curve.of(value)` also lets None through, which abstains.
    """

    __slots__ = ()
    name: ClassVar[str]
    """Its name in data: that of its class, in small letters."""

    def __init_subclass__(cls) -> None:
        cls.name = cls.__name__.lower()

    @abstractmethod
    def _score(self, value: float) -> float:
        """The score of a number that is not NaN."""

    def __call__(self, value: Any) -> float:
        return self._score(_as_float(value, self.name))

    def of(self, value: Any) -> float | None:
        """The score of a measure; None, "I cannot tell", stays None."""
        return None if value is None else self._score(_as_float(value, self.name))

    def to_data(self) -> dict[str, Any]:
        """`{name: {parameter: value}}`; what has its default value is left out."""
        return {
            self.name: {
                field.name: [list(point) for point in value] if isinstance(value, tuple) else value
                for field in fields(self)  # type: ignore[arg-type]
                if (value := getattr(self, field.name)) != field.default
            }
        }


class _Domain(Curve):
    """A curve over an interval, outside of which it refuses, or clamps where the author says so."""

    __slots__ = ()
    clamps: bool

    def clamped(self) -> Self:
        """The same curve, which takes a value outside its domain for the nearest end."""
        return replace(self, clamps=True)  # type: ignore[type-var]

    def _within(self, value: float, low: float, high: float) -> float:
        if low <= value <= high:
            return value
        if not self.clamps:
            refuse(
                f"{value!r} lies outside the domain of the {self.name} curve, [{low!r}, {high!r}]",
                where=f"curve {self.name}",
                expected=f"a value from {low!r} to {high!r}",
                remedy="widen the domain, or write .clamped() to let the ends stand for everything beyond",
            )
        return low if value < low else high


@dataclass(frozen=True, slots=True)
class Linear(_Domain):
    """A straight line from the value that scores -1 to the value that scores +1, in either direction.

    >>> nearer = linear(10, 0)
    >>> nearer(10), nearer(5), nearer(0)
    (-1.0, 0.0, 1.0)
    >>> nearer.clamped()(25)
    -1.0
    """

    at_minus_one: float
    at_plus_one: float
    clamps: bool = False

    def __post_init__(self) -> None:
        settle(self, "at_minus_one", "at_plus_one", span=True)

    def _score(self, value: float) -> float:
        return 2.0 * _fraction(self, value, self.at_minus_one, self.at_plus_one) - 1.0


@dataclass(frozen=True, slots=True)
class Power(_Domain):
    """From -1 at low to +1 at high: slow first with an exponent above 1, fast first with one below 1.

    >>> power(0, 10, 2)(5)
    -0.5
    """

    low: float
    high: float
    exponent: float
    clamps: bool = False

    def __post_init__(self) -> None:
        settle(self, "low", "high", positive="exponent", span=True)

    def _score(self, value: float) -> float:
        return 2.0 * pow(_fraction(self, value, self.low, self.high), self.exponent) - 1.0


@dataclass(frozen=True, slots=True)
class Logistic(Curve):
    """An S over all numbers: 0 at the middle, towards -1 and +1 far from it; a negative steepness falls.

    >>> logistic(50, 0.1)(50), logistic(50, 0.1)(1e308)
    (0.0, 1.0)
    """

    middle: float
    steepness: float

    def __post_init__(self) -> None:
        settle(self, "middle", "steepness")
        if self.steepness == 0:
            degenerate(self.name, "steepness", "the steepness is 0: every value would score the same")

    def _score(self, value: float) -> float:
        # The same curve as 2 / (1 + exp(-steepness * (value - middle))) - 1, and tanh never overflows.
        return tanh(0.5 * (self.steepness * (value - self.middle))) + 0.0  # the sum makes -0.0 plain 0.0


@dataclass(frozen=True, slots=True)
class Logit(Curve):
    """Flat in the middle and steep at both ends: steepness * ln(t / (1 - t)), t the way from low to high.

    It saturates: from where that reaches -1 or +1, and for everything beyond low and high, the score is -1 or +1.

    >>> logit(0, 1, 0.5)(0.5), logit(0, 1, 0.5)(1), logit(0, 1, 0.5)(7)
    (0.0, 1.0, 1.0)
    """

    low: float
    high: float
    steepness: float

    def __post_init__(self) -> None:
        settle(self, "low", "high", positive="steepness", span=True)

    def _score(self, value: float) -> float:
        fraction = (value - self.low) / (self.high - self.low)
        if fraction <= 0.0:
            return -1.0
        if fraction >= 1.0:
            return 1.0
        return min(1.0, max(-1.0, self.steepness * log(fraction / (1.0 - fraction))))


@dataclass(frozen=True, slots=True)
class Step(Curve):
    """One score below a value, another from that value on.

    >>> step(18)(17.9), step(18)(18)
    (-1.0, 1.0)
    """

    at: float
    below: float = -1.0
    above: float = 1.0

    def __post_init__(self) -> None:
        settle(self, "at", scores=("below", "above"))
        if self.below == self.above:
            degenerate(self.name, "above", f"below and above are both {self.above!r}: there is no step")

    def _score(self, value: float) -> float:
        return self.below if value < self.at else self.above


@dataclass(frozen=True, slots=True)
class Clamp(Curve):
    """Limit what is already a score to [low, high] within [-1, 1]; nothing is scaled.

    >>> clamp()(0.25), clamp()(3)
    (0.25, 1.0)
    """

    low: float = -1.0
    high: float = 1.0

    def __post_init__(self) -> None:
        settle(self, scores=("low", "high"))
        if self.low >= self.high:
            degenerate(self.name, "high", f"high is {self.high!r} and low is {self.low!r}: nothing lies between")

    def _score(self, value: float) -> float:
        return min(self.high, max(self.low, value))


@dataclass(frozen=True, slots=True)
class Piecewise(_Domain):
    """Straight lines from point to point; see `piecewise`."""

    points: tuple[tuple[float, float], ...]
    clamps: bool = False

    def __post_init__(self) -> None:
        settle(self)
        object.__setattr__(self, "points", checked_points(self.points))

    def _score(self, value: float) -> float:
        value = self._within(value, self.points[0][0], self.points[-1][0])
        right = bisect_left(self.points, (value, -inf))
        x, y = self.points[right]
        if x == value:
            return y
        x0, y0 = self.points[right - 1]
        # Rounding must not carry the line past its end: so it stays in range and monotone between two points.
        return min(max(y0, y), max(min(y0, y), y0 + (y - y0) * ((value - x0) / (x - x0))))


linear, power, logistic, logit, step, clamp = Linear, Power, Logistic, Logit, Step, Clamp


def piecewise(points: Iterable[Sequence[float]]) -> Piecewise:
    """Straight lines through (value, score) points whose values rise strictly.

    >>> piecewise([(0, -1), (10, 0.5), (20, 0)])(5)
    -0.25
    """
    return Piecewise(tuple(points))  # type: ignore[arg-type]


CURVES: dict[str, type[Curve]] = {kind.name: kind for kind in (Linear, Power, Logistic, Logit, Step, Clamp, Piecewise)}


def curve_from_data(data: Any, where: str, problems: Problems) -> Curve | None:
    """Read `{name: {parameter: value}}`; every problem is added with its place.

    >>> curve_from_data({"linear": {"at_minus_one": 10, "at_plus_one": 0}}, "curve", Problems())
    Linear(at_minus_one=10.0, at_plus_one=0.0, clamps=False)
    """
    if not isinstance(data, dict) or len(data) != 1 or next(iter(data)) not in CURVES:
        problems.add(
            f"{data!r} is not a curve",
            where=where,
            expected="one curve by name, such as {'linear': {'at_minus_one': 10, 'at_plus_one': 0}}",
            remedy=did_you_mean(", ".join(map(str, data)) if isinstance(data, dict) else str(data), CURVES),
        )
        return None
    ((name, arguments),) = data.items()
    parameters: tuple[Field[Any], ...] = fields(CURVES[name])  # type: ignore[arg-type]
    values = record(
        arguments,
        member(where, name),
        problems,
        required=[p.name for p in parameters if p.default is MISSING],
        optional=[p.name for p in parameters if p.default is not MISSING],
    )
    return None if values is None else problems.attempt(lambda: CURVES[name](**values), under=f"{where}.")


def _as_float(value: Any, name: str) -> float:
    """The value as a float; whole numbers beyond the floats count as infinite."""
    if type(value) is not float:
        if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
            _refuse_value(value, name)
        try:
            value = float(value)
        except OverflowError:
            value = inf if value > 0 else -inf
        except ValueError:  # a Decimal that signals
            _refuse_value(value, name)
    if isnan(value):
        _refuse_value(value, name)
    return value  # type: ignore[no-any-return]


def _refuse_value(value: Any, name: str) -> None:
    refuse(
        f"{value!r} ({type(value).__name__}) has no place on a curve",
        where=f"curve {name}",
        expected="a number, or None to abstain",
        remedy="let the measure return a number; write 1.0 and 0.0 for yes and no",
    )


def _fraction(curve: Linear | Power, value: float, low: float, high: float) -> float:
    """How far the value is from low to high, in [0, 1] and exact at both ends."""
    return (curve._within(value, min(low, high), max(low, high)) - low) / (high - low)  # noqa: SLF001


def settle(
    curve: Any, *numbers: str, positive: str | None = None, scores: Sequence[str] = (), span: bool = False
) -> None:
    """Check the parameters of a curve and make them floats; `span`: the first two are the ends of an interval."""
    problems = Problems()
    for name in (*numbers, *scores, *([positive] if positive else [])):
        value = getattr(curve, name)
        fits = is_number(value)
        if fits and name == positive:
            fits = value > 0
        if fits and name in scores:
            fits = -1 <= value <= 1
        if not fits:
            problems.add(
                f"{name} is {value!r}",
                where=f"{curve.name}.{name}",
                expected="a number in [-1, 1]" if name in scores else "a finite number" + " > 0" * (name == positive),
                remedy="fix the parameter",
            )
        else:
            object.__setattr__(curve, name, float(value))
    if not isinstance(getattr(curve, "clamps", False), bool):
        problems.add(
            f"clamps is {curve.clamps!r}",
            where=f"{curve.name}.clamps",
            expected="true or false",
            remedy="leave it out to refuse values outside the domain",
        )
    problems.raise_if_any(InvalidInput)
    if span:
        low, high = (getattr(curve, name) for name in numbers[:2])
        if low == high or not isfinite(high - low):
            degenerate(curve.name, numbers[1], f"the ends are {low!r} and {high!r}: no interval that can be measured")


def degenerate(name: str, parameter: str, what: str) -> NoReturn:
    """Refuse parameters that make a curve say the same of everything, or nothing at all."""
    refuse(what, where=f"{name}.{parameter}", expected="a curve that tells values apart", remedy="move one of them")


def checked_points(points: Any) -> tuple[tuple[float, float], ...]:
    """The points of a piecewise curve: finite, values rising strictly, scores in [-1, 1]."""
    problems = Problems()
    checked: list[tuple[float, float]] = []
    for index, point in enumerate(points if isinstance(points, (list, tuple)) else ()):
        where = f"piecewise.points[{index}]"
        if not (isinstance(point, (list, tuple)) and len(point) == 2 and all(map(is_number, point))):
            problems.add(
                f"the point is {point!r}", where=where, expected="[value, score]", remedy="write two finite numbers"
            )
            continue
        x, y = map(float, point)
        if not -1 <= y <= 1:
            problems.add(
                f"the score is {y!r}", where=where, expected="a score in [-1, 1]", remedy="scale the scores down"
            )
        if checked and not (checked[-1][0] < x and isfinite(x - checked[-1][0])):
            problems.add(
                f"the value {x!r} follows {checked[-1][0]!r}",
                where=where,
                expected="values that rise strictly",
                remedy="sort the points by value, each value once",
            )
        checked.append((x, y))
    if len(checked) < 2 and not len(problems):
        problems.add(
            f"the points are {points!r}",
            where="piecewise.points",
            expected="two points or more",
            remedy="give at least the two ends",
        )
    problems.raise_if_any(InvalidInput)
    return tuple(checked)

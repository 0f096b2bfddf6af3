"""How a caller asks for a decision: what counts as tied, when it holds, and whether chance chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from volition.arbitration.composite import HEAVIEST
from volition.arbitration.data_checks import is_number, is_whole, record
from volition.core.errors import InvalidInput, Problems, did_you_mean, format_value
from volition.core.typed import FrozenStruct, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

Chooser = Literal["best", "weighted"]
"""Who chooses among the survivors: the best total, or chance, which follows the totals."""


class Margin(FrozenStruct, frozen=True):
    """For `hold_below`: hold where the winner leads the best of the others by less than this. One alone has no rival."""

    least: float


class Total(FrozenStruct, frozen=True):
    """For `hold_below`: hold where the winner's total is less than this."""

    least: float


HoldBelow = Margin | Total


class DecisionSettings(FrozenStruct, frozen=True):
    """How the caller asked for the decision."""

    on_impossible: Literal["hold", "fail"] = "hold"
    tie_margin: float = 0.0
    stay: str | None = None
    hold_below: HoldBelow | None = None
    choose: Chooser = "best"
    seed: int | None = None


def check_settings(settings: DecisionSettings, ids: Sequence[str], problems: Problems) -> None:
    """Add a problem, named by its argument, for each setting that no decision can be made with."""
    if settings.on_impossible not in ("hold", "fail"):
        problems.add(
            f"on_impossible is {settings.on_impossible!r}",
            where="on_impossible",
            expected="'hold' or 'fail'",
            remedy="leave it out to hold",
        )
    if not is_number(settings.tie_margin) or settings.tie_margin < 0:
        problems.add(
            f"the tie margin is {format_value(settings.tie_margin)}",
            where="tie_margin",
            expected="a finite number >= 0",
            remedy="leave it out to call only equal totals tied",
        )
    if settings.stay is not None and ids and settings.stay not in ids:
        problems.add(
            f"{settings.stay!r} is named as staying put and is not offered",
            where="stay",
            expected="the id of one of the candidates",
            remedy=did_you_mean(str(settings.stay), ids),
        )
    check_hold_below(settings.hold_below, problems)
    _check_chance(settings, problems)


def check_hold_below(hold_below: Any, problems: Problems) -> None:
    """Add a problem for a bound that is neither a margin nor a total, or whose number cannot be compared."""
    if hold_below is None:
        return
    if not isinstance(hold_below, (Margin, Total)):
        problems.add(
            f"hold_below is {format_value(hold_below)}",
            where="hold_below",
            expected="Margin(number) or Total(number)",
            remedy="say which number it bounds: hold_below=Margin(0.1) or hold_below=Total(0.0)",
        )
        return
    low = 0.0 if isinstance(hold_below, Margin) else -HEAVIEST
    if not is_number(hold_below.least) or not low <= hold_below.least <= HEAVIEST:
        what = type(hold_below).__name__.lower()
        problems.add(
            f"the least {what} is {format_value(hold_below.least)}",
            where="hold_below",
            expected="a finite number >= 0" if what == "margin" else "a finite number",
            remedy="leave hold_below out to act on every winner",
        )


def _check_chance(settings: DecisionSettings, problems: Problems) -> None:
    if settings.choose not in ("best", "weighted"):
        problems.add(
            f"choose is {format_value(settings.choose)}",
            where="choose",
            expected="'best' or 'weighted'",
            remedy="leave it out to choose the best total",
        )
    elif settings.choose == "best" and settings.seed is not None:
        problems.add(
            f"the seed is {format_value(settings.seed)}, and nothing is drawn",
            where="seed",
            expected="a seed with choose='weighted' only",
            remedy="leave the seed out, or write choose='weighted'",
        )
    elif settings.choose == "weighted":
        if not is_whole(settings.seed):
            problems.add(
                f"the seed is {format_value(settings.seed)}",
                where="seed",
                expected="an integer: the same one draws the same candidate",
                remedy="give another one for each decision, such as chance.stream(seed, tick, uid(who), uid('choice'))",
            )
        if settings.tie_margin:
            problems.add(
                f"the tie margin is {format_value(settings.tie_margin)}, and chance breaks no ties",
                where="tie_margin",
                expected="no tie margin with choose='weighted'",
                remedy="leave it out: equal totals have equal chances",
            )
        if isinstance(settings.hold_below, Margin):
            problems.add(
                "hold_below is a margin, and what is drawn need not lead",
                where="hold_below",
                expected="a Total, or nothing, with choose='weighted'",
                remedy="write hold_below=Total(...) for the least total that is acted on",
            )


def read_settings(settings: DecisionSettings, ids: Sequence[str]) -> DecisionSettings:
    """The settings with their numbers as Python has them, or an error with all their problems."""
    problems = Problems()
    check_settings(settings, ids, problems)
    problems.raise_if_any(InvalidInput)
    below = settings.hold_below
    return replace(
        settings,
        tie_margin=float(settings.tie_margin),
        hold_below=None if below is None else type(below)(float(below.least)),
        seed=None if settings.seed is None else int(settings.seed),
    )


def hold_below_from_data(data: Any, where: str, problems: Problems) -> HoldBelow | None:
    """Read `{"margin": number}` or `{"total": number}`; None stays None. Its number is for `check_settings` to check.

    >>> hold_below_from_data({"margin": 0.1}, "hold_below", Problems())
    Margin(least=0.1)
    """
    if data is None:
        return None
    bounds = record(data, where, problems, required=(), optional=("margin", "total"))
    if bounds is None:
        return None
    if len(bounds) != 1:
        problems.add(
            f"{where} names {len(bounds)} bounds",
            where=where,
            expected='one: {"margin": number} or {"total": number}',
            remedy="name the one that the decision holds below",
        )
        return None
    ((name, least),) = bounds.items()
    return (Margin if name == "margin" else Total)(least)

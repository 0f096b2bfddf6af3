"""Numbers in sentences: parts that add up, as printed, to the sum that is printed with them.

Each part is rounded to the digits of the sum, and what rounding left over is given, one unit each, to the parts that
were cut most. So a reader who adds the printed parts gets the printed sum, to the last digit.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_PARTS = 4
"""How many parts a sentence names where there are more than one more; the rest are added up."""
OTHERS = "others"
_SHORT = (2, 3, 4)
"""Decimals with which short numbers are printed as they are."""
_EXACT = Fraction(1, 10**6)
"""How far, in units of the last decimal, a number may be off and still be printed as that decimal."""
_LARGE = 6
"""Sums of more digits before the point are printed with six digits in all."""
_CANCELLED = 9
"""Parts that are larger than their sum by more than this many digits are not worth adding up."""
_WIDE = Context(prec=40)


class PrintedSum(NamedTuple):
    """A sum in words: what it is, and of which parts."""

    total: str
    parts: str


def print_sum(parts: Sequence[tuple[str, Fraction]]) -> PrintedSum:
    """A positive sum and its parts, the largest named: for a reader who adds them up.

    >>> print_sum([("far", Fraction(-1, 3)), ("fast", Fraction(2, 3)), ("cheap", Fraction(1, 7))])
    PrintedSum(total='0.476', parts=': fast +0.666, cheap +0.143, despite far -0.333')
    """
    whole = sum((part for _, part in parts), Fraction())
    largest = max(abs(part) for _, part in parts)
    if _size(largest) - _size(whole) > _CANCELLED:
        listed = _list_parts([(name, f"{float(part):+.6g}", part) for name, part in parts if part])
        return PrintedSum(f"{float(whole):.6g}", f", which is what is left of {listed}")
    decimals = _decimals(whole, [part for _, part in parts])
    units = _apportion([part * Fraction(10) ** decimals for _, part in parts])
    named = [(name, unit) for (name, _), unit in zip(parts, units, strict=True) if unit]
    named.sort(key=lambda pair: (-abs(pair[1]), pair[0]))
    if len(named) > MOST_PARTS + 1:
        others = sum(unit for _, unit in named[MOST_PARTS:])
        named = [*named[:MOST_PARTS], *([(OTHERS, others)] if others else [])]
    listed = _list_parts([(name, _print_units(unit, decimals, "+"), Fraction(unit)) for name, unit in named])
    return PrintedSum(_print_units(sum(units), decimals), f": {listed}")


def print_reach(number: float, top: float) -> str:
    """Up to where something must rise, with six digits: "to" them, or "past" them where they are a little less.

    >>> print_reach(0.25, 1.0), print_reach(0.1 + 0.2, 1.0)
    ('to 0.25', 'past 0.3')
    """
    near = f"{number:.6g}"
    if float(near) > top:
        near = repr(number)
    return f"to {near}" if float(near) >= number else f"past {near}"


def join_names(names: Iterable[str]) -> str:
    """Names as a sentence has them."""
    return " and ".join(names)


def _size(number: Fraction) -> int:
    """The power of ten at or below a number that is not 0."""
    return _WIDE.divide(Decimal(abs(number.numerator)), Decimal(number.denominator)).adjusted()


def _decimals(whole: Fraction, parts: Sequence[Fraction]) -> int:
    """How many decimals to print: those that all parts have, where they are few; else three digits of the sum or more."""
    size = _size(whole)
    if size > _LARGE:
        return _LARGE - 1 - size
    for decimals in _SHORT:
        scaled = [part * 10**decimals for part in parts]
        if all(abs(number - round(number)) <= _EXACT for number in scaled) and any(map(round, scaled)):
            return decimals
    return 2 - min(size, 0)


def _apportion(numbers: Sequence[Fraction]) -> list[int]:
    """The values rounded to whole numbers, each by less than 1, so that they add up to their rounded sum."""
    units = [floor(number) for number in numbers]
    most_cut = sorted(range(len(numbers)), key=lambda place: (units[place] - numbers[place], place))
    for place in most_cut[: round(sum(numbers, Fraction())) - sum(units)]:
        units[place] += 1
    return units


def _list_parts(parts: Iterable[tuple[str, str, Fraction]]) -> str:
    """What speaks for the sum, and what against it, the largest first."""
    by_size = sorted(parts, key=lambda part: (part[0] == OTHERS, -abs(part[2]), part[0]))
    gains = ", ".join(f"{name} {number}" for name, number, part in by_size if part > 0)
    losses = ", ".join(f"{name} {number}" for name, number, part in by_size if part < 0)
    return f"{gains}, despite {losses}" if losses else gains


def _print_units(units: int, decimals: int, sign: str = "") -> str:
    return _strip(Decimal(units).scaleb(-decimals, _WIDE), sign)


def _strip(number: Decimal, sign: str = "") -> str:
    """A decimal without the zeros at its end; in powers of ten where it would be long."""
    short = number.normalize(_WIDE)
    long = short.adjusted() > 12 or short.adjusted() < -12
    return format(short, f"{sign}g" if long else f"{sign}f")

"""Generated loops: the loop that a person would write by hand for one composite.

Why: most composites are functions of one candidate, and calling them is the cost of a decision. For a given number of
such functions this module generates, once, a loop that calls each by its own name, checks and weighs the answers in
place and keeps them all. It halves the time of a decision compared with asking through `stages` (`benchmarks/arbitration.py`).

The law: for every composite, the loop and `stages` give the same verdicts, scores, contributions and errors. The tests
run both on the same composites and compare them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from volition.arbitration.stages import IntentionFailed, check_score, check_verdict, contributions, fail

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.arbitration.intention import Constraint, Heuristic, Intention

LONGEST = 64
"""Composites with more entries of a kind have no generated loop."""

_FIRST_CALL = 7
"""The line of every generated loop on which its first entry is asked; the others follow, one line each."""

_FILTER = """\
def make(entries, calls, failed, judged):
    {calls} = calls
    def loop(candidates, ids, context):
        vetoed, left, survivors = {{}}, [], []
        try:
            for name, candidate in zip(ids, candidates):
{asks}
                if {allowed}:
                    left.append(candidate)
                    survivors.append(name)
                elif {odd}:
                    row = judged(entries, name, ({answers}))
                    if any(row):
                        vetoed[name] = row
                    else:
                        left.append(candidate)
                        survivors.append(name)
                else:
                    vetoed[name] = ({answers})
        except Exception as error:
            failed(entries, error, name)
        return vetoed, left, survivors
    return loop
"""

_AGGREGATE = """\
def make(entries, calls, weights, failed, mended):
    {calls} = calls; {weights} = weights
    def loop(filtered, all_ids, context, type=type, float=float):
        scores, products, ids = [], [], filtered[2]
        try:
            for candidate in filtered[1]:
{asks}
                if {plain}:
                    scores.append(({answers}))
                    products.append(({weighed}))
                else:
                    mended(entries, ({answers}), ids[len(scores)], scores, products)
        except Exception as error:
            failed(entries, error, ids[len(scores)])
        return filtered, (scores, products)
    return loop
"""


def filter_loop(entries: Sequence[Constraint]) -> Callable[..., Any] | None:
    """A function of (candidates, ids): the verdicts on each that is vetoed, the others, and their ids.

    None where some entry is not a function of one candidate alone.
    """
    if not _has_only_direct_calls(entries):
        return None
    calls = [entry.call for entry in entries]
    return _maker(_FILTER, ((0.0, 0.0),) * len(entries))(entries, calls, _name_failure, _check_verdicts)  # type: ignore[no-any-return]


def aggregate_loop(entries: Sequence[Heuristic]) -> Callable[..., Any] | None:
    """A function of (candidates, ids): the scores and the contributions of each.

    None where some entry is not a function of one candidate alone.
    """
    if not _has_only_direct_calls(entries):
        return None
    calls, weights = [entry.call for entry in entries], [entry.weight for entry in entries]
    ranges = tuple(entry.range for entry in entries)
    return _maker(_AGGREGATE, ranges)(entries, calls, weights, _name_failure, _add_checked)  # type: ignore[no-any-return]


def _has_only_direct_calls(entries: Sequence[Intention]) -> bool:
    return 0 < len(entries) <= LONGEST and all(entry.call and entry.on_error == "raise" for entry in entries)


@lru_cache(maxsize=2 * LONGEST)
def _maker(template: str, ranges: tuple[tuple[float, float], ...]) -> Callable[..., Any]:
    """Compile a loop; the bounds of scores are constants in its source, and `type` and `float` its locals: both cost
    less than looking them up for every score."""
    each = range(len(ranges))
    source = template.format(
        calls="".join(f"ask{n}, " for n in each),
        weights="".join(f"weight{n}, " for n in each),
        asks="\n".join(f"                answer{n} = ask{n}(candidate)" for n in each),
        answers="".join(f"answer{n}, " for n in each),
        allowed=" and ".join(f"answer{n} is False" for n in each),
        odd=" or ".join(f"answer{n} is not True and answer{n} is not False" for n in each),
        plain=" and ".join(
            f"type(answer{n}) is float and answer{n} <= {high!r} and answer{n} >= {low!r}"
            for n, (low, high) in enumerate(ranges)
        ),
        weighed="".join(f"weight{n} * answer{n}, " for n in each),
    )
    namespace: dict[str, Any] = {}
    exec(compile(source, f"<loop of {len(ranges)}>", "exec"), namespace)  # noqa: S102  our own text, numbers aside
    return namespace["make"]  # type: ignore[no-any-return]


def _name_failure(entries: Sequence[Intention], error: Exception, name: str) -> None:
    """Name the entry that raised: its line tells, since each is asked on a separate line."""
    asked = error.__traceback__.tb_lineno - _FIRST_CALL  # type: ignore[union-attr]
    if asked >= len(entries) and isinstance(error, IntentionFailed):
        raise error  # the answer was refused, and the error says so already
    # Otherwise the check itself raised: the answer claims to be a number and cannot be compared.
    fail(entries[min(asked, len(entries) - 1)], error, f"candidate {name!r}")


def _check_verdicts(entries: Sequence[Intention], name: str, row: Sequence[Any]) -> tuple[Any, ...]:
    """Check verdicts that are not all True or False."""
    return tuple([check_verdict(entry, name, verdict) for entry, verdict in zip(entries, row, strict=True)])


def _add_checked(
    entries: Sequence[Heuristic],
    answers: Sequence[Any],
    name: str,
    scores: list[tuple[Any, ...]],
    products: list[tuple[float, ...]],
) -> None:
    """Add scores that are not all floats in range: abstentions, other numbers, or an error."""
    row = tuple([check_score(entry, name, score) for entry, score in zip(entries, answers, strict=True)])
    scores.append(row)
    products += contributions(entries, [row])

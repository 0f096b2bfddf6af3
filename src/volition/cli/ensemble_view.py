"""Ensembles as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from volition.drama.company.ensemble import Ensemble, Figures, Interval, Plan

SHOWN: Final = (
    "minutes", "ticks", "events", "moves", "dramatic", "first_drama", "catastrophes", "left", "tension",
    "tension.first_half", "tension.second_half", "irony", "rooms", "decisions", "hung.bonds", "hung.flaws", "hung.noise",
)  # fmt: skip
"""The means that people are shown; --json has all of them."""
COMPARED: Final = ("minutes", "events", "dramatic", "catastrophes", "tension", "irony")
"""Those of them that groups are compared by."""
NOTE: Final = "Brackets hold 95 % intervals: Wilson's for shares; for means the bootstrap's, and the normal one above 1000 evenings."


def planned(plan: Plan) -> str:
    """What an ensemble is made of, on one line."""
    points = len(plan.points)
    swept = f", {points} combinations of {', '.join(plan.names)}" if plan.names else ""
    return f"{plan.scenario.id}: {plan.size} evenings, {len(plan.seeds)} seeds{swept}"


def decided(ensemble: Ensemble) -> str:
    """By which path people decided and why, on one line; with numbers where not all evenings were decided by the same."""
    told, paths = ensemble.decided, ensemble.paths
    if len(paths) == 1:
        return told
    return f"{told} ({', '.join(f'{count} of {len(ensemble)} on the {path} path' for path, count in paths.items())})"


def shown(ensemble: Ensemble, groups: Sequence[Figures]) -> Iterator[str]:
    """All figures of one group, or several groups side by side."""
    yield planned(ensemble.plan)
    yield decided(ensemble)
    yield f"evenings in {ensemble.folder.path}"
    yield ""
    yield from _whole(groups[0]) if len(groups) == 1 else _compared(groups)
    yield ""
    yield NOTE


def _whole(group: Figures) -> Iterator[str]:
    if group.of is not None:
        yield f"{group.of}: {group.evenings} evenings"
    yield from _list("endings", {name: _share(value) for name, value in group.endings.items()})
    yield from _list("evenings with an act in", {name: _share(value) for name, value in group.flags.items()})
    yield from _list("means", {name: _mean(group.means[name]) for name in SHOWN})
    broke = {name: _mean(value) for name, value in group.means.items() if name.startswith("catastrophes.")}
    yield from _list("catastrophes of", broke)


def _compared(groups: Sequence[Figures]) -> Iterator[str]:
    heads = ["", "evenings", *COMPARED, "most common ending"]
    rows = [heads]
    for group in groups:
        means = [_mean(group.means[name]) for name in COMPARED]
        name, value = next(iter(group.endings.items()))
        rows.append([str(group.of), str(group.evenings), *means, f"{name} {_share(value)}"])
    widths = [max(len(row[place]) for row in rows) for place in range(len(heads))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _list(title: str, lines: Mapping[str, str]) -> Iterator[str]:
    width = max(map(len, lines), default=0)
    yield title
    yield from (
        f"  {name.rpartition('.')[2] if title.endswith((' in', ' of')) else name:<{width}}  {text}"
        for name, text in lines.items()
    )


def _share(value: Interval) -> str:
    if value.value is None or value.low is None or value.high is None:
        return "-"
    return f"{100 * value.value:.0f} % [{100 * value.low:.0f}, {100 * value.high:.0f}]"


def _mean(value: Interval) -> str:
    if value.value is None:
        return "-"
    if value.low is None or value.high is None:
        return f"{value.value:.3g}"
    return f"{value.value:.3g} [{value.low:.3g}, {value.high:.3g}]"

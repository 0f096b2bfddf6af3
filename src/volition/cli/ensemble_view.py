"""Ensembles as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.cli.common import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from volition.drama.ensemble import Differences, Ensemble, EnsemblePlan, Figures, Interval

SHOWN: Final = (
    "minutes", "ticks", "events", "moves", "dramatic", "first_drama", "catastrophes", "left", "tension",
    "tension.first_half", "tension.second_half", "irony", "rooms", "decisions", "hung.bonds", "hung.flaws", "hung.noise",
)  # fmt: skip
"""The means that are printed as text; --json has all of them."""
COMPARED: Final = ("minutes", "events", "dramatic", "catastrophes", "tension", "irony")
"""The means in a comparison of groups."""
NOTE: Final = "Brackets hold 95 % intervals: Wilson's for shares; for means the bootstrap's, and the normal one above 1000 evenings."


def describe_plan(plan: EnsemblePlan) -> str:
    """What an ensemble consists of, on one line."""
    points = len(plan.points)
    swept = f", {points} combinations of {', '.join(plan.names)}" if plan.names else ""
    return f"{plan.scenario.id}: {plan.size} evenings, {len(plan.seeds)} seeds{swept}"


def describe_paths(ensemble: Ensemble) -> str:
    """On which path evenings were played and why, on one line; with counts where they took different paths."""
    decided, paths = ensemble.decided, ensemble.paths
    if len(paths) == 1:
        return decided
    return f"{decided} ({', '.join(f'{count} of {len(ensemble)} on the {path} path' for path, count in paths.items())})"


def summarise(ensemble: Ensemble, groups: Sequence[Figures], differences: Sequence[Differences] = ()) -> Iterator[str]:
    """All figures of one group, or several groups side by side with their differences seed by seed."""
    yield describe_plan(ensemble.plan)
    yield describe_paths(ensemble)
    yield f"evenings in {ensemble.folder.path}"
    yield ""
    yield from _one_group(groups[0]) if len(groups) == 1 else _comparison(groups)
    if differences and len(groups) > 1:
        yield ""
        yield f"differences from {groups[0].of}, seed by seed"
        rows = [
            ["", *COMPARED],
            *([str(one.value), *(_mean(one.means[name]) for name in COMPARED)] for one in differences),
        ]
        yield from columns(rows)
    yield ""
    yield NOTE


def _one_group(group: Figures) -> Iterator[str]:
    if group.of is not None:
        yield f"{group.of}: {group.evenings} evenings"
    yield from _list("endings", {name: _share(value) for name, value in group.endings.items()})
    yield from _list("evenings with an act in", {name: _share(value) for name, value in group.flags.items()})
    yield from _list("means", {name: _mean(group.means[name]) for name in SHOWN})
    broke = {name: _mean(value) for name, value in group.means.items() if name.startswith("catastrophes.")}
    yield from _list("catastrophes of", broke)


def _comparison(groups: Sequence[Figures]) -> Iterator[str]:
    rows = [["", "evenings", *COMPARED, "most common ending"]]
    for group in groups:
        means = [_mean(group.means[name]) for name in COMPARED]
        name, value = next(iter(group.endings.items()))
        rows.append([str(group.of), str(group.evenings), *means, f"{name} {_share(value)}"])
    yield from columns(rows)


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

"""Evenings in words: how one went, what mattered in it and whose story it is, and the figures of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from volition.cli.printing import columns, program_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from volition.drama.audience.arcs import Arc
    from volition.drama.audience.summary import EveningSummary
    from volition.drama.ensemble import Ensemble, EnsemblePlan
    from volition.drama.ensemble.figures import Differences, Figures
    from volition.drama.ensemble.intervals import Interval
    from volition.drama.evening.world import WorldState
    from volition.drama.playing.evening import Evening
    from volition.drama.playing.significance import ActSignificance
    from volition.drama.stage.library import RunEntry
    from volition.drama.stage.record import Run


SHOWN: Final = (
    "minutes", "ticks", "events", "moves", "dramatic", "first_drama", "catastrophes", "left", "tension",
    "tension.first_half", "tension.second_half", "irony", "rooms", "decisions", "hung.bonds", "hung.flaws", "hung.noise",
)  # fmt: skip
"""The means that are printed as text; --json has all of them."""
_BARS: Final = ("stress", "composure", "dramatic_budget")
COMPARED: Final = ("minutes", "events", "dramatic", "catastrophes", "tension", "irony")
"""The means in a comparison of groups."""
NOTE: Final = "Brackets hold 95 % intervals: Wilson's for shares; for means the bootstrap's, and the normal one above 1000 evenings."
LEGEND: Final = (
    "0 to 1: how much would differ without the act, in beliefs, in bonds, in who left, and in the ending; "
    "every other draw stays the same"
)


def print_next_steps(run: Run, path: Path, name: str) -> None:
    """Say where a run was recorded, and what to type to look at it; `name` is what RUN arguments call it."""
    last = run.ticks[-1:]
    who = next((who for tick in last for who in tick.choices), next(iter(run.scenario.people)))
    tick = last[0].tick if last else 0
    click.echo(f"recorded in {path}; to look at it:")
    click.echo(f"  {program_name()} transcript {name}")
    click.echo(f"  {program_name()} explain {name} --tick {tick} --agent {who}")
    if path.resolve().is_relative_to(path.cwd()):  # the studio shows what is in this folder
        click.echo(f"  {program_name()} studio --open")


def print_summary(summed: EveningSummary) -> None:
    """Print what an evening came to."""
    ending = summed.ending
    click.secho(f"{summed.scenario}, seed {summed.seed}", bold=True)
    if ending is not None:
        click.echo(f"ending: {ending.because} ({ending.stopped})")
    first = "never" if summed.first_dramatic_tick is None else f"at tick {summed.first_dramatic_tick}"
    click.echo(
        f"{summed.minutes:.0f} minutes, {summed.ticks} ticks, {summed.events} events; first dramatic act {first}"
    )
    click.echo("events: " + ", ".join(f"{kind} {count}" for kind, count in summed.counts.items() if count))
    broke = ", ".join(
        f"{catastrophe.who} at minute {catastrophe.minutes:.0f} ({catastrophe.kind})"
        for catastrophe in summed.catastrophes
    )
    click.echo(f"broke: {broke or 'nobody'}")
    halves = summed.tension
    click.echo(f"tension: {halves.first:.2f} in the first half, {halves.second:.2f} in the second")
    for mind in summed.minds:
        why = "".join(f", {reason.replace('_', ' ')} {count}" for reason, count in mind.fallbacks.items())
        cost = f"{mind.tokens} tokens, {mind.seconds:.1f} s"
        click.echo(
            f"mind of {mind.who} ({mind.label}): {mind.answered} of {mind.asked} questions answered{why}; {cost}"
        )


def print_replay(answer: dict[str, Any], world: WorldState) -> None:
    """Print what a replay checked, and the state that it shows."""
    click.echo(f"{answer['run']}: {answer['ticks']} ticks and {answer['events']} events are consistent")
    if "verified" in answer:
        click.echo(f"played again: all {answer['verified']} ticks are the same")
    if not answer["finished"]:
        click.echo(
            "it has no ending: the record was cut off, or the evening was interrupted; play it again to complete it"
        )
    click.echo(f"before tick {answer['tick']}, state {answer['state'][:12]}, packed {answer['packed'][:12]}")
    for line in state_lines(world):
        click.echo(f"  {line}")


def run_lines(entries: Iterable[RunEntry]) -> Iterator[str]:
    """Recorded evenings, one to a line."""
    for entry in entries:
        if entry.fault is not None:
            yield f"{entry.id}: broken: {entry.fault}"
            continue
        ending = "unfinished" if entry.ending is None else entry.ending.replace("_", " ")
        branch = f", branched at tick {entry.interference[-1][0]}" if entry.interference else ""
        by = f" by {entry.signed.by}" if entry.signed else ""
        yield f"{entry.id}: {entry.scenario}, seed {entry.seed}, {entry.ticks} ticks, {ending}{branch}{by}"


def print_act(evening: Evening, act: ActSignificance) -> None:
    """Print an act and, below it, what would have been without it."""
    from volition.drama.audience.deeds import describe_deed
    from volition.drama.playing.significance import describe_without

    scenario, without = evening.scenario, describe_without(evening.run, act)
    click.echo(f"{act.score:.3f}  tick {act.event.tick:<4} {describe_deed(scenario, act.event)}")
    click.secho(f"{'':16} without it: {'; '.join(without) or 'much the same'}", dim=True)


def print_arc(evening: Evening, arc: Arc) -> None:
    """Print whose story an arc is, and its beats."""
    from volition.drama.audience.deeds import describe_deed

    events = {event.id: event for event in evening.events}
    name = evening.scenario.people[arc.protagonist].name
    share = arc.qualities.get("significance", 0.0)
    click.secho(
        f"{name}: story {arc.score:.2f} of 1, minutes {arc.start:.0f} to {arc.end:.0f}, part in {share:.0%} of what mattered",
        bold=True,
    )
    for beat in arc.beats:
        event = events[beat.event]
        part = beat.part.value.replace("_", " ")
        click.echo(f"  {part:<14} tick {event.tick:<4} {describe_deed(evening.scenario, event)}")


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
            *(
                [str(difference.value), *(_mean(difference.means[name]) for name in COMPARED)]
                for difference in differences
            ),
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


def state_lines(world: WorldState) -> Iterator[str]:
    """Everybody's location and pacing, one line each."""
    from volition.drama.world.model import DEPARTED

    width = max(map(len, world.agents))
    for me in world.agents.values():
        if me.location == DEPARTED:
            yield f"{me.id:<{width}}  {'has left' if me.has_left else 'is expected'}"
            continue
        shown = "  ".join(f"{name.removeprefix('dramatic_')} {bar(getattr(me.pacing, name))}" for name in _BARS)
        yield f"{me.id:<{width}}  {shown}  {world.scenario.rooms[me.location].name}"


def bar(share: float, width: int = 8) -> str:
    """A share from 0 to 1 as a bar.

    >>> bar(0.5, 4), bar(0.0, 4)
    ('##..', '....')
    """
    full = round(max(0.0, min(1.0, share)) * width)
    return "#" * full + "." * (width - full)

"""What is drawn on a terminal with rich: an evening and a drive tick by tick, a conformance report, and lines of work.

Only what draws is imported here; each view imports what it shows when it is made.
"""

from __future__ import annotations

import re
import sys
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from volition.agents.worktrees.overview import WorkOverview
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import TickRecord
    from volition.drama.world.model import Scenario
    from volition.execution.client.bridge import Bridge
    from volition.execution.conformance.law import Check
    from volition.execution.conformance.verdict import CheckResult, Report
    from volition.execution.wire.frames import StateFrame
    from volition.execution.worlds.pilot.course import PilotStep
    from volition.execution.worlds.pilot.judge import Goal


LAST_LINES = 8
"""How many of the narrator's last lines are shown."""
_HIGH, _LOW = 0.6, 0.3
"""From where on stress is shown as high, and composure as low."""
LAST_RESULTS = 8
"""How many of the last results are shown."""
_OUTCOMES = {"SUCCESS": "green", "PARTIAL": "yellow", "FAILURE": "red"}
_VERDICTS = {"holds": "green", "breaks": "bold red", "not judged": "yellow", "not applicable": "dim"}
_PAIRS = {
    "undeclared conflict": "red",
    "declared conflict": "yellow",
    "contract conflict": "red",
    "complementary": "green",
    "apart": "",
}


class StageView(Live):
    """A live view that is updated with every tick."""

    def __init__(self, scenario: Scenario, seed: int, pace: float) -> None:
        from volition.drama.audience.narrator import TemplateNarrator

        super().__init__(refresh_per_second=20, transient=True)
        self._scenario, self._pace = scenario, pace
        self._narrator = TemplateNarrator(seed)
        self._lines: deque[str] = deque(maxlen=LAST_LINES)
        self._before: WorldState | None = None

    def begin(self, world: WorldState) -> None:
        """Take the state from which an evening goes on: the narrator needs the state before each event."""
        self._before = world

    def show(self, world: WorldState, tick: TickRecord) -> None:
        """Show the state after a tick and what happened in it."""
        from volition.drama.stage.replay import unfold

        assert self._before is not None
        for event in unfold(self._before, tick):
            self._lines.extend(self._narrator.tell(self._before, event))
        narration = Text("\n").join(map(style_line, self._lines))
        self.update(Group(self._people(world, tick), Panel(narration, title="just now")))
        time.sleep(self._pace)

    def _people(self, world: WorldState, tick: TickRecord) -> Table:
        from volition.cli.show.drama import bar
        from volition.drama.world.model import DEPARTED

        table = Table(title=f"{self._scenario.name}: minute {world.minutes:.0f}, tick {tick.tick}", expand=True)
        for heading in ("", "where", "stress", "composure", "budget", "chose"):
            table.add_column(heading)
        for me in world.agents.values():
            choice = tick.choices.get(me.id)
            if me.location == DEPARTED:
                where = "has left" if me.has_left else "is expected"
                table.add_row(self._scenario.people[me.id].name, where, "", "", "", "", style="dim")
                continue
            pacing = me.pacing
            table.add_row(
                self._scenario.people[me.id].name,
                self._scenario.rooms[me.location].name,
                Text(bar(pacing.stress), style="red" if pacing.stress >= _HIGH else ""),
                Text(bar(pacing.composure), style="red" if pacing.composure < _LOW else ""),
                bar(pacing.dramatic_budget),
                "breaks" if choice is None else choice.id,
            )
        return table


def style_line(line: str) -> Text:
    """A line of the narrator as rich text: a scene at its start, written *between stars*, becomes italic."""
    scene, line = match.groups() if (match := re.match(r"\*(.+?)\* (.*)", line)) else ("", line)
    return Text.assemble((scene, "italic"), " " if scene else "", line)


class DriveView(Live):
    """A live view that is updated with every step."""

    def __init__(self, goal: Goal, bridge: Bridge) -> None:
        from volition.execution.worlds.pilot.course import Course

        super().__init__(refresh_per_second=20, transient=True)
        self._bridge = bridge
        self._course = Course(goal)
        self._last: deque[PilotStep] = deque(maxlen=LAST_RESULTS)
        self._map: Any = None

    def show(self, step: PilotStep) -> None:
        """Show the world as it is now, and the step that was just taken."""
        self._course.add(step)
        self._last.append(step)
        self.update(self.page(step))

    def page(self, step: PilotStep) -> RenderableType:
        """The whole view after a step."""
        arena = Panel(Text(self._picture(step)), title=f"goal {self._course.goal}: {step.judged.verdict}", expand=False)
        return Group(Columns([arena, self._results()]), self._choice(step), self._counts())

    def _picture(self, step: PilotStep) -> str:
        from volition.execution.worlds.arena.view import render

        for frame in (step.frame, self._bridge.state):
            self._take_map(frame)
        newest = self._bridge.state or step.frame
        try:
            return render({**newest.data, "map": self._map})
        except (KeyError, TypeError, IndexError, AttributeError):
            me = (step.after or step.situation).me
            return f"no map to draw\nat {me.place[0]:.2f}, {me.place[1]:.2f}  health {me.health:.0%}"

    def _take_map(self, frame: StateFrame | None) -> None:
        if frame is not None and frame.full and isinstance(frame.data, dict):
            self._map = frame.data.get("map", self._map)

    def _choice(self, step: PilotStep) -> Panel:
        decision = step.decision
        why = decision.why()
        lines = [Text(decision.id or decision.kind, style="bold"), Text(why.text)]
        if why.over is not None:
            lines.append(Text(f"closest rival {why.over}: {decision.why_not(why.over).text}", style="dim"))
        reason = decision.reason
        if reason.vetoed_count:
            lines.append(Text(f"{reason.vetoed_count} options vetoed by {', '.join(reason.vetoed_by)}", style="dim"))
        return Panel(Group(*lines), title=f"step {step.number}, tick {step.situation.tick}")

    def _results(self) -> Table:
        from volition.cli.show.execution import result_of

        table = Table(title="last results")
        for heading in ("tick", "chosen", "result"):
            table.add_column(heading)
        for step in self._last:
            style = "" if step.outcome is None else _OUTCOMES[step.outcome.status]
            table.add_row(
                str(step.situation.tick), step.decision.id or step.decision.kind, result_of(step), style=style
            )
        return table

    def _counts(self) -> Text:
        course, times = self._course, self._course.latency
        took = "" if times is None else f"  latency p50 {times.p50 * 1e3:.1f} ms, p99 {times.p99 * 1e3:.1f} ms"
        return Text(
            f"defeats {course.defeats}  deaths {course.deaths}  retries refused {course.refused_retries}  "
            f"violations {course.violations}  health {course.health or 0:.0%}{took}"
        )


def show_report(report: Report, console: Console | None = None) -> None:
    """Print the table, the evidence, and the summary."""
    console = console or Console()
    table = Table("check", "law", "verdict", expand=True)
    for row in report.rows:
        law = Text(row.law, style="dim" if row.verdict == "not applicable" else "")
        if row.verdict in {"not applicable", "not judged"}:
            law.append(f"\n{row.found}", style="dim italic")
        table.add_row(Text(row.check), law, Text(row.verdict, style=_VERDICTS[row.verdict]))
    console.print(table)
    for row in report.rows:
        if row.verdict == "breaks":
            console.print(Text(row.check, style="bold red"), Text(f"docs/protocol.md, {row.section}", style="dim"))
            console.print(Text(f"  law:      {row.law}\n  found:    {row.found}\n  expected: {row.expected}"))
            for frame in row.frames:
                console.print(Text(f"  {frame}", style="cyan" if frame.by == "kit" else "yellow"))
    verdict = "holds" if report.holds else "breaks" if report.broken else "not judged"
    console.print(Text(report.summary, style=_VERDICTS[verdict]))


class Listeners(Struct, frozen=True):
    """What is called while checks run: with each check that starts, and with the row of each that has ended."""

    trying: Callable[[Check], None] | None = None
    tell: Callable[[CheckResult], None] | None = None


@contextmanager
def progress(total: int, *, on: TextIO, lines: bool) -> Iterator[Listeners]:
    """On a terminal, a bar that names the running check and how long it has taken; with `lines`, every row on standard
    output as soon as it is known."""
    print_row = _print_row if lines else None
    if not on.isatty():
        yield Listeners(tell=print_row)
        return
    bar = Progress(
        BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
        console=Console(file=on), transient=True,
    )  # fmt: skip
    with bar:
        run = bar.add_task("", total=total)

        def tell(row: CheckResult) -> None:
            bar.update(run, advance=1)
            if print_row is not None:
                print_row(row)

        yield Listeners(lambda check: bar.update(run, description=check.name), tell)


def _print_row(row: CheckResult) -> None:
    """One row as text, flushed at once: the reader of a pipe sees the progress."""
    sys.stdout.write(f"{row}\n")
    sys.stdout.flush()


def overview_table(seen: WorkOverview) -> Table:
    """Lines of work as a table that can be redrawn."""
    from volition.agents.check.escaping import visible
    from volition.cli.show.agents import line_row

    table = Table("line", "changed", "strays", "plans", "with the others", title="lines of work")
    for line in seen.lines:
        met = [
            (pair.state, pair.other if pair.one == line.name else pair.one)
            for pair in seen.pairs
            if line.name in {pair.one, pair.other}
        ]
        states = [f"[{_PAIRS[state]}]{state}[/]: {escape(visible(other))}" for state, other in met]
        table.add_row(*map(escape, line_row(seen, line)[:4]), "\n".join(states))
    return table

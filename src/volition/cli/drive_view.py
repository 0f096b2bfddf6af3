"""A drive as text: one line for each step, or a live view with the arena, the last choice and its reason."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from volition.execution.worlds.arena import render
from volition.execution.worlds.pilot import Course

if TYPE_CHECKING:
    from volition.execution.client.bridge import Bridge
    from volition.execution.wire.frames import StateFrame
    from volition.execution.worlds.pilot import Goal, PilotStep

LAST_RESULTS = 8
"""How many of the last results are shown."""
_STYLES = {"SUCCESS": "green", "PARTIAL": "yellow", "FAILURE": "red"}


def line_of(step: PilotStep) -> str:
    """One step in one line: when, what, its result, the health of both, and why.

    It contains no measured time, so the same drive prints the same lines.
    """
    after = step.after or step.situation
    foe = "?" if after.foe is None else f"{after.foe.health:.0%}"
    return (
        f"{step.number:>4}  tick {step.situation.tick:<5} {step.decision.id or step.decision.kind:<20} "
        f"{result_of(step):<27} me {after.me.health:>4.0%}  opponent {foe:>4}  {step.decision.why().text}"
    )


def result_of(step: PilotStep) -> str:
    """The result of a step in a word or two, with its label where the executor did not answer."""
    outcome = step.outcome
    if outcome is None:
        return "waited"
    status = outcome.status if outcome.reason == "NONE" else f"{outcome.status} {outcome.reason}"
    return status if outcome.answered else f"{status} ({outcome.label})"


class DriveView(Live):
    """A live view that is updated with every step."""

    def __init__(self, goal: Goal, bridge: Bridge) -> None:
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
        table = Table(title="last results")
        for heading in ("tick", "chosen", "result"):
            table.add_column(heading)
        for step in self._last:
            style = "" if step.outcome is None else _STYLES[step.outcome.status]
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

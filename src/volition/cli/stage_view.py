"""An evening on a terminal, tick by tick: where people are, their pacing as bars, and what was just said and done."""

from __future__ import annotations

import re
import time
from collections import deque
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from volition.drama.audience.narrator import TemplateNarrator
from volition.drama.stage.replay import unfold
from volition.drama.stage.view import bar
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import TickRecord
    from volition.drama.world.model import Scenario

LAST_LINES = 8
"""How many of the narrator's last lines are shown."""
_HIGH, _LOW = 0.6, 0.3


class StageView(Live):
    """A live view that is updated with every tick."""

    def __init__(self, scenario: Scenario, seed: int, pace: float) -> None:
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
        assert self._before is not None
        for event in unfold(self._before, tick):
            self._lines.extend(self._narrator.tell(self._before, event))
        narration = Text("\n").join(map(style_line, self._lines))
        self.update(Group(self._people(world, tick), Panel(narration, title="just now")))
        time.sleep(self._pace)

    def _people(self, world: WorldState, tick: TickRecord) -> Table:
        table = Table(title=f"{self._scenario.name}: minute {world.minutes:.0f}, tick {tick.tick}", expand=True)
        for heading in ("", "where", "stress", "composure", "budget", "chose"):
            table.add_column(heading)
        for me in world.agents.values():
            choice = tick.choices.get(me.id)
            if me.location == DEPARTED:
                table.add_row(self._scenario.people[me.id].name, "has left", "", "", "", "", style="dim")
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
    scene, line = found.groups() if (found := re.match(r"\*(.+?)\* (.*)", line)) else ("", line)
    return Text.assemble((scene, "italic"), " " if scene else "", line)

"""Who decides in an evening: everybody's mind, with the user's code where that is available, or else by the record."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from volition.core.errors import refuse
from volition.drama.mind.mind import Mind
from volition.drama.stage.archive import check_rules
from volition.drama.stage.causes import Causes
from volition.drama.stage.record import PLAYER, Run, declare, recorded_intentions
from volition.drama.stage.replay import state_at
from volition.drama.stage.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration import Intention


class Cast:
    """The minds of a run: `given` is one with the user's code that took part, if that is available."""

    def __init__(self, run: Run, given: Mind | None = None) -> None:
        self.run, self.given = run, given

    @property
    def guest(self) -> str | None:
        """The guest whom a person plays, if there is one."""
        return next((who for who, label in self.run.custom.minds.items() if label == PLAYER), None)

    @property
    def mind(self) -> Mind:
        """How everybody decides, by the user's code where that is available."""
        return self.given or self.recorded

    @cached_property
    def recorded(self) -> Mind:
        """The same by the record: what user code answered, it answers again."""
        if self.given is not None and not self.run.custom:
            return self.given
        return Mind(self.run.scenario, tuple(recorded_intentions(self.run.custom, self.run.ticks)))

    @cached_property
    def branching(self) -> Mind:
        """How everybody decides in a branch: the player is not available, so there the record answers."""
        if self.given is None or self.guest is None:
            return self.mind
        players = (one for one in self.recorded.custom if one.id == f"played:{self.guest}")
        return Mind(self.run.scenario, (*self.given.custom, *players))

    def stage(self, tick: int, mind: Mind) -> Stage:
        """The stage before a tick, on which a mind decides."""
        run = self.run
        events = [event for record in run.ticks[: tick - run.first] for event in record.events]
        return Stage(state_at(run, tick), mind, run.seed, Causes(events), len(events), run.interference)

    def open_stage(self, tick: int, mind: Mind) -> Stage:
        """The stage as minds see it at a tick: after what is set by hand at its beginning."""
        stage = self.stage(tick, mind)
        stage.open_tick()
        return stage

    def with_custom(self, custom: Sequence[Intention]) -> Cast:
        """The same cast with the user's code that took part; InvalidInput if it is other code."""
        had, given = self.run.custom, declare(custom)
        before = sorted([*(had.minds.keys() - {self.guest}), *(one.id for one in had.intentions)])
        now = sorted([*given.minds, *(one.id for one in given.intentions)])
        if before != now:
            refuse(
                f"what takes part is {_list(now)}, and in the evening it was {_list(before)}",
                where="minds, terms and constraints",
                expected="the same ones as in the evening",
                remedy="give what it was played with",
            )
        return Cast(self.run, Mind(self.run.scenario, custom)) if custom else self

    def check_code(self) -> None:
        """Refuse to play on without the user's code that took part so far, or by other rules."""
        check_rules(self.run.rules, "the run")
        had = self.run.custom
        missing = [*(who for who in had.minds if who != self.guest), *(one.id for one in had.intentions)]
        if self.given is None and missing:
            refuse(
                f"code that took part is missing: {_list(missing)}",
                where="the evening",
                expected="the minds, terms and constraints that it was played with",
                remedy="give them again: Evening.load(..., minds=..., terms=...), or --with on the command line",
            )

    def check_guest(self) -> str:
        """The guest who is played; InvalidInput if nobody is."""
        if self.guest is None:
            refuse(
                "nobody is played in this evening",
                where="guest",
                expected="an evening that was begun with a guest",
                remedy="Evening.begin(scenario, seed, guest) begins one",
            )
        return self.guest


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"

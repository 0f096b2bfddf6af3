"""Who decides in an evening: everybody's mind, with the user's code where that is available, or else by the record."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from volition.core.errors import refuse
from volition.drama.mind.mind import Mind
from volition.drama.minds.counsel import RecordedCounsel, counsel_of
from volition.drama.stage.archive import check_rules
from volition.drama.stage.causes import Causes
from volition.drama.stage.record import PLAYER, Run, declare, recorded_intentions
from volition.drama.stage.replay import state_at
from volition.drama.stage.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration import Intention
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.interference import Interference
    from volition.drama.stage.stage import Counsel

Outside = Literal["ask", "record", "engine"]
"""Who answers for minds from outside in a branch: they are asked again, the record answers at the ticks at which it can, or
everybody's own mind decides."""


class Cast:
    """The minds of a run: `user_mind` has the user's code that took part, if that is available."""

    def __init__(self, run: Run, user_mind: Mind | None = None) -> None:
        self.run, self.user_mind = run, user_mind
        self._reached: dict[str, WorldState] = {}  # one state or none, which `pop` takes out for one thread alone

    @property
    def players(self) -> tuple[str, ...]:
        """The guests whose acts were given one by one, by a person or by agents; no code is needed to go on without them."""
        return tuple(who for who, label in self.run.custom.minds.items() if label == PLAYER)

    @property
    def guest(self) -> str | None:
        """The guest whom a person plays, if there is one."""
        return next(iter(self.players), None)

    @property
    def mind(self) -> Mind:
        """How everybody decides, by the user's code where that is available."""
        return self.user_mind or self.recorded

    @cached_property
    def recorded(self) -> Mind:
        """The same by the record: what user code answered, it answers again."""
        if self.user_mind is not None and not self.run.custom:
            return self.user_mind
        return Mind(self.run.scenario, tuple(recorded_intentions(self.run.custom, self.run.ticks)))

    @cached_property
    def branching(self) -> Mind:
        """How everybody decides in a branch: the player is not available, so there the record answers."""
        if self.user_mind is None or not self.players:
            return self.mind
        ids = {f"played:{who}" for who in self.players}
        players = (intention for intention in self.recorded.custom if intention.id in ids)
        return Mind(self.run.scenario, (*self.user_mind.custom, *players))

    @property
    def recorded_counsel(self) -> RecordedCounsel | None:
        """What minds from outside said, by the record."""
        return RecordedCounsel(self.run.custom, self.run.ticks) if self.run.custom.outside else None

    def counsel(self, tick: int, outside: Outside | None = None) -> Counsel | None:
        """Who knows what minds from outside say from a tick on; unless that is said, they are asked if they are available.

        InvalidInput if they are to be asked, and are not.
        """
        available = self.user_mind is not None and self.user_mind.outside is not None
        if outside == "ask" and self.run.custom.outside and not available:
            refuse(
                f"the minds of {_list(list(self.run.custom.outside))} are missing",
                where="outside",
                expected="the minds from outside that took part, to be asked again",
                remedy='give them again: Evening.load(..., outside=...); or let the "record" or the "engine" answer',
            )
        if outside == "engine":
            return None
        if not available or outside == "record" or self.user_mind is None:
            return self.recorded_counsel
        ask = counsel_of(self.user_mind)
        return None if ask is None else ask(replace(self.run, ticks=self.run.ticks[: tick - self.run.first]))

    def stage(
        self,
        tick: int,
        mind: Mind,
        counsel: Counsel | None = None,
        interference: tuple[Interference, ...] | None = None,
    ) -> Stage:
        """The stage before a tick, on which a mind decides, and minds from outside as `counsel` knows them.

        The interference in force from there on is the run's, unless it is given. Most stages are asked for in the order of
        the ticks: then the state of one goes on from that of the one before. While a thread uses that state, no other has
        it; the stage has its own.
        """
        run, changes = self.run, self.run.interference if interference is None else interference
        events = [event for record in run.ticks[: tick - run.first] for event in record.events]
        world = state_at(run, tick, self._reached.pop("world", None))
        stage = Stage(world, mind, run.seed, Causes(events), len(events), changes, counsel)
        self._reached["world"] = world
        return stage

    def open_stage(self, tick: int, mind: Mind, counsel: Counsel | None = None) -> Stage:
        """The stage as minds see it at a tick: after what is set by hand at its beginning."""
        stage = self.stage(tick, mind, counsel)
        stage.open_tick()
        return stage

    def with_custom(self, custom: Sequence[Intention]) -> Cast:
        """The same cast with the user's code that took part; InvalidInput if it is other code."""
        recorded, supplied = self.run.custom, declare(custom)
        before = sorted(
            [
                *(recorded.minds.keys() - {*self.players}),
                *(intention.id for intention in recorded.intentions),
                *recorded.outside,
            ]
        )
        now = sorted([*supplied.minds, *(intention.id for intention in supplied.intentions), *supplied.outside])
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
        recorded = self.run.custom
        missing = [
            *(who for who in recorded.minds if who not in self.players),
            *(intention.id for intention in recorded.intentions),
            *recorded.outside,
        ]
        if self.user_mind is None and missing:
            refuse(
                f"code that took part is missing: {_list(missing)}",
                where="the evening",
                expected="the minds, terms and constraints that it was played with",
                remedy="give them again: Evening.load(..., minds=..., outside=..., terms=...), or --with and --mind on the "
                "command line",
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

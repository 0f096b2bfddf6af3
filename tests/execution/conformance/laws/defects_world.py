"""Executors that do in the world what they should not, or say that they did what they have not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tests.execution.conformance.laws.defect import Defect
from volition.execution import make_result
from volition.execution.executor.contract import Ended
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.attempts import ArenaReport
from volition.execution.worlds.arena.executor import ArenaExecutor
from volition.execution.worlds.arena.rules import facing_of

if TYPE_CHECKING:
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News
    from volition.execution.worlds.arena.attempts import Conclusion


class Boaster(ArenaExecutor):
    """Calls one intent a success, and does nothing."""

    of = ""

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        if attempt.intent.name != self.of:
            return super().attempt(attempt)
        return [Ended(attempt, make_result(engine_timestamp=self.tick))]


class MoveWithoutMovement(Defect):
    """MOVE is SUCCESS, and nothing moves."""

    game = type("", (Boaster,), {"of": "MOVE"})
    caught_by: ClassVar = {"truth.move"}
    also: ClassVar = {
        "states.the_dead_do_nothing", "truth.move_in_time", "truth.obstructed", "truth.repeated_while_open",
    }  # fmt: skip


class JumpWithoutLeavingTheGround(Defect):
    """JUMP is SUCCESS, and nothing moves."""

    game = type("", (Boaster,), {"of": "JUMP"})
    caught_by: ClassVar = {"truth.jump"}


class EvadeWithoutMovement(Defect):
    """EVADE is SUCCESS, and nothing moves."""

    game = type("", (Boaster,), {"of": "EVADE"})
    caught_by: ClassVar = {"truth.evade"}


class HoldWithoutHolding(Defect):
    """HOLD is SUCCESS, and nothing is held."""

    game = type("", (Boaster,), {"of": "HOLD"})
    caught_by: ClassVar = {"truth.hold_and_release"}


class ReleaseOfNothing(Defect):
    """RELEASE is SUCCESS whatever is held."""

    game = type("", (Boaster,), {"of": "RELEASE"})
    caught_by: ClassVar = {"truth.hold_and_release"}


class Aimer(Arena):
    """Turns to the opponent before it swings."""

    def _swing(self) -> Conclusion:
        opponent, actor = self._opponent, self._actor
        actor.facing = facing_of(opponent.x - actor.x, opponent.y - actor.y)
        return super()._swing()


class AimsByItself(Defect):
    """The actor turns to its opponent before it swings."""

    arena = Aimer
    caught_by: ClassVar = {"truth.no_aiming"}


class Slider(Arena):
    """Moves on for some ticks after a STOP."""

    sliding = 0

    def _stop(self) -> Conclusion:
        self.sliding = 8 if self._activity.walk else 0
        return super()._stop()

    def step(self) -> ArenaReport:
        if self.sliding and self._actor.alive:
            self.sliding -= 1
            self._actor.travel(self.map, 0, 50 if self.tick % 2 else -70)
        return super().step()


class StopThatSlides(Defect):
    """STOP is answered, and the actor slides on."""

    arena = Slider
    caught_by: ClassVar = {"truth.stop_stands"}
    also: ClassVar = {
        "dead_man.after_goodbye", "dead_man.after_the_end", "dead_man.after_torn_line", "truth.stop_ends_all",
    }  # fmt: skip


class Careless(ArenaExecutor):
    """Goes on when its bridge is lost."""

    def stop(self) -> None:
        self._open.clear()

    def _news(self, report: ArenaReport) -> list[News]:
        known = tuple(ended for ended in report.results if ended.id in self._open)
        return super()._news(ArenaReport(known, report.events))

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        if attempt.id in self.arena._activity.open:
            # Left over from a bridge that is gone.
            self.arena.cancel(attempt.id)
        return super().attempt(attempt)


class NoDeadMan(Defect):
    """An actor that loses its bridge keeps moving."""

    game = Careless
    caught_by: ClassVar = {
        "dead_man.after_the_end", "dead_man.after_goodbye", "dead_man.after_torn_line", "dead_man.after_silence",
    }  # fmt: skip


class MovesTheDead(Defect):
    """Intents of a dead actor are called a success."""

    class game(ArenaExecutor):  # noqa: N801  in the place of the subject's own
        def attempt(self, attempt: IncomingIntent) -> list[News]:
            if self.alive or attempt.intent.name == "STOP":
                return super().attempt(attempt)
            return [Ended(attempt, make_result(engine_timestamp=self.tick, is_alive=False))]

    caught_by: ClassVar = {"states.the_dead_do_nothing"}


class SecondJumpInTheAir(Defect):
    """A jump in the air is called a success."""

    class game(ArenaExecutor):  # noqa: N801  as above
        def attempt(self, attempt: IncomingIntent) -> list[News]:
            actor: dict[str, Any] = self.state(full=False)["actor"]
            if attempt.intent.name == "JUMP" and actor["air"]:
                return [Ended(attempt, make_result(engine_timestamp=self.tick))]
            return super().attempt(attempt)

    caught_by: ClassVar = {"truth.in_the_air"}

"""The arena: attempts the intents that it is given, in ticks of 50 ms, and reports how they end.

It never decides, retries or aims; its rules are in docs/arena.md. Same map, seed and calls: same states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from volition.core.errors import format_value, refuse
from volition.execution.wire.intents import intent_problems
from volition.execution.worlds.arena import attempts, rules
from volition.execution.worlds.arena.attempts import (
    DONE,
    AcceptedIntent,
    Activity,
    ArenaReport,
    Conclusion,
    Dash,
    FinishedIntent,
    Walk,
)
from volition.execution.worlds.arena.bodies import Actor, Opponent
from volition.execution.worlds.arena.ground import centre
from volition.execution.worlds.arena.rules import ACTOR_START, OPPONENT_START, draw, facing_of, is_ahead, opposite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.execution.wire.results import FailureReason
    from volition.execution.worlds.arena.ground import ArenaMap, Tile

MISSED = Conclusion("SUCCESS", wasted=True)


class Arena:
    """One actor and one opponent on a map; `seed` decides where they start and what the opponent does by chance.

    `attempt`, `step`, `cancel` and `reset` change the arena, and each returns an ArenaReport of the intents that ended:
    every intent that `attempt` accepts ends exactly once, unless a reset drops it. `horizon_ms` is the longest that a
    MOVE stays open.

    >>> from volition.execution.worlds.arena import Arena, shipped_map
    >>> arena = Arena(shipped_map("courtyard"), seed=7)
    >>> arena.attempt("MOVE", {"vector": [0.4, 0, 0]}, 1).results
    ()
    >>> arena.step().results, arena.step().results[0].result.status
    ((), 'SUCCESS')
    """

    def __init__(self, map: ArenaMap, seed: int = 0, horizon_ms: int = rules.MOVE_HORIZON * rules.TICK_MS) -> None:
        _check_seed(seed)
        _check_integer(horizon_ms, rules.TICK_MS, rules.LARGEST_SEED, "horizon_ms")
        self.map = map
        self.seed = seed
        self.horizon = horizon_ms // rules.TICK_MS
        self.seq = self.tick = self.episode = self._down = self._first_seq = 0
        self._seeded = 0  # the tick in which the seed was set
        self._results: list[FinishedIntent] = []
        self._events: list[dict[str, Any]] = []
        self._begin()

    def attempt(
        self,
        name: str,
        params: Mapping[str, Any] | None,
        id: int,
        based_on: int | None = None,
        ticks: int | None = None,
    ) -> ArenaReport:
        """Begin an intent. `based_on` is the `seq` of the state in which it was chosen; `id` must not be open.

        A MOVE stays open for `ticks` at most, and never beyond the horizon. STOP is attempted in every state, even where
        `based_on` belongs to a former episode or the actor is dead.
        """
        _check_integer(id, 0, rules.LARGEST_SEED, "id")
        if ticks is not None:
            _check_integer(ticks, 1, rules.LARGEST_SEED, "ticks")
        if id in self._activity.open:
            refuse(f"the intent {id} is open", where="id", expected="an id that is not open", remedy="count upwards")
        self.seq += 1
        actor = self._actor
        most = self.horizon if ticks is None else min(ticks, self.horizon)
        attempt = AcceptedIntent(id, name, self.tick, most, actor.damage_dealt, actor.damage_received)
        ending = self._try(attempt, params, based_on)
        if ending is not None:
            self._results.append(attempt.finish(ending, actor, self.tick))
        return self._report()

    def step(self) -> ArenaReport:
        """Advance by one tick."""
        self.seq += 1
        self.tick += 1
        actor, opponent = self._actor, self._opponent
        if self._down:
            self._down -= 1
            if not self._down:
                self._begin()
                return self._report()
        for clock, left in actor.cooldowns.items():
            actor.cooldowns[clock] = max(0, left - 1)
        endings = self._act() if actor.alive else {}
        if opponent.alive:
            opponent.act(self.map, actor, self.seed, self.tick - self._seeded)
        else:
            self._return_opponent()
        if actor.alive and actor.in_hazard(self.map):
            actor.hurt(rules.HAZARD_DAMAGE)
        self._settle(endings)
        return self._report()

    def cancel(self, id: int) -> ArenaReport:
        """End an open intent as PARTIAL; no effect where it is not open."""
        self.seq += 1
        self._interrupt([id] if id in self._activity.open else [])
        return self._report()

    def reset(self, seed: int) -> ArenaReport:
        """Begin again, as a new arena with this seed on the same map; `seq`, `tick` and `episode` continue.

        Open intents are dropped without results: whoever asked for the reset knows that they will not be finished.

        >>> from volition.execution.worlds.arena import Arena, shipped_map
        >>> arena = Arena(shipped_map("courtyard"), seed=7)
        >>> arena.attempt("JUMP", None, 1).results, arena.step().results[0].result.status, arena.reset(8).results
        ((), 'SUCCESS', ())
        >>> arena.episode, arena.state()["actor"] == Arena(shipped_map("courtyard"), seed=8).state()["actor"]
        (2, True)
        """
        _check_seed(seed)
        self.seq += 1
        self.seed, self._seeded = seed, self.tick
        self._drop_hold("INVALID_STATE")
        self._begin()
        return self._report()

    def state(self, *, full: bool = True) -> dict[str, Any]:
        """Everything that can be observed, as JSON data of integers, strings and booleans; `full` adds the map."""
        data: dict[str, Any] = {
            "seq": self.seq,
            "tick": self.tick,
            "episode": self.episode,
            "down": self._down,
            "actor": to_builtins(self._actor),
            "opponent": to_builtins(self._opponent),
            "open": [{"id": a.id, "intent": a.intent, "since": a.tick} for a in self._activity.open.values()],
        }
        if full:
            data["map"] = {"name": self.map.name, "rows": list(self.map.rows)}
        return data

    def _begin(self) -> None:
        """Put both bodies at their starts: a new episode begins."""
        self.episode += 1
        self._first_seq = self.seq
        self._down = 0
        self._actor = Actor(*self._start(ACTOR_START, self.map.actor_starts))
        self._opponent = self._new_opponent()
        self._activity = Activity()
        self._hold: int | None = None
        if self.episode > 1:
            self._tell("episode_began", episode=self.episode)

    def _try(
        self, attempt: AcceptedIntent, params: Mapping[str, Any] | None, based_on: int | None
    ) -> Conclusion | None:
        """Begin an intent; how it ended, or None where it stays open."""
        name, actor = attempt.intent, self._actor
        if intent_problems(name, params):
            return attempts.MALFORMED
        if name == "STOP":
            return self._stop()
        if not actor.alive:
            return attempts.OUT_OF_PLACE
        if based_on is not None and not self._first_seq <= based_on < self.seq:
            return attempts.INVALID
        if hindrance := attempts.refusal(name, actor, rising=self._activity.jump is not None):
            return hindrance
        match name:
            case "MOVE":
                return self._start_walk(attempt, attempts.displacement(params["vector"]) if params else None)
            case "PRIMARY_ATTACK":
                return self._swing()
            case "EVADE":
                return self._start_dash(attempt)
            case "JUMP":
                return self._start_jump(attempt)
            case "HOLD":
                return self._start_hold(attempt.id)
            case _:
                return self._release()

    def _start_walk(self, attempt: AcceptedIntent, way: tuple[int, int] | None) -> Conclusion | None:
        actor = self._actor
        if way is None or not self.map.contains(actor.x + way[0], actor.y + way[1]):
            return attempts.OUT_OF_PLACE
        if way == (0, 0):
            return attempts.INVALID
        self._supersede()
        actor.facing = facing_of(*way)
        self._activity.walk = Walk(attempt.id, actor.x + way[0], actor.y + way[1])
        self._activity.open[attempt.id] = attempt
        return None

    def _start_dash(self, attempt: AcceptedIntent) -> Conclusion | None:
        """Dash away from the opponent along the longer axis; backwards where there is no opponent to avoid."""
        actor, opponent = self._actor, self._opponent
        attempts.pay("EVADE", actor)
        self._supersede()
        dx, dy = actor.x - opponent.x, actor.y - opponent.y
        away = facing_of(dx, dy) if opponent.alive and (dx or dy) else opposite(actor.facing)
        self._activity.dash = Dash(attempt.id, away)
        actor.dashing = True
        self._activity.open[attempt.id] = attempt
        return None

    def _start_jump(self, attempt: AcceptedIntent) -> Conclusion | None:
        """Leave the ground in the next tick, if there is room."""
        attempts.pay("JUMP", self._actor)
        self._activity.jump = attempt.id
        self._activity.open[attempt.id] = attempt
        return None

    def _supersede(self) -> None:
        """A new movement ends the MOVE that is open."""
        if self._activity.walk:
            self._interrupt([self._activity.walk.id])

    def _swing(self) -> Conclusion:
        """Hit an opponent in reach, in the quarter that the actor faces, and not behind a wall."""
        actor, opponent = self._actor, self._opponent
        dx, dy = opponent.x - actor.x, opponent.y - actor.y
        if not opponent.alive or dx * dx + dy * dy > rules.ATTACK_REACH * rules.ATTACK_REACH:
            return attempts.INVALID
        attempts.pay("PRIMARY_ATTACK", actor)
        if not is_ahead(actor.facing, dx, dy) or not self.map.clear(actor.x, actor.y, opponent.x, opponent.y):
            return MISSED
        actor.damage_dealt += opponent.hurt(rules.ATTACK_DAMAGE)
        if not opponent.alive:
            self._tell("opponent_defeated")
        return DONE

    def _start_hold(self, id: int) -> Conclusion:
        actor = self._actor
        if actor.holding:
            return DONE
        if not actor.stamina:
            return attempts.EXHAUSTED
        actor.holding, self._hold = True, id
        return DONE

    def _release(self) -> Conclusion:
        if not self._actor.holding:
            return attempts.INVALID
        self._actor.holding, self._hold = False, None
        return DONE

    def _stop(self) -> Conclusion:
        """End everything that is active. In the air the body cannot be stopped: it flies on."""
        actor = self._actor
        self._interrupt(list(self._activity.open))
        actor.holding, self._hold = False, None
        if actor.air:
            return Conclusion("PARTIAL", "INVALID_STATE", out_of_place=True)
        actor.rest()
        return DONE

    def _act(self) -> dict[int, Conclusion]:
        """The actor's part of a tick; how the intents end that are done with it."""
        actor = self._actor
        endings = self._activity.advance(actor, self.map, self.tick)
        if not actor.holding:
            actor.stamina = min(rules.STAMINA, actor.stamina + 1)
            return endings
        actor.stamina -= 1
        if not actor.stamina:
            self._drop_hold("RESOURCE_EXHAUSTED")
        return endings

    def _settle(self, endings: Mapping[int, Conclusion]) -> None:
        """Report the results that are due at the end of a tick; if the actor has died, those of all open intents."""
        actor = self._actor
        died = not actor.alive and not self._down
        for id in list(self._activity.open):
            if id in endings:
                self._finish(id, endings[id])
            elif died:
                self._interrupt([id], "INVALID_STATE")
        if died:
            self._drop_hold("INVALID_STATE")
            actor.air = actor.z = 0
            actor.velocity = [0, 0, 0]
            self._down = rules.DOWN_TICKS
            self._tell("actor_died")

    def _interrupt(self, ids: Iterable[int], reason: FailureReason = "NONE") -> None:
        for id in ids:
            self._finish(id, self._activity.interruption(id, reason))

    def _finish(self, id: int, ending: Conclusion) -> None:
        """End an open intent and report its result."""
        attempt = self._activity.end(id, ending, self._actor)
        self._results.append(attempt.finish(ending, self._actor, self.tick))

    def _drop_hold(self, reason: FailureReason) -> None:
        """End a HOLD without a RELEASE."""
        if self._actor.holding:
            self._tell("hold_ended", id=self._hold, reason=reason)
            self._actor.holding, self._hold = False, None

    def _return_opponent(self) -> None:
        self._opponent.timer -= 1
        if not self._opponent.timer:
            self._opponent = self._new_opponent()
            self._tell("opponent_returned")

    def _new_opponent(self) -> Opponent:
        return Opponent(*self._start(OPPONENT_START, self.map.opponent_starts))

    def _start(self, purpose: int, tiles: tuple[Tile, ...]) -> tuple[int, int]:
        """The place where a body starts: the middle of one of these tiles."""
        return centre(tiles[draw(self.seed, self.tick - self._seeded, purpose, len(tiles))])

    def _tell(self, event: str, **more: Any) -> None:
        self._events.append({"event": event, "tick": self.tick, **more})

    def _report(self) -> ArenaReport:
        report = ArenaReport(tuple(self._results), tuple(self._events))
        self._results.clear()
        self._events.clear()
        return report


def _check_seed(seed: int) -> None:
    _check_integer(seed, 0, rules.LARGEST_SEED, "seed")


def _check_integer(value: object, least: int, most: int, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        refuse(
            f"{where} is {format_value(value)}",
            where=where,
            expected=f"a whole number from {least} to {most}",
            remedy="give such a number",
        )

"""Executors whose account of the world is false: cooldowns, damage, durations, retries, states and probes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from tests.execution.conformance.laws.defect import Defect, parts
from tests.execution.conformance.laws.defects_moves import relabel
from tests.execution.conformance.laws.defects_shown import states_in
from tests.execution.conformance.laws.defects_world import Boaster
from tests.execution.conformance.subject import Probed, Unread, read
from volition.execution.executor.contract import Ended
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.execution.conformance.subject import Frame, Wire
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News
    from volition.execution.worlds.arena.attempts import AcceptedIntent, Conclusion


class Tireless(Arena):
    """Shows cooldowns that do not prevent anything."""

    of = ""
    clock = ""

    def _try(
        self, attempt: AcceptedIntent, params: Mapping[str, Any] | None, based_on: int | None
    ) -> Conclusion | None:
        left = self._actor.cooldowns[self.clock]
        if attempt.intent == self.of:
            self._actor.cooldowns[self.clock] = 0
        ending = super()._try(attempt, params, based_on)
        self._actor.cooldowns[self.clock] = self._actor.cooldowns[self.clock] or left
        return ending


class SwingsWithoutCooldown(Defect):
    """A swing is possible during its cooldown."""

    arena = type("", (Tireless,), {"of": "PRIMARY_ATTACK", "clock": "attack"})
    caught_by: ClassVar = {"truth.swing_cooldown"}


class EvadesWithoutCooldown(Defect):
    """An EVADE is possible during its cooldown."""

    arena = type("", (Tireless,), {"of": "EVADE", "clock": "evade"})
    caught_by: ClassVar = {"truth.cooldown"}


class ClaimsACooldown(Defect):
    """Every swing is said to fail for a cooldown that is not there."""

    caught_by: ClassVar = {"truth.swing_cooldown"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result" and frame["intent"] == "PRIMARY_ATTACK" and frame["result"]["status"] == "SUCCESS":
            relabel(frame, "FAILURE", "COOLDOWN")
            parts(frame)[0]["on_cooldown"] = True
        return [frame]


class Stubborn(ArenaExecutor):
    """Tries again what failed for a cooldown; `silently` after it has said so."""

    silently = False

    def __init__(self, arena: Arena) -> None:
        super().__init__(arena)
        self.again: list[IncomingIntent] = []

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        news = super().attempt(attempt)
        for each in news:
            if isinstance(each, Ended) and each.result.failure_reason == "COOLDOWN":
                self.again.append(each.attempt)
                return news if self.silently else []
        return news

    def step(self) -> list[News]:
        news = super().step()
        for attempt in [*self.again]:
            if not self.state(full=False)["actor"]["cooldowns"]["jump"]:
                self.again.remove(attempt)
                ended = super().attempt(attempt)
                news += [] if self.silently else ended
        mine = {id for id in self._open if any(id == attempt.id for attempt in self.again)}
        return [each for each in news if not isinstance(each, Ended) or each.attempt.id not in mine]

    def cancel(self, attempt: IncomingIntent) -> list[News]:
        return super().cancel(attempt)

    def stop(self) -> None:
        self.again.clear()
        super().stop()


class TriesAgainByItself(Defect):
    """A JUMP that has failed for its cooldown is done when that is over."""

    game = type("", (Stubborn,), {"silently": True})
    caught_by: ClassVar = {"truth.no_retries"}


class TriesUntilItWorks(Defect):
    """A JUMP during its cooldown is answered when it has worked."""

    game = Stubborn
    caught_by: ClassVar = {"truth.cooldown"}


class FindsItsOwnWay(Defect):
    """Where a MOVE was blocked, the actor tries to get round the obstruction by itself, a little later."""

    class game(ArenaExecutor):  # noqa: N801  in the place of the subject's own
        due = -1

        def step(self) -> list[News]:
            news = super().step()
            if any(isinstance(each, Ended) and each.result.failure_reason == "BLOCKED" for each in news):
                self.due = self.tick + 10
            if self.tick == self.due and not self._open and self.alive:
                actor, ground = self.arena._actor, self.arena.map
                any(actor.travel(ground, *way) for way in ((60, 0), (-60, 0), (0, 60), (0, -60)))
                self.due += 1
            return news

    caught_by: ClassVar = {"truth.blocked_stands"}


class Scaled(Defect):
    """A number in results is multiplied."""

    part = 0
    name = ""
    by = 1.0

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[self.part][self.name] *= self.by
        return [frame]


class HalfOfTheDamageDealt(Scaled):
    """damage_dealt is half of what the target loses."""

    part, name, by = 1, "damage_dealt", 0.5
    caught_by: ClassVar = {"truth.damage_dealt"}


class HalfOfTheDamageReceived(Scaled):
    """damage_received is half of what the actor loses."""

    part, name, by = 1, "damage_received", 0.5
    caught_by: ClassVar = {"truth.damage_received"}


class TwiceTheDamageReceived(Scaled):
    """damage_received is twice what the actor loses."""

    part, name, by = 1, "damage_received", 2.0
    caught_by: ClassVar = {"truth.damage_received"}


class TenTimesTooLong(Scaled):
    """execution_time_ms is ten times the time that an attempt takes."""

    part, name, by = 2, "execution_time_ms", 10.0
    caught_by: ClassVar = {"conduct.time_measured"}


class TenTimesTooShort(Scaled):
    """execution_time_ms is a tenth of the time that an attempt takes."""

    part, name, by = 2, "execution_time_ms", 0.1
    caught_by: ClassVar = {"conduct.time_measured"}


class AllIsWasted(Defect):
    """A swing that hits somebody is called wasted."""

    caught_by: ClassVar = {"truth.damage_dealt"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[1]["action_wasted"] = True
        return [frame]


class ShowsTheStart(Unread, Defect):
    """States show the actor where it was first seen; the probe does not."""

    caught_by: ClassVar = {"states.show_what_moves"}

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.first: dict[str, Any] = {}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["data"] = false = json.loads(json.dumps(state["data"]))
            self.first = self.first or false["actor"]
            false["actor"] = self.first
        return [frame]


class ShowsFullHealth(Probed, Defect):
    """States show an actor in full health; the probe does not."""

    caught_by: ClassVar = {"states.match_the_probe"}
    needs: ClassVar = {"truth.damage_received"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["data"] = {**state["data"], "actor": {**state["data"]["actor"], "health": 1000}}
        return [frame]


class NeverShowsAHold(Probed, Defect):
    """States show an actor that never holds; the probe does not."""

    caught_by: ClassVar = {"states.match_the_probe"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["data"] = {**state["data"], "actor": {**state["data"]["actor"], "holding": False}}
        return [frame]


class ShowsAnotherPlace(Probed, Defect):
    """States show the actor in one place; the probe does not."""

    caught_by: ClassVar = {"states.match_the_probe"}
    also: ClassVar = {"states.show_what_moves"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["data"] = {**state["data"], "actor": {**state["data"]["actor"], "x": 1500, "y": 1500}}
        return [frame]


class Echoing(Defect):
    """MOVEs are called a success and do nothing; the probe shows the actor where they should have led."""

    game = type("", (Boaster,), {"of": "MOVE"})

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.claimed = [0.0, 0.0, 0.0]

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        vector = data.get("parameters", {}).get("vector") if data.get("intent") == "MOVE" else None
        if vector is not None:
            self.claimed = [claimed + part for claimed, part in zip(self.claimed, vector, strict=True)]
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "probe.sight":
            place = frame["sight"]["place"]
            frame["sight"]["place"] = [there + part for there, part in zip(place, self.claimed, strict=True)]
        return [frame]


class ProbeThatEchoes(Echoing, Unread):
    """The probe repeats what results claim, and nobody reads the states."""

    caught_by: ClassVar = {"states.show_what_moves"}
    also: ClassVar = {
        "intents.not_canonical", "robustness.random_lines", "states.the_dead_do_nothing", "truth.obstructed",
        "truth.repeated_id", "truth.repeated_while_open",
    }  # fmt: skip


class ProbeThatEchoesToAReader(Echoing, Probed):
    """The probe repeats what results claim, and the states do not."""

    caught_by: ClassVar = {"states.match_the_probe", "states.show_what_moves"}
    also: ClassVar = {
        "intents.not_canonical", "robustness.random_lines", "states.the_dead_do_nothing", "truth.obstructed",
        "truth.repeated_id", "truth.repeated_while_open",
    }  # fmt: skip


class ProbeOfBefore(Probed, Defect):
    """A probe is answered with what the one before should have been."""

    caught_by: ClassVar = {"states.match_the_probe"}
    also: ClassVar = {
        "truth.cancel_stands", "truth.damage_dealt", "truth.damage_received", "truth.evade", "truth.hold_and_release",
        "truth.jump", "truth.move", "truth.no_aiming", "truth.repeated_id", "truth.repeated_while_open",
        "truth.stop_ends_all", "truth.stop_stands",
    }  # fmt: skip

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "probe.sight":
            before, wire.notes["sight"] = wire.notes.get("sight"), {**frame}
            return [{**(before or frame), "id": frame["id"]}]
        return [frame]


class ShortestWayFirst(Unread, Defect):
    """The ways of a probe are in no order."""

    caught_by: ClassVar = {"conduct.probe_vectors"}
    needs: ClassVar = {"truth.move"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "probe.sight":
            frame["ways"].reverse()
        return [frame]


class NoPrecision(Unread, Defect):
    """The precision of a probe is 0."""

    caught_by: ClassVar = {"conduct.probe_vectors"}
    needs: ClassVar = {"truth.move"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "probe.sight":
            frame["precision"] = 0
        return [frame]


class TicksOfTheirOwn(Defect):
    """The ticks of states are far ahead of those in pongs."""

    caught_by: ClassVar = {"states.tick_agrees"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["tick"] += 1000
        return [frame]


class FasterThanItSays(Defect):
    """There are four times as many ticks in a second as the welcome says."""

    caught_by: ClassVar = {"conduct.tick_pace"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"tick_hz": frame["tick_hz"] / 4} if frame["type"] == "welcome" else frame]


class EpisodeOfTheDead(Defect):
    """The next episode begins with the death of the actor, and again with its next life."""

    caught_by: ClassVar = {"states.dead_in_its_episode"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["episode"] = 2 * state["episode"] + (not state["data"]["actor"]["alive"])
        return [frame]


class EpisodeThatComesBack(Defect):
    """Episodes are counted from 1 to 2, and then from 1 again."""

    caught_by: ClassVar = {"conduct.episode_never_back"}
    needs: ClassVar = {"truth.move"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["episode"] = 1 + state["seq"] // 40 % 2
        return [frame]

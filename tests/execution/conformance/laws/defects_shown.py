"""Executors whose results, states and events do not tell what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tests.execution.conformance.laws.defect import Defect, parts
from tests.execution.conformance.subject import kind, read, written
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News
    from volition.execution.worlds.arena.attempts import Conclusion


def states_in(frame: Frame) -> list[Frame]:
    """The states that a frame shows, to be changed."""
    if frame["type"] == "state":
        return [frame]
    return [frame["next_state"]] if frame.get("next_state") else []


class Blocked(Defect):
    """A MOVE that was obstructed is called a success, where it ended with one status."""

    status = ""

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        inner = frame.get("result", {})
        blocked = (inner.get("status"), inner.get("failure_reason")) == (self.status, "BLOCKED")
        if blocked and frame["intent"] == "MOVE":
            inner |= {"status": "SUCCESS", "failure_reason": "NONE", "partial_execution": False}
            inner["safety_flags"]["is_blocked"] = False
        return [frame]


class ObstructedAfterSomeSteps(Blocked):
    """A MOVE that was obstructed on its way is called a success."""

    status = "PARTIAL"
    caught_by: ClassVar = {"truth.obstructed"}


class ObstructedAtOnce(Blocked):
    """A MOVE that was obstructed before its first step is called a success."""

    status = "FAILURE"
    caught_by: ClassVar = {"truth.obstructed"}


class OldNextState(Defect):
    """The next_state is a state that was shown some time ago, its numbers included."""

    caught_by: ClassVar = {"conduct.seq_never_back", "conduct.tick_never_back"}
    also: ClassVar = {"conduct.episode_never_back", "conduct.next_state"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        shown: list[Frame] = wire.notes.setdefault("shown", [])
        for state in states_in(frame):
            former = dict(shown[-3]) if len(shown) > 3 else None
            shown.append({key: value for key, value in state.items() if key not in {"id", "v"}})
            if frame["type"] == "result" and former is not None:
                frame["next_state"] = former
        return [frame]


class NextStateOfBefore(Defect):
    """The data of a next_state is that of the state before, under new numbers."""

    caught_by: ClassVar = {"conduct.next_state"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            before, wire.notes["data"] = wire.notes.get("data"), state["data"]
            if frame["type"] == "result" and before is not None:
                frame["next_state"] = {**state, "data": before}
        return [frame]


class FalseNextState(Defect):
    """The next_state shows an actor that is never hurt."""

    caught_by: ClassVar = {"conduct.next_state"}
    needs: ClassVar = {"truth.damage_received"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            for state in states_in(frame):
                state["data"] = {**state["data"], "actor": {**state["data"]["actor"], "health": 100}}
        return [frame]


class FrozenTicks(Defect):
    """The tick of states never changes."""

    caught_by: ClassVar = {"states.tick_grows"}
    also: ClassVar = {"states.tick_agrees", "truth.no_retries", "truth.repeated_while_open"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["tick"] = 7
        return [frame]


class TicksThatGoBack(Defect):
    """Now and then the tick of a state is one of the past."""

    caught_by: ClassVar = {"conduct.tick_never_back"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["tick"] = max(0, state["tick"] - (3 if state["seq"] % 7 == 0 else 0))
        return [frame]


class TimeFiftyTimesTooShort(Defect):
    """execution_time_ms is a fiftieth of the time that an attempt takes."""

    caught_by: ClassVar = {"conduct.time_measured"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[2]["execution_time_ms"] /= 50
        return [frame]


class Braggart(Arena):
    """Counts more damage than it deals."""

    def _swing(self) -> Conclusion:
        before = self._actor.damage_dealt
        ending = super()._swing()
        self._actor.damage_dealt += self._actor.damage_dealt - before
        return ending


class DamageByItsOwnCount(Defect):
    """The actor counts twice the damage that it deals, in its results and in its states alike."""

    arena = Braggart
    caught_by: ClassVar = {"truth.damage_dealt"}


class LossNotNamed(Defect):
    """The health that the actor loses is named neither in results nor in the actor's own count."""

    caught_by: ClassVar = {"truth.damage_received"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[1]["damage_received"] = 0.0
        for state in states_in(frame):
            state["data"] = {**state["data"], "actor": {**state["data"]["actor"], "damage_received": 0}}
        return [frame]


class LossNotShown(Defect):
    """States show an actor in full health, until and after it dies."""

    caught_by: ClassVar = {"truth.health_shown"}
    also: ClassVar = {"truth.damage_received"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        for state in states_in(frame):
            state["data"] = {**state["data"], "actor": {**state["data"]["actor"], "health": 100}}
        return [frame]


class MoveOutlivesItsTime(Defect):
    """A MOVE continues when its time is over."""

    caught_by: ClassVar = {"deadlines.move_ends"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        lasting = data.get("intent") == "MOVE" and data.get("ttl_ms") == 300
        return [written(data | {"ttl_ms": 10_000}) if lasting else line]


class HoldAnsweredLate(Defect):
    """HOLD is answered a second after it has begun."""

    caught_by: ClassVar = {"deadlines.hold_at_once"}
    also: ClassVar = {"conduct.seq_never_back", "conduct.tick_never_back"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result" and frame["intent"] == "HOLD":
            wire.notes.setdefault("late", []).append((self.now + 1.0, frame))
            return []
        return [frame]

    def stepped(self, wire: Wire) -> None:
        late: list[tuple[float, Frame]] = wire.notes.get("late", [])
        wire.add(*(frame for due, frame in late if due <= self.now))
        wire.notes["late"] = [each for each in late if each[0] > self.now]


class EventOfNobody(Defect):
    """Events name an intent that was never sent."""

    caught_by: ClassVar = {"conduct.event_ids"}
    also: ClassVar = {"observe.events"}
    needs: ClassVar = {"truth.damage_received"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"id": 999_999} if frame["type"] == "event" else frame]


class PushWithAnOldId(Defect):
    """A pushed state carries the id of the request that was answered last."""

    caught_by: ClassVar = {"conduct.state_ids"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] != "state":
            return [frame]
        wire.notes["id"] = frame.get("id", wire.notes.get("id"))
        return [frame | ({"id": wire.notes["id"]} if wire.notes["id"] else {})]


class CancelEndsEverything(Defect):
    """A cancel of one intent ends all that are open."""

    class game(ArenaExecutor):  # noqa: N801  in the place of the subject's own
        def cancel(self, attempt: IncomingIntent) -> list[News]:
            return [news for id in [*self._open] for news in self._news(self.arena.cancel(id))]

    caught_by: ClassVar = {"cancel.only_its_own"}


class CancelDropsTheHold(Defect):
    """A cancel of a MOVE ends what is held."""

    class game(ArenaExecutor):  # noqa: N801  as above
        def cancel(self, attempt: IncomingIntent) -> list[News]:
            self.arena._actor.holding, self.arena._hold = False, None
            return super().cancel(attempt)

    caught_by: ClassVar = {"cancel.only_its_own"}


class NeverReady(Defect):
    """A STOP that comes before the state that was asked for is answered only when something else is asked for."""

    caught_by: ClassVar = {"opening.ready"}
    also: ClassVar = {"opening.together"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        asked: list[str] = wire.notes.setdefault("asked", [])
        if kind(line) in {"intent", "state_request"}:
            wire.add(*wire.notes.pop("held back", []))
            asked.append(kind(line))
        wire.notes["early"] = asked == ["state_request", "intent"] and not wire.notes.get("shown")
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        wire.notes["shown"] = wire.notes.get("shown") or ("id" in frame and frame["type"] == "state")
        if frame["type"] == "result" and frame["id"] == 2 and wire.notes.get("early"):
            wire.notes["held back"] = [frame]
            return []
        return [frame]


class AnswersEveryProbe(Defect):
    """A probe is answered where nobody agreed on one."""

    caught_by: ClassVar = {"handshake.probe_refused"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data: dict[str, Any] = read(line)
        if data.get("type") == "probe.read":
            wire.add({"v": 1, "type": "probe.sight", "id": data["id"], "sight": {}})
            return []
        return [line]

"""Executors that do not end what they should end, or end more than that: cancel and STOP with several intents open."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import Queueing, QueueingArena, answer, read
from volition.execution import make_result
from volition.execution.executor.contract import Ended
from volition.execution.worlds.arena import Arena
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News
    from volition.execution.worlds.arena.attempts import ArenaReport, Conclusion


class Delaying(Defect):
    """Some results come late; `is_late` says for how many seconds each is held back."""

    def is_late(self, frame: Frame, wire: Wire) -> float:
        raise NotImplementedError

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result" and (seconds := self.is_late(frame, wire)):
            wire.notes.setdefault("late", []).append((self.now + seconds, frame))
            return []
        return [frame]

    def stepped(self, wire: Wire) -> None:
        late: list[tuple[float, Frame]] = wire.notes.get("late", [])
        wire.add(*(frame for due, frame in late if due <= self.now))
        wire.notes["late"] = [each for each in late if each[0] > self.now]


class CancelledLate(Delaying):
    """The result of what was cancelled comes a second and a half later."""

    caught_by: ClassVar = {"cancel.at_once"}
    also: ClassVar = {
        "cancel.beside_a_newer_one", "cancel.each_time", "conduct.episode_never_back", "conduct.seq_never_back",
        "conduct.tick_never_back", "conduct.timestamps",
    }  # fmt: skip

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if read(line).get("type") == "cancel":
            wire.notes.setdefault("cancelled", set()).add(repr(read(line).get("id")))
        return [line]

    def is_late(self, frame: Frame, wire: Wire) -> float:
        cancelled = repr(frame["id"]) in wire.notes.get("cancelled", ())
        return 1.5 if cancelled and frame["result"]["status"] == "PARTIAL" else 0.0


class EvadeOutlivesStop(Delaying):
    """The result of an EVADE that STOP has ended comes after STOP's."""

    caught_by: ClassVar = {"conduct.stop_is_last"}
    also: ClassVar = {"conduct.seq_never_back", "conduct.tick_never_back"}
    needs: ClassVar = {"truth.stop_ends_evade"}

    def is_late(self, frame: Frame, wire: Wire) -> float:
        return 0.2 if frame["intent"] == "EVADE" and frame["result"]["status"] == "PARTIAL" else 0.0


class CancelOfTheNewest(Defect):
    """A cancel ends the newest intent, whatever it names."""

    class game(ArenaExecutor):  # noqa: N801  in the place of the subject's own
        def cancel(self, attempt: IncomingIntent) -> list[News]:
            return self._news(self.arena.cancel(max(self._open)))

    caught_by: ClassVar = {"cancel.beside_a_newer_one"}


class CancelOfTheOldest(Queueing, Defect):
    """A cancel ends the oldest intent, whatever it names."""

    class game(QueueingArena):  # noqa: N801  as above
        def cancel(self, attempt: IncomingIntent) -> list[News]:
            return super().cancel(self._open[min(self._open)])

    caught_by: ClassVar = {"cancel.one_of_many"}
    also: ClassVar = {"cancel.only_its_own"}


class CancelOfEverything(Queueing, Defect):
    """A cancel clears the whole queue."""

    class game(QueueingArena):  # noqa: N801  as above
        def cancel(self, attempt: IncomingIntent) -> list[News]:
            return [*self.give_up("UNKNOWN", "CANCELLED"), *super().cancel(attempt)]

    caught_by: ClassVar = {"cancel.one_of_many"}


class OneCancelOnly(Defect):
    """The second cancel of a connection is acknowledged and ignored."""

    caught_by: ClassVar = {"cancel.each_time"}
    also: ClassVar = {"cancel.result_follows"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "cancel" and data.get("id") in wire.guest.session.under_way:
            wire.notes["cancels"] = wire.notes.get("cancels", 0) + 1
            if wire.notes["cancels"] > 1:
                wire.add({"v": 1, "type": "progress", "id": data["id"], "stage": "cancelling"})
                return []
        return [line]


class Leaking(Defect):
    """Something leaves its place in the window taken; `leaks` says which line of the bridge does."""

    caught_by: ClassVar = {"window.free_again"}
    also: ClassVar = {"window.fits", "window.stop_not_counted"}

    def leaks(self, data: Frame, wire: Wire) -> bool:
        raise NotImplementedError

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if self.leaks(read(line), wire):
            session = wire.guest.session
            left = max(1, session.welcome.limits.max_inflight - 1)
            session.welcome = replace(session.welcome, limits=replace(session.welcome.limits, max_inflight=left))
        return [line]


class LeaksWithACancel(Leaking):
    """What was cancelled still counts for the window."""

    def leaks(self, data: Frame, wire: Wire) -> bool:
        return data.get("type") == "cancel" and data.get("id") in wire.guest.session.under_way


class LeaksWithAStop(Leaking):
    """What was stopped still counts for the window."""

    def leaks(self, data: Frame, wire: Wire) -> bool:
        return data.get("intent") == "STOP" and bool(wire.guest.session.under_way)


class OpenForEver(Defect):
    """A pong goes on to name what was cancelled."""

    caught_by: ClassVar = {"window.free_again"}
    also: ClassVar = {"heartbeat.pong", "states.tick_grows"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "cancel" and data.get("id") in wire.guest.session.under_way:
            wire.notes["cancelled"] = data["id"]
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "pong" and "cancelled" in wire.notes:
            frame["open"] = sorted({*frame["open"], wire.notes["cancelled"]})
        return [frame]


class GoesOnAfterwards(ArenaExecutor):
    """Reports the end of an attempt, and goes on with it all the same."""

    def _news(self, report: ArenaReport) -> list[News]:
        known = tuple(ended for ended in report.results if ended.id in self._open)
        return super()._news(type(report)(known, report.events))

    def pretend(self, *ids: int) -> list[News]:
        result = make_result("PARTIAL", engine_timestamp=self.tick)
        return [Ended(self._open.pop(id), result) for id in ids if id in self._open]


class CancelledAndGoesOn(Defect):
    """What is cancelled is answered, and the actor goes on."""

    class game(GoesOnAfterwards):  # noqa: N801  as above
        def cancel(self, attempt: IncomingIntent) -> list[News]:
            return self.pretend(attempt.id)

    caught_by: ClassVar = {"truth.cancel_stands"}


class StopsTheSecondTime(Defect):
    """The second STOP of a connection and those after it are answered, and the actor goes on."""

    class game(GoesOnAfterwards):  # noqa: N801  as above
        stops = 0

        def attempt(self, attempt: IncomingIntent) -> list[News]:
            if attempt.intent.name != "STOP" or not self._open:
                return super().attempt(attempt)
            ended = self.pretend(*self._open)
            return [*ended, Ended(attempt, make_result(engine_timestamp=self.tick))]

    caught_by: ClassVar = {"truth.stop_stands", "truth.stop_ends_all"}
    also: ClassVar = {"truth.stop_ends_evade"}


class Holder(Arena):
    """Holds on when it is stopped."""

    def _stop(self) -> Conclusion:
        holding, hold = self._actor.holding, self._hold
        ending = super()._stop()
        self._actor.holding, self._hold = holding, hold
        return ending


class StopKeepsTheHold(Defect):
    """STOP does not end what is held."""

    arena = Holder
    caught_by: ClassVar = {"truth.stop_releases"}
    also: ClassVar = {"conduct.event_ids"}


class Dasher(Arena):
    """Dashes on when it is stopped."""

    def _stop(self) -> Conclusion:
        dash = self._activity.dash
        if dash is None or not self._actor.alive:
            return super()._stop()
        attempt = self._activity.open.pop(dash.id)
        self._activity.dash = None
        ending = super()._stop()
        self._activity.open[dash.id], self._activity.dash = attempt, dash
        self._actor.dashing = True
        return ending


class StopKeepsTheEvade(Defect):
    """STOP is answered, and an EVADE goes on."""

    class game(GoesOnAfterwards):  # noqa: N801  as above
        def attempt(self, attempt: IncomingIntent) -> list[News]:
            dashing = self.arena._activity.dash
            ended = self.pretend(dashing.id) if dashing and attempt.intent.name == "STOP" else []
            return [*ended, *super().attempt(attempt)]

    arena = Dasher
    caught_by: ClassVar = {"truth.stop_ends_evade"}


class StopOfTheNewestOnly(Queueing, Defect):
    """STOP ends what is under way, and what waits begins after it."""

    class game(QueueingArena):  # noqa: N801  as above
        def attempt(self, attempt: IncomingIntent) -> list[News]:
            kept = [*self.queue] if attempt.intent.name == "STOP" else []
            news = super().attempt(attempt)
            self.queue += kept
            return news

        def _news(self, report: ArenaReport) -> list[News]:
            known = tuple(ended for ended in report.results if ended.id in self._open)
            return super()._news(type(report)(known, report.events))

    caught_by: ClassVar = {"truth.stop_ends_all"}


class StopOfTheNameless(Defect):
    """STOP without an agent is answered while the MOVE of an agent goes on."""

    caught_by: ClassVar = {"stop.means_all"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        named: set[int] = wire.notes.setdefault("named", set())
        if data.get("type") == "intent" and data.get("agent") == "kit":
            named.add(data["id"])
        if data.get("intent") == "STOP" and "agent" not in data and named & set(wire.guest.session.under_way):
            wire.add(answer(data))
            return []
        return [line]


class StopWaitsForEach(Defect):
    """STOP takes a quarter of a second for each intent that was sent since the last one."""

    caught_by: ClassVar = {"stop.ahead_of_the_queue"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "intent" and data.get("intent") != "STOP":
            wire.notes["since"] = wire.notes.get("since", 0) + 1
        if data.get("intent") != "STOP" or wire.notes.get("since", 0) < 5:
            return [line]
        stops: list[tuple[float, bytes]] = wire.notes.setdefault("stops", [])
        stops.append((self.now + 0.25 * wire.notes.pop("since"), line))
        return []

    def stepped(self, wire: Wire) -> None:
        stops: list[tuple[float, bytes]] = wire.notes.get("stops", [])
        due = [line for at, line in stops if at <= self.now]
        wire.notes["stops"] = [each for each in stops if each[0] > self.now]
        if due and not wire.guest.over:
            wire.feed(*due)

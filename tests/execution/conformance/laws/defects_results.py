"""Executors whose results are not what they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tests.execution.conformance.laws.defect import Defect, parts
from tests.execution.conformance.subject import written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire


class ResultOfTheIntentBefore(Defect):
    """Results name the intent of the result before: late by one."""

    caught_by: ClassVar = {"conduct.bound_by_id"}
    also: ClassVar = {
        "handshake.nothing_remembered", "ids.repeated", "ids.remembered", "intents.name_echoed", "soak.one_result",
    }  # fmt: skip

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            before = wire.notes.get("before", "STOP")
            wire.notes["before"], frame["intent"] = frame["intent"], before
        return [frame]


class ResultWithAnotherId(Defect):
    """Some results have the id of somebody else."""

    caught_by: ClassVar = {"conduct.bound_by_id"}
    also: ClassVar = {
        "conduct.each_succeeds", "conduct.stop_is_last", "intents.every_intent", "soak.one_result", "truth.cooldown",
        "truth.evade", "truth.stop_ends_evade",
    }  # fmt: skip

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result" and frame["intent"] == "EVADE":
            frame["id"] += 1000
        return [frame]


class TimeNotMeasured(Defect):
    """execution_time_ms is 0, always."""

    caught_by: ClassVar = {"conduct.time_measured"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[2]["execution_time_ms"] = 0.0
        return [frame]


class TimeInSeconds(Defect):
    """execution_time_ms is in seconds."""

    caught_by: ClassVar = {"conduct.time_measured"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[2]["execution_time_ms"] /= 1000
        return [frame]


class DamageNeverCounted(Defect):
    """damage_dealt is 0, always."""

    caught_by: ClassVar = {"truth.damage_dealt"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[1]["damage_dealt"] = 0.0
        return [frame]


class PainNeverCounted(Defect):
    """damage_received is 0, always."""

    caught_by: ClassVar = {"truth.damage_received"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[1]["damage_received"] = 0.0
        return [frame]


class DamageBelowNothing(Defect):
    """damage_received is below 0 where nobody was hurt."""

    caught_by: ClassVar = {"conduct.result_schema"}
    also: ClassVar = {"opening.ready"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result" and not parts(frame)[1]["damage_received"]:
            parts(frame)[1]["damage_received"] = -1.0
        return [frame]


class WasteNeverTold(Defect):
    """action_wasted is false, always."""

    caught_by: ClassVar = {"truth.no_aiming"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[1]["action_wasted"] = False
        return [frame]


class DeadActorThatLives(Defect):
    """is_alive is true, always."""

    caught_by: ClassVar = {"states.the_dead_do_nothing"}
    also: ClassVar = {"truth.dying_move"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[1]["is_alive"] = True
        return [frame]


class CooldownWithoutItsFlag(Defect):
    """COOLDOWN comes with on_cooldown false."""

    caught_by: ClassVar = {"conduct.result_flags", "truth.cooldown"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[0]["on_cooldown"] = False
        return [frame]


class CooldownKeptSilent(Defect):
    """An intent on its cooldown is called a success."""

    caught_by: ClassVar = {"truth.cooldown"}
    also: ClassVar = {"truth.swing_cooldown"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        inner = frame.get("result", {})
        if inner.get("failure_reason") == "COOLDOWN":
            inner |= {"status": "SUCCESS", "failure_reason": "NONE"}
            inner["safety_flags"]["on_cooldown"] = False
        return [frame]


class PartialThatIsNotPartial(Defect):
    """PARTIAL comes with partial_execution false."""

    caught_by: ClassVar = {"conduct.result_flags"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            frame["result"]["partial_execution"] = False
        return [frame]


class SwingThatIsBlocked(Defect):
    """A swing at nobody is PARTIAL/BLOCKED."""

    caught_by: ClassVar = {"truth.swing_at_nobody"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        inner = frame.get("result", {})
        if frame.get("intent") == "PRIMARY_ATTACK" and inner.get("failure_reason") == "INVALID_STATE":
            inner |= {"status": "PARTIAL", "failure_reason": "BLOCKED", "partial_execution": True}
            inner["safety_flags"]["is_blocked"] = True
        return [frame]


class FieldMissing(Defect):
    """action_wasted is left out where it is false."""

    caught_by: ClassVar = {"conduct.result_schema"}
    also: ClassVar = {"opening.ready", "truth.damage_dealt"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result" and not parts(frame)[1]["action_wasted"]:
            del parts(frame)[1]["action_wasted"]
        return [frame]


class WritesNaN(Defect):
    """A number that is none is written as NaN."""

    caught_by: ClassVar = {"conduct.strict_lines"}
    also: ClassVar = {"conduct.result_schema"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[bytes]:
        if frame["type"] == "result" and frame["intent"] == "HOLD":
            parts(frame)[1]["damage_dealt"] = float("nan")
        return [written(frame)]


class WallClockThatIsSet(Defect):
    """engine_timestamp is a wall clock, which is set back now and then."""

    caught_by: ClassVar = {"conduct.timestamps"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            parts(frame)[2]["engine_timestamp"] += 10_000 - 5 * (frame["id"] // 20)
        return [frame]


class WallMilliseconds(Defect):
    """engine_timestamp is in ms, where the welcome says ticks."""

    caught_by: ClassVar = {"conduct.timestamp_unit"}
    also: ClassVar = {"requests.remembered"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "result":
            stamps: dict[int, int] = wire.notes.setdefault("stamps", {})
            parts(frame)[2]["engine_timestamp"] = stamps.setdefault(frame["id"], int(self.now * 1000) + 10**12)
        return [frame]


class TwoResults(Defect):
    """Some intents get their result twice."""

    caught_by: ClassVar = {"conduct.one_result"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame, frame] if frame.get("intent") == "HOLD" else [frame]


class NoResult(Defect):
    """RELEASE is not answered where there is nothing to release."""

    caught_by: ClassVar = {"truth.hold_and_release"}
    also: ClassVar = {
        "deadlines.not_started_late",
        "handshake.nothing_remembered",
        "ids.remembered",
        "requests.fences",
        "requests.only_where_agreed",
        "requests.order_of_refusals",
        "requests.other_digest",
        "requests.refusals_forgotten",
        "requests.remembered",
        "requests.stale_token",
        "requests.texts_compared",
        "requests.whole_marks",
        "states.based_on_now",
        "states.no_such_state",
    }

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        unheld = frame.get("intent") == "RELEASE" and frame["result"]["status"] == "FAILURE"
        return [] if unheld else [frame]

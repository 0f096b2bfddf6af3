"""Executors that break the rules of the conversation: intents, ids, heartbeat, states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace

from tests.execution.conformance.laws.defect import Defect
from tests.execution.conformance.subject import PROMISED, answer, kind, read, written
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Frame, Wire


class TakesAnyFrame(Defect):
    """Frames that only an executor sends are silently ignored."""

    caught_by: ClassVar = {"handshake.wrong_direction"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [] if kind(line) in {"result", "progress", "event"} else [line]


class HoldsAnyway(Defect):
    """An intent that the welcome does not offer is attempted."""

    caught_by: ClassVar = {"intents.not_offered"}
    also: ClassVar = {"intents.order_of_refusals"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "welcome":
            frame["intents"].remove("HOLD")
        return [frame]


class AnyCase(Defect):
    """The names of intents may be written in small letters."""

    caught_by: ClassVar = {"intents.not_canonical"}
    also: ClassVar = {"conduct.bound_by_id"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [line.replace(b'"move"', b'"MOVE"')]


class ParametersPassedOver(Defect):
    """Unknown parameters are ignored."""

    caught_by: ClassVar = {"intents.not_canonical"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "intent" and isinstance(data.get("parameters"), dict) and data.get("intent") != "MOVE":
            return [written(data | {"parameters": {}})]
        return [line]


class AttemptsAgain(Defect):
    """A repeated id is attempted again."""

    caught_by: ClassVar = {"ids.repeated", "truth.repeated_id"}
    also: ClassVar = {"ids.repeated_while_open"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        seen: dict[Any, int] = wire.notes.setdefault("seen", {})
        if data.get("type") != "intent" or type(id := data.get("id")) is not int or not 0 < id < 10**5:
            return [line]
        seen[id] = seen.get(id, 0) + 1
        return [line if seen[id] == 1 else written(data | {"id": id + seen[id] * 10**5})]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] in {"result", "progress"} and frame["id"] < 5 * 10**5:
            frame["id"] %= 10**5
        return [frame]


class NoCache(Defect):
    """A repeated id is not answered."""

    caught_by: ClassVar = {"ids.repeated", "ids.remembered"}
    also: ClassVar = {"conduct.stop_is_last"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        ids: set[int] = wire.notes.setdefault("ids", set())
        if data.get("type") == "intent" and type(data.get("id")) is int:
            if data["id"] in ids:
                return []
            ids.add(data["id"])
        return [line]


class SmallCache(Defect):
    """Fewer results are remembered than the welcome says."""

    held: ClassVar = replace(PROMISED, result_cache=64)
    caught_by: ClassVar = {"ids.remembered"}


class ShortIds(Defect):
    """Ids are 31 bits wide."""

    caught_by: ClassVar = {"ids.largest"}
    also: ClassVar = {"conduct.bound_by_id", "conduct.state_ids", "conduct.strict_lines", "robustness.random_lines"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if "id" in frame:
            frame["id"] &= 2**31 - 1
        return [frame]


class StaleIdsAttempted(Defect):
    """An id below the others is attempted."""

    caught_by: ClassVar = {"ids.stale"}
    also: ClassVar = {"conduct.timestamps"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [answer({"id": frame["id"], "intent": "STOP"}) if frame.get("code") == "stale_id" else frame]


class NoPong(Defect):
    """Pings are not answered."""

    caught_by: ClassVar = {"heartbeat.pong", "handshake.ping_before_hello"}
    also: ClassVar = {"requests.under_way_open", "states.tick_agrees", "window.free_again"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [] if frame["type"] == "pong" else [frame]


class PongsCountThemselves(Defect):
    """Pongs do not repeat the numbers of their pings."""

    caught_by: ClassVar = {"heartbeat.pong", "handshake.ping_before_hello"}
    also: ClassVar = {"requests.under_way_open", "states.tick_agrees", "window.free_again"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "pong":
            frame["n"] = wire.notes["pongs"] = wire.notes.get("pongs", 0) + 1
        return [frame]


class TickStandsStill(Defect):
    """The tick of pongs is always 1."""

    caught_by: ClassVar = {"heartbeat.tick_grows"}
    also: ClassVar = {"states.tick_agrees"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"tick": 1} if frame["type"] == "pong" else frame]


class OpenIdsKeptSilent(Defect):
    """Pongs never name open intents."""

    caught_by: ClassVar = {"heartbeat.open_ids"}
    also: ClassVar = {"requests.under_way_open"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"open": []} if frame["type"] == "pong" else frame]


class NeverPings(Defect):
    """The executor does not ask whether the bridge is there."""

    caught_by: ClassVar = {"heartbeat.pings_when_idle"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [] if frame["type"] == "ping" else [frame]


class NeverGivesUp(Defect):
    """A silent bridge is waited for."""

    timing: ClassVar = Timing(dead=30.0)
    caught_by: ClassVar = {"heartbeat.silence_is_death"}


class GivesUpSoon(Defect):
    """A bridge is given up after a second and a half."""

    timing: ClassVar = Timing(dead=1.5)
    caught_by: ClassVar = {"heartbeat.silence_is_death"}


class HalfALineIsLife(Defect):
    """Half a line counts as a sign of life."""

    caught_by: ClassVar = {"heartbeat.silence_is_death"}

    def half(self, wire: Wire) -> None:
        if not wire.guest.over:
            wire.feed(b'{"v":1,"type":"pong","n":0}')


class GoodbyeIgnored(Defect):
    """A goodbye does not end the session."""

    caught_by: ClassVar = {"goodbye.ends", "goodbye.before_hello"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [] if read(line).get("type") == "goodbye" else [line]


class SeqGoesBack(Defect):
    """The seq of states goes back now and then."""

    caught_by: ClassVar = {"states.seq_grows", "conduct.seq_never_back"}
    also: ClassVar = {"conduct.each_succeeds"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "state":
            wire.notes["states"] = wire.notes.get("states", 0) + 1
            frame["seq"] = max(0, frame["seq"] - 8 * (wire.notes["states"] % 2))
        return [frame]


class FullWithoutMap(Defect):
    """A full state lacks its map."""

    caught_by: ClassVar = {"states.full_has_map"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "state":
            frame["data"].pop("map", None)
        return [frame]


class HalfWhereFullWasAsked(Defect):
    """A request for a full state gets half of one."""

    caught_by: ClassVar = {"opening.full_state", "states.answered"}
    also: ClassVar = {"observe.states", "opening.ready"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"full": False} if frame["type"] == "state" else frame]


class FormerEpisodeForgotten(Defect):
    """The state that a decision is based on is ignored."""

    caught_by: ClassVar = {"states.former_episode"}
    also: ClassVar = {"intents.order_of_refusals", "requests.refusals_forgotten", "states.no_such_state"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        return [written(data) if data.get("type") == "intent" and data.pop("based_on", None) else line]


class OneEpisodeForAll(Defect):
    """The episode is always 1."""

    caught_by: ClassVar = {"states.episode_changes"}
    also: ClassVar = {"conduct.episode_never_back"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"episode": 1} if frame["type"] == "state" else frame]


class NeverDone(Defect):
    """JUMP gets no result."""

    caught_by: ClassVar = {"intents.every_intent"}
    also: ClassVar = {
        "cancel.beside_a_newer_one", "cancel.only_its_own", "ids.repeated", "intents.not_canonical", "truth.cooldown",
        "truth.in_the_air", "truth.jump", "truth.no_retries",
    }  # fmt: skip

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [] if frame.get("intent") == "JUMP" else [frame]


class NoParametersAtAll(Defect):
    """An empty object of parameters is refused."""

    caught_by: ClassVar = {"intents.empty_parameters"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") != "intent" or data.get("parameters") != {}:
            return [line]
        wire.add(answer(data, "FAILURE", "UNKNOWN", detail="NOT_CANONICAL"))
        return []


class RefusesWhatIsOpen(Defect):
    """An id that is sent again while it is open gets a second result."""

    caught_by: ClassVar = {"ids.repeated_while_open"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") == "intent" and data.get("id") in wire.guest.session.under_way:
            wire.add(answer(data, "FAILURE", "UNKNOWN", detail="STOPPED"))
            return []
        return [line]


class PongsThatDisturb(Defect):
    """A pong that nobody asked for is an error."""

    caught_by: ClassVar = {"heartbeat.unasked_pong"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if kind(line) == "pong" and read(line).get("n") == 12345:
            wire.add({"v": 1, "type": "error", "code": "out_of_order", "message": "I did not ask"})
        return [line]


class AlwaysAnEpisodeBehind(Defect):
    """Every decision is treated as based on a former episode."""

    caught_by: ClassVar = {"states.based_on_now"}
    also: ClassVar = {"intents.order_of_refusals", "requests.refusals_forgotten", "states.no_such_state"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        data = read(line)
        if data.get("type") != "intent" or type(data.get("based_on")) is not int:
            return [line]
        wire.add(answer(data, "FAILURE", "INVALID_STATE", detail="FORMER_EPISODE"))
        return []

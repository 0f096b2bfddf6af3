"""Executors that do not keep to what they declare, or that do not begin again as they should."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tests.execution.conformance.laws.defect import Defect, parts
from tests.execution.conformance.laws.own import OwnArena, OwnSubject
from tests.execution.conformance.subject import Frame, answer, kind, read, written
from volition.execution import make_result
from volition.execution.executor.contract import Ended
from volition.execution.worlds.arena.executor import ArenaExecutor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.execution.conformance.subject import Wire
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News

_OWN = {"declared.attempted", "declared.parameters", "declared.stopped", "conduct.declared_results"}


class OwnDefect(OwnSubject, Defect):
    """A defect of an executor that has intents of its own."""


class DeclaresNonsense(OwnDefect):
    """An intent is declared under a name that no intent may have."""

    caught_by: ClassVar = {"declared.readable"}
    also: ClassVar = {*_OWN, "handshake.welcome", "conduct.strict_lines"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if "declares" in frame:
            frame["declares"][1]["name"] = "STOP"
        return [frame]


class NeverSalutes(OwnDefect):
    """What is declared never succeeds."""

    caught_by: ClassVar = {"declared.attempted"}

    class game(OwnArena):  # noqa: N801  in the place of the subject's own
        def salute(self, attempt: IncomingIntent) -> Any:
            return make_result("FAILURE", "COOLDOWN", engine_timestamp=self.tick)


class TakesAnything(OwnDefect):
    """Parameters are not compared with the declaration."""

    caught_by: ClassVar = {"declared.parameters"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        good: dict[str, Any] = {"SALUTE": {"times": 1, "words": []}, "LURK": {}}
        data = read(line)
        name = data.get("intent")
        known = isinstance(name, str) and name in good
        return [written(data | {"parameters": good[str(name)]}) if known else line]


class TakesFractions(OwnDefect):
    """An integer with a fraction of zero is taken for an integer."""

    caught_by: ClassVar = {"declared.parameters"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        return [line.replace(b'"times":1.0', b'"times":1')]


class EndsOtherwise(OwnDefect):
    """A declared intent ends as it was not declared to, once it has succeeded."""

    caught_by: ClassVar = {"conduct.declared_results"}
    needs: ClassVar = {"declared"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame.get("intent") == "LURK" and frame.get("detail") is None and frame["result"]["status"] == "PARTIAL":
            frame["result"] |= {"failure_reason": "BLOCKED"}
            parts(frame)[0]["is_blocked"] = True
        return [frame]


class LurksOn(OwnDefect):
    """A declared intent that is under way is ended only after the STOP."""

    caught_by: ClassVar = {"declared.stopped"}

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        own = [frame for frame in frames if frame.get("intent") == "LURK" and frame["result"]["status"] == "PARTIAL"]
        return [*(frame for frame in frames if frame not in own), *own]


class LurkedEnough(OwnDefect):
    """A declared intent that a STOP has ended is called a success."""

    caught_by: ClassVar = {"declared.stopped"}

    class game(OwnArena):  # noqa: N801  as above
        def end(self, attempt: IncomingIntent, status: str) -> Ended:
            return super().end(attempt, "SUCCESS")


class HalfABeginning(Defect):
    """A reset is answered with a state that is not full."""

    caught_by: ClassVar = {"episodes.answered"}
    also: ClassVar = {"episodes.seed_alone"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if kind(line) == "reset":
            wire.notes["reset"] = read(line).get("id")
        return [line]

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        if frame["type"] == "state" and frame.get("id") == wire.notes.get("reset", -1):
            frame["full"] = False
            frame["data"].pop("map", None)
        return [frame]


class OneEpisodeForAll(Defect):
    """A reset leaves the number of the episode as it is."""

    caught_by: ClassVar = {"episodes.answered", "episodes.former_states"}
    also: ClassVar = {"conduct.next_state"}

    class game(ArenaExecutor):  # noqa: N801  as above
        passed = 0

        def reset(self, seed: int) -> None:
            super().reset(seed)
            self.passed += 1

        @property
        def episode(self) -> int:
            return super().episode - self.passed


class BeginsWithoutEnding(Defect):
    """What is open when a reset arrives has no result."""

    caught_by: ClassVar = {"episodes.ends_what_is_open"}
    also: ClassVar = {"conduct.one_result"}

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.host.reset = self.executor.reset  # type: ignore[method-assign]


class CallsItStopped(Defect):
    """What a reset has ended is called stopped."""

    caught_by: ClassVar = {"episodes.ends_what_is_open"}

    def said(self, frame: Frame, wire: Wire) -> Iterable[Frame]:
        return [frame | {"detail": "STOPPED"} if frame.get("detail") == "RESET" else frame]


class BeginsFirst(Defect):
    """The state of the new episode comes before the results of the former one."""

    caught_by: ClassVar = {"episodes.ends_what_is_open"}

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        late = [frame for frame in frames if frame.get("detail") == "RESET"]
        return [*(frame for frame in frames if frame not in late), *late]


class DropsWhatFollows(Defect):
    """What follows a reset in one write is dropped with what came before it."""

    caught_by: ClassVar = {"episodes.goes_on_at_once"}
    also: ClassVar = {"episodes.deterministic", "episodes.former_states"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if kind(line) == "reset":
            wire.notes["reset"] = self.now
        elif kind(line) == "intent" and wire.notes.get("reset") == self.now:
            wire.add(answer(read(line), "FAILURE", "UNKNOWN", detail="RESET"))
            return []
        return [line]


class ShowsItLast(Defect):
    """The state of a new episode comes after the results of what was asked in it."""

    caught_by: ClassVar = {"episodes.goes_on_at_once"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if kind(line) == "reset":
            wire.notes["reset"] = read(line).get("id")
        return [line]

    def batch(self, frames: list[Frame], wire: Wire) -> list[Frame]:
        shown = [
            frame for frame in frames if frame["type"] == "state" and frame.get("id") == wire.notes.get("reset", -1)
        ]
        return [*(frame for frame in frames if frame not in shown), *shown]


class AnybodyResets(Defect):
    """A bridge that did not ask for the feature begins the world again."""

    caught_by: ClassVar = {"episodes.needs_the_feature"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if kind(line) == "reset":
            wire.guest.session.features |= {"reset"}
        return [line]


class ObserversReset(Defect):
    """A bridge that observes begins the world again."""

    caught_by: ClassVar = {"episodes.needs_the_feature"}

    def heard(self, line: bytes, wire: Wire) -> Iterable[bytes]:
        if kind(line) == "reset" and wire.guest.session.observes:
            self.host.reset(7)
        return [line]


class CountsItsBeginnings(Defect):
    """How the world begins depends on how often it has begun."""

    caught_by: ClassVar = {"episodes.seed_alone"}
    also: ClassVar = {"episodes.deterministic"}

    class game(ArenaExecutor):  # noqa: N801  as above
        begun = 0

        def reset(self, seed: int) -> None:
            self.begun += 1
            super().reset(seed + self.begun)


class ThrowsDice(Defect):
    """It says that it is deterministic, and an attack sometimes fails."""

    caught_by: ClassVar = {"episodes.deterministic"}

    class game(ArenaExecutor):  # noqa: N801  as above
        begun = 0

        def reset(self, seed: int) -> None:
            self.begun += 1
            super().reset(seed)

        def attempt(self, attempt: IncomingIntent) -> list[News]:
            if self.begun % 2 and attempt.intent.name == "PRIMARY_ATTACK":
                return [Ended(attempt, make_result("FAILURE", "RESOURCE_EXHAUSTED", engine_timestamp=self.tick))]
            return super().attempt(attempt)

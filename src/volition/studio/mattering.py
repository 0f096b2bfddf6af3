"""Which acts of an evening mattered most: found in a thread once somebody asks, one evening at a time, and then kept."""

from __future__ import annotations

import traceback
from threading import BoundedSemaphore, Lock, Thread
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from volition.core.errors import VolitionError
from volition.drama.audience.deeds import describe_deed
from volition.drama.playing.significance import describe_without
from volition.studio.errors import LOG, Busy, escape_control

if TYPE_CHECKING:
    from volition.drama.playing.evening import Evening
    from volition.drama.playing.significance import ActSignificance

EXAMINED: Final = 24
"""How many acts are examined: for each of them the evening is played again."""
SHOWN: Final = 5
WAITING: Final = 4
"""How many evenings are examined or wait for it."""
_TURN: Final = Lock()
"""Held by the evening that is examined: it shares one interpreter with what answers pages."""
_PLACES: Final = BoundedSemaphore(WAITING)


class MatteredAct(Struct, frozen=True):
    """An act that mattered, by how much (0 to 1), and what would have been `without` it."""

    event: str
    """The id of its event."""
    tick: int
    """When it was done."""
    minutes: float
    """The same in minutes."""
    agent: str
    """Who did it."""
    score: float
    """How much it mattered, from 0 to 1."""
    text: str
    """What was done, in words."""
    without: list[str]
    """What would have been without it, each as a sentence."""


class Mattered(Struct, frozen=True):
    """The acts that mattered most, the most significant first; while `state` is "computing", `done` of `of` are examined."""

    state: Literal["computing", "done", "failed"]
    """How far the work is."""
    done: int = 0
    """How many acts are examined."""
    of: int = 0
    """How many acts there are to examine."""
    acts: list[MatteredAct] = []
    """The acts that mattered, the most significant first."""
    problem: str | None = None
    """What went wrong; null where nothing did."""


class Mattering:
    """What mattered in one evening. The first question starts the work; every question gets how far it is."""

    def __init__(self, evening: Evening) -> None:
        self._evening = evening
        self._found: Mattered | None = None
        self._lock = Lock()

    def look(self) -> Mattered:
        """What is known by now; Busy where too many evenings are waiting."""
        with self._lock:
            if self._found is None:
                if not _PLACES.acquire(blocking=False):
                    raise Busy.of(
                        f"{WAITING} evenings are being examined",
                        where="the studio",
                        expected=f"at most {WAITING} at once",
                        remedy="try again a little later",
                    )
                self._found = Mattered("computing")
                Thread(target=self._work, name="studio-mattering", daemon=True).start()
            return self._found

    def _work(self) -> None:
        try:
            with _TURN:
                acts = self._evening.significance(most=EXAMINED, progress=self._note)
            self._found = Mattered("done", len(acts), len(acts), [self._shape(act) for act in acts[:SHOWN]])
        except VolitionError as error:
            self._found = Mattered("failed", problem=error.problems[0].what)
        except Exception as error:  # noqa: BLE001  nobody above a thread can handle it
            LOG.error("%s", escape_control("".join(traceback.format_exception(error))))
            self._found = Mattered("failed", problem="this is a bug in volition: its traceback is in the terminal")
        finally:
            _PLACES.release()

    def _note(self, done: int, of: int) -> None:
        assert self._found is not None
        self._found = replace(self._found, done=done, of=of)

    def _shape(self, act: ActSignificance) -> MatteredAct:
        event = act.event
        return MatteredAct(
            event=event.id,
            tick=event.tick,
            minutes=event.minutes,
            agent=event.source,
            score=act.score,
            text=describe_deed(self._evening.scenario, event),
            without=describe_without(self._evening.run, act),
        )

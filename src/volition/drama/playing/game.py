"""A guest whom a person plays, answer by answer, while the evening is recorded.

The terminal and the studio both play by this, so the same answers leave the same bytes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from volition.drama.playing.evening import Evening
from volition.drama.playing.guest import Attendance, GuestTick
from volition.drama.stage.archive import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import TickRecord
    from volition.minds.contract import MindChoice, MindSituation, MindVote

    OnLived = Callable[[GuestTick], None] | None


class GuestGame:
    """An evening with a guest, and the recorder that writes it, which holds the evening already.

    `offer` is what the guest may do now; None once the evening is over. `lived` is what the guest lived through, tick by
    tick. Where a step raises, the record may be ahead of this object: `resume` goes on from the record.
    """

    def __init__(self, evening: Evening, recorder: Recorder) -> None:
        guest = evening.guest
        assert guest is not None
        self.guest, self.evening, self.offer = guest, evening, evening.offer()
        self._recorder = recorder
        self._attendance = Attendance(replace(evening.run, ticks=()), guest)
        self.lived = [self._attendance.live(record) for record in evening.run.ticks]

    @classmethod
    def begin(cls, evening: Evening, recorder: Recorder) -> GuestGame:
        """Record an evening as far as it went, and play it on."""
        recorder.begin_again(evening.run)
        return cls(evening, recorder)

    @classmethod
    def resume(cls, path: str | PathLike[str]) -> GuestGame:
        """Go on with an evening in its own record, from where that ends."""
        recorder = Recorder(path)
        recorder.resume()
        try:
            loaded = Evening.load(path)
            return cls(loaded.until_offered(on_tick=lambda _, record: recorder.tick(record)), recorder)
        except BaseException:
            recorder.close()
            raise

    @classmethod
    def look_back(cls, path: str | PathLike[str]) -> GuestGame:
        """An evening that has ended, as its guest lived through it; nothing is asked any more."""
        game = cls(Evening.load(path), Recorder(path))
        game.offer = None
        return game

    @property
    def since_choice(self) -> list[GuestTick]:
        """What the guest lived through since their last choice, beginning with the tick of that choice."""
        chosen = [place for place, record in enumerate(self.evening.run.ticks) if self.guest in record.played]
        return self.lived[chosen[-1] if chosen else 0 :]

    def question(self) -> MindSituation | None:
        """What the guest is asked now; None once there is nothing."""
        return None if self.offer is None else self._attendance.question(self.offer)

    def answer(self, answer: MindChoice | MindVote | None, on_lived: OnLived = None) -> None:
        """Do what was answered, up to the next question or the ending; None does what the guest would do by themselves."""
        self._move(self.evening.answer(answer, on_tick=self._listener(on_lived)))

    def rest(self, ticks: int | None = None, on_lived: OnLived = None) -> None:
        """Let the evening pass without the person: the guest acts by their own mind, to the ending or for `ticks` in all."""
        self._move(self.evening.play_on(ticks=ticks, on_tick=self._listener(on_lived)))

    def end(self) -> None:
        """Write the ending if there is one, and close the record; without an ending it can be resumed."""
        self._recorder.end(self.evening.run)

    def _move(self, evening: Evening) -> None:
        self.evening, self.offer = evening, evening.offer() if evening.ending is None else None

    def _listener(self, on_lived: OnLived) -> Callable[[WorldState, TickRecord], None]:
        """Records each tick, and what the guest lived through in it."""

        def live(_: WorldState, record: TickRecord) -> None:
            self._recorder.tick(record)
            lived = self._attendance.live(record)
            self.lived.append(lived)
            if on_lived is not None:
                on_lived(lived)

        return live

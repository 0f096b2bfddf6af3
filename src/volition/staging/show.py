"""A show: an evening on a stage, at a pace, with answers for those who watch.

The evening is a record, finished or not; the show walks through it tick by tick and sends the cues. A cue that fails costs
nothing but itself: a guest who did not arrive is put where the record has them, and the report says how often. Between two
beats the show hears what those who watch ask for. Another ending is a fork of the evening at the tick that is shown; the
stage is then where the show already is, so it only goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import Struct

from volition.core.clock import Clock, SystemClock
from volition.core.errors import VolitionError, refuse
from volition.drama.audience.prose import clock as time_of
from volition.drama.audience.prose import short_names
from volition.drama.audience.reasons import ChoiceWords
from volition.drama.audience.timeline import Unfolding
from volition.drama.world.model import DEPARTED
from volition.staging.cues import Cue, beats_of, entrance
from volition.staging.protocol import ASKED, INSTEAD, LONGEST_NAME, LONGEST_TEXT, PAUSE, RESUME
from volition.staging.set_design import SetDesign

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.drama import Evening
    from volition.drama.audience.timeline import PersonNow, TickShape
    from volition.execution import Outcome
    from volition.staging.cues import Beat

SLICE_S: Final = 0.1
"""How long the show rests before it listens again."""
SUCCESS: Final = "SUCCESS"
MOST_ANSWERS: Final = 8
"""How many wishes are heard at a time; the others of that moment are not. As many cues are open at once with any executor."""
MOST_FORKS: Final = 20
"""How many other evenings one show may lead to: each is played to its end and recorded, and anybody may ask for one."""


class StageBridge(Protocol):
    """What a show needs of a bridge."""

    def submit(
        self, intent: str, parameters: Any = None, *, deadline: float = 0.5, agent: str | None = None
    ) -> int: ...

    def wait(self, ticket: int) -> Outcome: ...

    def events(self) -> list[Any]: ...


class ShowReport(Struct, frozen=True):
    """What was shown, and what the stage could not do."""

    ticks: int
    """How many ticks were shown."""
    cues: int
    """How many cues were sent."""
    missed: int
    """How many of them the stage did not carry out."""
    placed: int
    """How often a guest was put where they did not arrive by themselves."""
    answered: int
    """How many questions were answered."""
    ending: str
    """How the evening ended, as it was shown; empty if the record stops before."""


class Show:
    """An evening on a stage. `pace_s` is the time to read a line; `keep` is given each evening that was forked on the way.

    `more` is asked for the same evening with what was played since, where the record stops before the ending: a stage can
    show an evening that goes on. None means that nothing more will come.
    """

    def __init__(
        self,
        evening: Evening,
        stage: StageBridge,
        *,
        pace_s: float = 2.0,
        clock: Clock | None = None,
        keep: Callable[[Evening], str] | None = None,
        more: Callable[[Evening], Evening | None] | None = None,
    ) -> None:
        self.evening = evening
        self._stage, self._pace_s, self._clock = stage, pace_s, clock or SystemClock()
        self._keep, self._more = keep, more
        self._design = SetDesign(evening.scenario)
        self._names = short_names(evening.scenario)
        self._tick = evening.first
        self._paused = False
        self._about: str | None = None
        self._forked = False
        self._forks = 0
        self._sent = self._missed = self._placed = self._answered = self._shown = 0

    def run(self, start: int | None = None) -> ShowReport:
        """Show the evening from a tick on, to its end; InvalidInput for a tick that was not played."""
        first, ticks = self.evening.first, len(self.evening.run.ticks)
        if start is not None and not first <= start < first + ticks:
            refuse(
                f"there is nothing to show from tick {start} on",
                where="start",
                expected=f"a tick from {first} to {first + ticks - 1}",
                remedy="begin at one of them",
            )
        self._tick = first if start is None else start
        self._send([Cue("SET", self._design.to_parameters())])
        self._play()
        ending = self.evening.ending
        if ending is not None:
            self._send([Cue("CAPTION", {"text": f"{time_of(ending.minutes)}: {ending.because}"[:LONGEST_TEXT]})])
        ending_kind = "" if ending is None else ending.kind
        return ShowReport(self._shown, self._sent, self._missed, self._placed, self._answered, ending_kind)

    def _play(self) -> None:
        unfolding = self._enter_at(self._tick)
        while (record := self._next_record()) is not None:
            before, events = unfolding.step(record)
            after = unfolding.now()
            self._send([Cue("CAPTION", {"text": time_of(before.minutes)})])
            for beat in beats_of(before, events, after, self._design):
                self._send(beat, after)
                self._rest(self._pace_s if any(cue.intent == "SAY" for cue in beat) else 0.0)
                if self._forked:
                    break
            if self._forked:
                self._forked = False
                unfolding = self._enter_at(self._tick)
            else:
                self._tick, self._shown = self._tick + 1, self._shown + 1

    def _enter_at(self, tick: int) -> Unfolding:
        """Bring everybody to where they are before a tick; the evening unfolded up to it."""
        unfolding = Unfolding(self.evening.run, self._design.plan)
        for record in self.evening.run.ticks:
            if record.tick >= tick:
                break
            unfolding.step(record)
        self._place({who: person for who, person in unfolding.now().people.items() if person.room != DEPARTED})
        return unfolding

    def _place(self, people: dict[str, PersonNow]) -> None:
        """Put guests where they are."""
        self._send([entrance(who, self._design.names[who], person) for who, person in people.items()])

    def _next_record(self) -> Any:
        """The record of the tick to show; None where there is none and none will come."""
        while True:
            place = self._tick - self.evening.first
            if place < len(self.evening.run.ticks):
                return self.evening.run.ticks[place]
            if self.evening.is_over or self._more is None:
                return None
            further = self._more(self.evening)
            if further is None:
                return None
            if len(further.run.ticks) == len(self.evening.run.ticks):
                self._rest(max(self._pace_s, SLICE_S))
            self.evening = further

    def _send(self, beat: Beat, after: TickShape | None = None) -> None:
        """Send the cues of a beat, and wait for all of them; whoever did not arrive is put there."""
        tickets = [
            (cue, self._stage.submit(cue.intent, cue.parameters, deadline=cue.longest_s, agent=cue.who)) for cue in beat
        ]
        self._sent += len(tickets)
        astray = []
        for cue, ticket in tickets:
            if self._stage.wait(ticket).status != SUCCESS:
                self._missed += 1
                if cue.intent == "WALK" and cue.who is not None:
                    astray.append(cue.who)
        if after is not None and astray:
            self._placed += len(astray)
            self._place({who: after.people[who] for who in astray})

    def _rest(self, seconds: float) -> None:
        """Wait, listening; while somebody has paused the show, as long as it takes."""
        until = self._clock.monotonic() + seconds
        self._listen()
        while not self._forked and (self._paused or self._clock.monotonic() < until):
            self._clock.sleep(SLICE_S)
            self._listen()

    def _listen(self) -> None:
        """Do what those who watch ask for. What makes no sense is ignored, and so is what is too much: anybody may stand in a
        world, and the show goes on."""
        answers: Beat = []
        for event in self._stage.events():
            data = getattr(event, "data", None)
            by, about = (data.get("by"), data.get("about")) if isinstance(data, dict) else (None, None)
            name = getattr(event, "name", None)
            if name in (PAUSE, RESUME):
                self._paused = name == PAUSE
            elif not isinstance(by, str) or len(by) > LONGEST_NAME or len(answers) == MOST_ANSWERS:
                continue
            elif name == ASKED and isinstance(about, str) and about in self._names:
                answers.append(_answer(by, self._explain(about)))
            elif name == INSTEAD:
                answers.append(_answer(by, self._go_another_way()))
        if answers:
            self._answered += len(answers)
            self._send(answers)

    def _explain(self, who: str) -> str:
        """Why somebody does what they do in this tick, in words."""
        try:
            decision = self.evening.decision(self._tick, who)
        except VolitionError:
            return f"{self._names[who]} decides nothing now."
        self._about = who
        reason = ChoiceWords(self.evening.scenario, who).reason(decision)
        return " ".join(f"{part}." for part in (reason.doing, reason.because, reason.instead) if part)

    def _go_another_way(self) -> str:
        """The evening in which whoever was asked about last had done the next best thing."""
        who = self._about
        if who is None:
            return "Ask somebody why first: this shows what the next best choice of theirs would have led to."
        if self._forks == MOST_FORKS:
            return "There have been enough other evenings in this show; this one goes on as it is."
        try:
            ranking = self.evening.decision(self._tick, who).ranking()
            branch = self.evening.fork(at=self._tick, agent=who, force=ranking[1].candidate.id)
        except (VolitionError, IndexError):
            return f"{self._names[who]} has no other choice now."
        self.evening, self._forked, self._paused = branch, True, False
        self._forks += 1
        kept = "" if self._keep is None else f" It is recorded as {self._keep(branch)}."
        return f"From here on it is another evening.{kept}"


def _answer(by: str, text: str) -> Cue:
    return Cue("ANSWER", {"to": by, "text": text[:LONGEST_TEXT]})

"""Evenings in which minds decide, measured by the laws that measure all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.ending import GOES_ON, ending_of, stop_of
from volition.drama.evening.look import HUNG, clear_looks, look
from volition.drama.evening.many import measure
from volition.drama.evening.measure import begin_measures, end_measures
from volition.drama.evening.players import InterpretedPlayer
from volition.drama.evening.story import begin_story
from volition.drama.evening.tension import look_on
from volition.drama.evening.tick import begin_tick, carry_out
from volition.drama.evening.weigh import TERMS
from volition.drama.mind.mind import Mind
from volition.drama.stage.causes import Causes
from volition.drama.stage.run import begin_run
from volition.drama.stage.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.arbitration import Intention
    from volition.arbitration.tally import Tally
    from volition.drama.stage.record import Run
    from volition.drama.stage.stage import Counsel
    from volition.drama.world.model import Scenario


class MindPlayer(InterpretedPlayer):
    """Plays evenings in which custom intentions of any kind take part, and measures them."""

    def __init__(
        self, scenario: Scenario, custom: Sequence[Intention], counsel_of: Callable[[Run], Counsel] | None = None
    ) -> None:
        super().__init__(scenario, brief=counsel_of is None)
        self.mind, self.counsel_of = Mind(scenario, custom), counsel_of

    def play_once(self, seed: int, ticks: int, *, measured: bool) -> tuple[int, int]:
        """Play the whole evening of a seed on a stage, in the room that there is; it is measured in any case."""
        stage = MeasuredStage(self, seed)
        self.evening = stage.evening
        return stage.play(ticks)


class MeasuredStage(Stage):
    """A stage that measures its evening into the records of a player, and writes nothing down."""

    def __init__(self, player: MindPlayer, seed: int) -> None:
        mind = player.mind
        begun, world = begin_run(mind.scenario, seed, mind)
        counsel = None if player.counsel_of is None else player.counsel_of(begun)
        super().__init__(world, mind, seed, Causes(), counsel=counsel)
        self._player, self._log = player, player.log
        self._sheet.looked_at = 1
        self._columns = [(TERMS.index(term), mind.composite.voters.index(term)) for term in HUNG]

    def play(self, ticks: int) -> tuple[int, int]:
        """Play at most `ticks` ticks, as `many.play_evenings` does; why the evening stopped, and how it ended."""
        evening, tables, log, player = self.evening, self.tables, self._log, self._player
        begin_measures(evening, tables, player.moments, player.measures)
        begin_story(tables, player.measures)
        clear_looks(tables, player.looks, player.spreads)
        while (stop := stop_of(evening, tables, ticks)) == GOES_ON:
            look_on(evening, tables, player.moments)
            self._play_tick()
            measure(evening, tables, log, player.moments, player.measures, player.spreads)
        ending = ending_of(evening, tables, stop)
        end_measures(evening, ending, player.moments, player.measures)
        return stop, ending

    def _play_tick(self) -> None:
        """Let a tick pass; it is written down only for minds from outside, who are told what happened."""
        if self.counsel is not None:
            self.tick()
            return
        begin_tick(self.evening, self.tables, self._log)
        self._choose({})
        carry_out(self.evening, self.tables, self._log)

    def _look(self, who: int, tally: Tally | None = None) -> None:
        """Look at a choice; what a mind weighed is put on the desk first, as the laws would have left it there."""
        sheet, player = self._sheet, self._player
        if tally is not None:
            sheet.acts, sheet.awake, sheet.offered = len(tally.left), tally.context.awake, tally.context.offered
            for place, (act, total, products) in enumerate(zip(tally.left, tally.totals, tally.products, strict=True)):
                sheet.act[place], sheet.worth[place] = self.mind.names.act[act.id], total
                for term, column in self._columns:
                    sheet.terms[term][place] = products[column]
        look(self.evening, self.tables, who, sheet, player.looks, player.spreads)

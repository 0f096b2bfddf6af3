"""An evening on a stage that somebody else built: a game world, a robot theatre, or a sheet of paper.

What the evening is has been decided before; a stage only shows it. What a body cannot do changes nothing.

    Show             shows an evening on a stage, tick by tick, and answers those who watch
    ShowReport       what was shown, and what the stage could not do
    STAGE_INTENTS    what a stage has to be able to do, as an executor declares it
    PaperStage       a stage that only notes what it is asked: to try a show, and to copy
"""

from __future__ import annotations

from volition.staging.paper import PaperStage
from volition.staging.protocol import STAGE_INTENTS
from volition.staging.show import Show, ShowReport

__all__ = ["Show", "ShowReport", "STAGE_INTENTS", "PaperStage"]  # noqa: RUF022  in the order of the page above

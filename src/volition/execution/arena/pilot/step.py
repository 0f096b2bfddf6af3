"""One step of a pilot, with everything that led to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from volition.arbitration import Decision
    from volition.execution.arena.pilot.candidates import PilotOption
    from volition.execution.arena.pilot.judge import Judged
    from volition.execution.arena.pilot.situation import PilotSituation
    from volition.execution.client.door.outcome import Outcome
    from volition.execution.wire.frames import StateFrame


@dataclass(frozen=True, slots=True)
class PilotStep:
    """What a pilot knew, what it chose and why, what came of it, and what later states say about the goal.

    `outcome` is None where it waited. `judged` never rests on the outcome's status.
    """

    number: int
    frame: StateFrame
    situation: PilotSituation
    decision: Decision[PilotOption]
    outcome: Outcome | None
    after: PilotSituation | None
    judged: Judged

    def to_data(self) -> dict[str, Any]:
        """The step as JSON data, without measured times."""
        why, outcome, after = self.decision.why(), self.outcome, self.after or self.situation
        return {
            "step": self.number,
            "seq": self.situation.seq,
            "tick": self.situation.tick,
            "episode": self.situation.episode,
            "chosen": self.decision.id,
            "rule": why.rule,
            "why": why.text,
            "rival": why.over,
            "vetoed": len(self.decision.tally.vetoed),
            "outcome": None
            if outcome is None
            else {
                "status": outcome.status,
                "reason": outcome.reason,
                "label": outcome.label,
                "detail": outcome.detail,
                "violations": len(outcome.violations),
            },
            "health": after.me.health,
            "opponent": None if after.foe is None else after.foe.health,
            "verdict": self.judged.verdict,
            "because": self.judged.because,
        }

"""What somebody thinks that others know: one step of a theory of mind, with the reason for each thought.

It is a belief of their own. Others may know more than one thinks, and somebody who was fooled may be thought to suspect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from volition.drama.rules.catalog import Belief

if TYPE_CHECKING:
    from volition.drama.world.model import WorldState

Why = Literal["holds it", "was there", "asked"]


class ThoughtOfOther(NamedTuple):
    """A thought: that another knows a secret, or suspects it, and why; `right` says whether they do."""

    whom: str
    secret: str
    thinks: Literal["knows", "suspects"]
    why: Why
    right: bool

    def __str__(self) -> str:
        return f"{self.whom} {self.thinks} {self.secret} ({self.why}{'' if self.right else '; wrong'})"


def thoughts_of_others(world: WorldState, agent: str) -> tuple[ThoughtOfOther, ...]:
    """Everything that somebody thinks of what others know, by secret and then by person.

    Without the departure `theory_of_mind` nobody infers that a holder knows, or that who asks suspects.
    """
    scenario, me, found = world.scenario, world.agents[agent], list[ThoughtOfOther]()
    infers = bool(scenario.rules["departures"]["theory_of_mind"])
    for secret in scenario.secrets.values():
        for whom in scenario.people:
            belief = world.agents[whom].beliefs[secret.id]
            knows, suspects = belief == Belief.BELIEVES_TRUE, belief in (Belief.SUSPECTS, Belief.BELIEVES_TRUE)
            inferred = infers and whom in secret.holders and me.beliefs[secret.id] == Belief.BELIEVES_TRUE
            if whom == agent:
                continue
            if inferred:
                found.append(ThoughtOfOther(whom, secret.id, "knows", "holds it", knows))
            elif (whom, secret.id) in me.knows:
                found.append(ThoughtOfOther(whom, secret.id, "knows", "was there", knows))
            elif infers and (whom, secret.id) in me.suspects:
                found.append(ThoughtOfOther(whom, secret.id, "suspects", "asked", suspects))
    return tuple(found)

"""A narrator of one's own: four methods, each of which answers in paragraphs. This one cares about the truth alone."""

from volition.drama import Event, Narrator, Run, Scenario, WorldState, play, scenario
from volition.drama.rules.catalog import Belief


class Gossip:
    """Tells who came to believe what, and from whom."""

    def opening(self, scenario: Scenario) -> list[str]:
        return [f"{scenario.name}: {len(scenario.people)} people, {len(scenario.secrets)} secrets."]

    def heading(self, world: WorldState, event: Event) -> list[str]:
        return []  # a scene begins; a list of truths has no scenes

    def tell(self, world: WorldState, event: Event) -> list[str]:
        people, secrets = world.scenario.people, world.scenario.secrets
        return [
            f"{event.minutes:3.0f} min  {people[delta.agent].name} {Belief(delta.after).name.lower()}: "
            f"{secrets[delta.key].description} ({event.type.name} by {people[event.source].name})"
            for delta in event.deltas
            if delta.kind == "belief"
        ]

    def closing(self, run: Run) -> list[str]:
        return [f"In the end {run.ending.because}." if run.ending else "It was broken off."]


gossip: Narrator = Gossip()
evening = play(scenario("dinner-party"), seed=7)
print(evening.transcript(gossip), end="")

"""A custom narrator: four methods that return paragraphs. This one only cares about the truth."""

from volition.drama import Event, Narrator, Scenario, WorldState, play, scenario
from volition.drama.rules.catalog import Belief
from volition.drama.stage.record import Run


class Gossip:
    """Tells who came to know what, when, and by whose act."""

    def opening(self, scenario: Scenario) -> list[str]:
        return [f"{scenario.name}: {len(scenario.people)} people, {len(scenario.secrets)} secrets."]

    def heading(self, world: WorldState, event: Event) -> list[str]:
        return []  # called when a scene begins; a list of truths has no scenes

    def tell(self, world: WorldState, event: Event) -> list[str]:
        people, news = world.scenario.people, dict[str, list[str]]()
        for delta in event.deltas:
            if delta.kind == "belief" and delta.after == Belief.BELIEVES_TRUE:
                news.setdefault(delta.key, []).append(people[delta.agent].name)
        by = f"{event.type.name} by {people[event.source].name}, minute {event.minutes:.0f}"
        secrets = world.scenario.secrets
        return [f"{by}\n  {secrets[secret].description}: now {', '.join(who)}" for secret, who in news.items()]

    def closing(self, run: Run) -> list[str]:
        return [f"In the end {run.ending.because}." if run.ending else "It was broken off."]


gossip: Narrator = Gossip()
evening = play(scenario("dinner-party"), seed=8)
print(evening.transcript(gossip), end="")

"""Transcripts of a run: what a narrator is, and the built-in one.

A narrator is called in the order in which its words are read, and returns paragraphs. The built-in one uses a phrasebook
and keyed chance alone: the same run gives the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from volition.drama.audience.casting import capitalize_first, clock, company_of, join_names, short_names
from volition.drama.audience.phrasebook import EXCHANGES, Phrasebook, fill, phrasebook
from volition.drama.audience.pick import Picker
from volition.drama.audience.scenes import segment
from volition.drama.audience.summary import lessons
from volition.drama.audience.telling import Sentence, sentences_of
from volition.drama.audience.viewing import view
from volition.drama.rules.catalog import PHYSICAL, SOCIAL_MOVE
from volition.drama.stage.replay import walk
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario, WorldState


class Narrator(Protocol):
    """Tells a run. Every method returns a list of paragraphs, which may be empty.

    `world` is the state before the event; it is updated in place, so read it and do not keep it.
    """

    def opening(self, scenario: Scenario) -> list[str]:
        """Before the first event: title and cast."""

    def heading(self, world: WorldState, event: Event) -> list[str]:
        """A scene begins with this event."""

    def tell(self, world: WorldState, event: Event) -> list[str]:
        """An event."""

    def closing(self, run: Run) -> list[str]:
        """After the last event; `run.ending` is None if the record stops before the ending."""


def transcript(run: Run, narrator: Narrator | None = None) -> str:
    """A whole run as text that ends with a newline; the built-in narrator writes Markdown."""
    narrator = narrator if narrator is not None else TemplateNarrator(run.seed)
    begins = {scene.events[0] for scene in segment(view(run), run.scenario)}
    paragraphs = [*narrator.opening(run.scenario)]
    for world, event in walk(run):
        if event.id in begins:
            paragraphs += narrator.heading(world, event)
        paragraphs += narrator.tell(world, event)
    return "\n\n".join([*paragraphs, *narrator.closing(run)]) + "\n"


class TemplateNarrator:
    """Tells a run with a phrasebook. A narrator is for one run only, because it remembers what it has said."""

    def __init__(self, seed: int, phrases: Phrasebook | None = None) -> None:
        self._phrases = phrases if phrases is not None else phrasebook()
        self._picker = Picker(seed)
        self._room: str | None = None
        self._seen: set[str] = set()
        self._served = 0

    def opening(self, scenario: Scenario) -> list[str]:
        cast = [f"- **{person.name}**, {person.role}" for person in scenario.people.values()]
        return [
            f"# {scenario.name}",
            *([scenario.description] if scenario.description else []),
            f"## {self._phrases['opening.cast']}",
            "\n".join(line.removesuffix(", ") for line in cast),
            self._picker.pick("opening.lines", self._phrases["opening.lines"], "opening"),
        ]

    def heading(self, world: WorldState, event: Event) -> list[str]:
        scenario, room = world.scenario, world.scenario.rooms[event.room]
        names = short_names(scenario)
        here = [agent.id for agent in world.agents.values() if agent.location == room.id]
        left = sum(agent.location != DEPARTED for agent in world.agents.values())
        notes = [room.description] if room.description and room.id not in self._seen else []
        if len(here) < left:
            text = self._phrases["link.with" if len(here) > 1 else "link.alone"]
            notes.append(fill(text, {"company": join_names(here, names)}))
        self._room = room.id
        self._seen.add(room.id)
        title = f"## {clock(event.minutes)} — {capitalize_first(room.name)}"
        return [title, f"*{' '.join(notes)}*"] if notes else [title]

    def tell(self, world: WorldState, event: Event) -> list[str]:
        parts = sentences_of(world, event, lambda purpose: self._picker.chance(purpose, event.id))
        told = " ".join(self._sentence(world, event, part) for part in parts)
        link = self._link(world, event)
        self._room = event.room
        if event.type == PHYSICAL and event.manner == "serve":
            self._served += 1
        return [f"*{link}* {told}" if link else told]

    def closing(self, run: Run) -> list[str]:
        names, end = short_names(run.scenario), run.ending
        if end is None:
            return []
        told = [f"## {clock(end.minutes)} — {self._phrases['ending.heading']}"]
        if f"ending.{end.kind}" in self._phrases:
            told.append(self._picker.pick(f"ending.{end.kind}", self._phrases[f"ending.{end.kind}"], "ending"))
        if run.left:
            told.append(fill(self._phrases["ending.gone"], {"company": join_names(run.left, names)}))
        return [*told, f"## {self._phrases['ending.came_out']}", self._came_out(run)]

    def _came_out(self, run: Run) -> str:
        """Every secret that somebody learned, with who did and when."""
        names = short_names(run.scenario)
        found: dict[str, list[str]] = {}
        for lesson in lessons(run.events):
            if lesson.after == "believes_true":
                found.setdefault(lesson.secret, []).append(f"{names[lesson.who]} ({clock(lesson.minutes)})")
        if not found:
            return str(self._phrases["ending.nothing_came_out"])
        lines = []
        for secret, who in found.items():
            company = join_names(who, {one: one for one in who})
            facts = {"secret": run.scenario.secrets[secret].description.rstrip("."), "company": company}
            lines.append("- " + fill(self._phrases["ending.learned"], facts))
        return "\n".join(lines)

    def _link(self, world: WorldState, event: Event) -> str:
        """The transition to another room; empty if the room stays the same."""
        if self._room in {None, event.room}:
            return ""
        pool = "link.back" if event.room == world.scenario.evening.gathering else "link.away"
        room = world.scenario.rooms[event.room].name
        template: str = self._picker.pick(pool, self._phrases[pool], event.id)
        return fill(template, {"room": room, "room_start": capitalize_first(room)})

    def _sentence(self, world: WorldState, event: Event, part: Sentence) -> str:
        pool = part.pool if part.pool in self._phrases else "physical.other"
        template: str = self._picker.pick(pool, self._phrases[pool], event.id)
        return fill(template, self._facts(world, event, part))

    def _facts(self, world: WorldState, event: Event, part: Sentence) -> dict[str, str]:
        """Everything that the template of a sentence may use."""
        scenario, names = world.scenario, short_names(world.scenario)
        room = scenario.rooms[event.room].name
        facts = {"who": names[event.source], "room": room, "company": company_of(event.targets, names)}
        if part.whom is not None:
            facts["whom"] = names[part.whom]
        if part.liar is not None:
            facts["liar"] = names[part.liar]
        if part.secret is not None:
            secret = scenario.secrets[part.secret]
            matter = f"matter.{secret.content}"
            facts["secret"] = secret.description.rstrip(".")
            facts["matter"] = self._picker.pick(matter, self._phrases[matter], event.id)
        if part.talk is not None:
            said = self._picker.pick(part.talk, self._phrases[part.talk], event.id)
            facts["line"], facts["reply"] = said if part.talk in EXCHANGES else (said, "")
        if event.type == SOCIAL_MOVE and event.destination is not None:
            facts["destination"] = scenario.rooms[event.destination].name
            facts["destination_start"] = capitalize_first(facts["destination"])
        if event.type == PHYSICAL:
            facts |= self._service(event)
        return facts

    def _service(self, event: Event) -> dict[str, str]:
        names = self._phrases["course.names"]
        course = names[self._served] if self._served < len(names) else self._phrases["course.later"]
        toast = (
            self._picker.pick("toast.lines", self._phrases["toast.lines"], event.id) if event.manner == "pour" else ""
        )
        manner = (event.manner or "").replace("_", " ")
        return {"course": course, "course_start": capitalize_first(course), "toast": toast, "manner": manner}

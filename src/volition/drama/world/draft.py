"""A new scenario of any size: people, rooms and secrets to rename, with everything that a scenario needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import InvalidInput, Problems
from volition.drama.world.pattern import check_id, rules_of_pattern
from volition.drama.world.shelf import DRAFT, shelf_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEAST: Final = {"people": 2, "rooms": 1, "secrets": 0}
_KITCHEN, _EXIT = 2, 1
_MINUTES: Final = 150
_COURSES, _POURS = (10, 48, 92), (22, 50, 64, 76, 94, 106, 116, 128)
Entry = dict[str, Any]


def draft_scenario(id: str, *, people: int, rooms: int, secrets: int) -> str:
    """The text of a scenario file with this many people, rooms and secrets, ready to be played and changed."""
    check_id(id)
    parts = shelf_data(DRAFT)
    problems, wanted = Problems(), {"people": people, "rooms": rooms, "secrets": secrets}
    for part, count in wanted.items():
        if not LEAST[part] <= count <= len(parts[part]):
            problems.add(
                f"this is {count}",
                where=f"the number of {part}",
                expected=f"a number from {LEAST[part]} to {len(parts[part])}",
                remedy="choose one in that range, and add more by hand",
            )
    problems.raise_if_any(InvalidInput)
    cast, places, matters = (parts[part][:count] for part, count in wanted.items())
    lines = [
        f"# A start with {people} people, {rooms} rooms and {secrets} secrets. Rename everything; the words in brackets are ids.",
        "# Check it with `volition scenario check`, and see what its evenings are like with `volition doctor`.",
        *_head(id),
        *_evening(cast, places),
        *_rooms(places, len(cast)),
        *_people(cast, matters),
        *_secrets(cast, matters),
        "",
        rules_of_pattern(),
    ]
    return "\n".join(lines)


def _head(id: str) -> Iterator[str]:
    name = id.replace("-", " ").replace("_", " ").capitalize()
    yield from (
        "",
        "[scenario]",
        f"id = {_toml(id)}",
        f"name = {_toml(name)}",
        'description = ""',
        'setting = ["home"]',
    )


def _evening(cast: Sequence[Entry], places: Sequence[Entry]) -> Iterator[str]:
    yield from ("", "[evening]", f"gathering = {_toml(places[0]['id'])}  # where people sit together")
    yield f"exit = {_toml(places[_EXIT if len(places) > _EXIT else 0]['id'])}"
    yield from (f"minutes = {_MINUTES}", "time_scale = 2.0")
    yield f"servers = {_toml([person['id'] for person in cast[:4]])}  # the first who is free serves"
    if len(places) > _KITCHEN:
        yield f"kitchen = {_toml(places[_KITCHEN]['id'])}"
        yield f"courses = {_toml(list(_COURSES))}  # minutes"
    yield f"pours = {_toml(list(_POURS))}"
    needs = {place["need"]: place["id"] for place in places if "need" in place}
    if needs:
        yield f"needs = {_toml(needs)}  # what takes people to other rooms"
        yield f"need_rates = {_toml(dict.fromkeys(needs, 0.0125))}"


def _rooms(places: Sequence[Entry], heads: int) -> Iterator[str]:
    yield from ("", "# Rooms: every door is named on both sides.")
    first = places[0]["id"]
    for place in places:
        others = [other["id"] for other in places if other is not place]
        doors = others if place["id"] == first else [first]
        yield from ("", f"[rooms.{place['id']}]", f"name = {_toml(place['name'])}")
        yield from (f"privacy = {place['privacy']}", f"capacity = {heads + 2 if place['id'] == first else 4}")
        yield f"adjacent = {_toml(doors)}"
        yield from [f"tags = {_toml(place['tags'])}"] * bool(place["tags"])


def _people(cast: Sequence[Entry], matters: Sequence[Entry]) -> Iterator[str]:
    yield from (
        "",
        "# People: closeness and bonds follow from relations; write `bonds = { who = [trust, affection, obligation] }`",
    )
    yield "# to make an exception. Holders are committed to conceal what they hold."
    for number, person in enumerate(cast):
        held = [matter["id"] for place, matter in enumerate(matters) if place % len(cast) == number]
        yield from ("", f"[people.{person['id']}]")
        yield from (f"{key} = {_toml(person[key])}" for key in ("name", "role", "pronouns", "voice"))
        yield from ["resident = true  # lives here, and does not leave"] * (number < min(2, len(cast) - 1))
        if number + 1 < len(cast):
            yield f"relations = {_toml({cast[number + 1]['id']: person['next']})}"
        yield from (f"{key} = {_toml(person[key])}" for key in ("goals", "pacing"))
        yield f"flaws = [{_toml(person['flaw'])}]"
        if held:
            yield "commitments = [" + ", ".join(_toml({"kind": "conceal", "secret": id}) for id in held) + "]"


def _secrets(cast: Sequence[Entry], matters: Sequence[Entry]) -> Iterator[str]:
    """Everybody holds some in turn; it harms the next but one, and somebody else has begun to suspect it."""
    yield from (
        ("", "[secrets]")
        if not matters
        else ("", "# Secrets: holders know them, and nobody both knows and suspects one.")
    )
    count = len(cast)
    for number, matter in enumerate(matters):
        holder, harmed, beside, wary = (cast[(number + step) % count] for step in (0, min(2, count - 1), 1, 3))
        text = matter["description"].format(holder=holder["name"], harmed=harmed["name"])
        harm = {harmed["id"]: 1.0} | ({beside["id"]: 0.4} if beside is not harmed else {})
        yield from ("", f"[secrets.{matter['id']}]", f"description = {_toml(text)}")
        yield from (f"holders = {_toml([holder['id']])}", f"about = {_toml(holder['id'])}")
        yield from (f"content = {_toml(matter['content'])}", f"weight = {matter['weight']}")
        yield f"knowers = {_toml([holder['id']])}"
        yield f"suspecters = {_toml([] if wary is holder else [wary['id']])}"
        yield f"harm = {_toml(harm)}"


def _toml(value: Any) -> str:
    """A value as TOML; texts are written as JSON writes them, which is the same."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)

"""A new scenario to start from: the pattern, explained line by line, one of any size with its people, rooms and secrets, or a
copy of one that ships with the package.

All are valid, and have rules under which their evenings are good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import InvalidInput, Problems, format_value, refuse
from volition.drama.world.amend import amend, to_toml
from volition.drama.world.clock import COURSE
from volition.drama.world.rulebook import DRAFT, PATTERN, SCENARIOS, read_shipped, read_shipped_file, shipped_text
from volition.drama.world.scenario import is_scenario_id
from volition.drama.world.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEAST: Final = {"people": 2, "rooms": 1, "secrets": 0}
MOST: Final = {"people": 8, "rooms": 8, "secrets": 8}
_ABOUT_OTHERS: Final = ("relations", "closeness", "bonds")
"""The keys of a person that name other people."""
_OF_THE_TABLE: Final = ("kitchen", "servers", "glass_need")
"""The keys of an evening that are about what is served."""
Entry = dict[str, Any]
Entries = dict[str, Entry]


def new_scenario(id: str) -> str:
    """The text of a scenario file for beginners, with the given id.

    >>> new_scenario("night-train").splitlines()[5:7]
    ['id = "night-train"', 'name = "Night train"']
    """
    check_id(id)
    text = SCENARIOS.joinpath(PATTERN).read_text(encoding="utf-8")
    return text.replace("@id@", id).replace("@name@", name_of(id))


def copy_scenario(id: str, name: str) -> tuple[str, str | None]:
    """The text of a shipped scenario under another id, and that of its phrases, if it has any; comments are kept."""
    check_id(id)
    text, phrases = shipped_text(name)
    named = [Setting("scenario.id", None, id), Setting("scenario.name", None, name_of(id))]
    return amend(text, named, name), phrases


def pattern_data(id: str) -> Any:
    """The data of the pattern, with the given id."""
    return read_shipped(new_scenario(id), PATTERN)


def name_of(id: str) -> str:
    """The name of a new scenario.

    >>> name_of("night-train")
    'Night train'
    """
    return id.replace("-", " ").replace("_", " ").capitalize()


def check_id(id: str) -> None:
    """Refuse what cannot be the id of a scenario."""
    if not is_scenario_id(id):
        refuse(
            f"{format_value(id)} cannot be the id of a scenario",
            where="the name of the new scenario",
            expected="lower-case words joined by '-'",
            remedy="choose a name such as 'night-train'",
        )


def rules_of_pattern() -> str:
    """The rules of the pattern, as text with what explains them."""
    text = SCENARIOS.joinpath(PATTERN).read_text(encoding="utf-8")
    return text[text.index("# Rules: ") :]


def draft_scenario(id: str, *, people: int, rooms: int, secrets: int, table: bool = True) -> str:
    """The text of a scenario file with this many people, rooms and secrets, ready to be played and changed.

    Without a table nothing is served: there is no kitchen and no wine, but something that comes by the clock, and a deadline.
    """
    check_id(id)
    problems, wanted = Problems(), {"people": people, "rooms": rooms, "secrets": secrets}
    for part, count in wanted.items():
        if not LEAST[part] <= count <= MOST[part]:
            problems.add(
                f"this is {count}",
                where=f"the number of {part}",
                expected=f"a number from {LEAST[part]} to {MOST[part]}",
                remedy="choose one in that range, and add more by hand",
            )
    problems.raise_if_any(InvalidInput)
    pattern, more = pattern_data(id), read_shipped_file(DRAFT)
    kitchen = pattern["evening"]["kitchen"]
    cast: Entries = _first(people, pattern["people"] | more["people"])
    places: Entries = _first(
        rooms, {key: room for key, room in (pattern["rooms"] | more["rooms"]).items() if table or key != kitchen}
    )
    matters = _secrets(cast, pattern["secrets"], more["secrets"], secrets)
    evening = _evening(pattern["evening"], more["needs"], cast, places)
    missing = (pattern["people"] | pattern["rooms"] | pattern["secrets"]).keys() - (cast | places | matters).keys()
    events, circumstances = (
        [entry for entry in pattern["evening"].get(key, ()) if missing.isdisjoint(_words_in(entry))]
        for key in ("events", "circumstances")
    )
    if pattern["evening"]["kitchen"] not in places:
        events = [event for event in events if event.get("serve") != COURSE]
    if not table:
        evening = {key: value for key, value in evening.items() if key not in _OF_THE_TABLE}
        events = _events(more["events"], next(iter(places)), list(matters))
    lines = [
        f"# A start with {people} people, {rooms} rooms and {secrets} secrets. Rename everything; the words in brackets are ids.",
        "# `volition scenario new NAME` without numbers explains every line; `volition scenario check` finds mistakes, and",
        "# `volition doctor` tells what the evenings are like.",
        *_section("scenario", {"id": id, "name": name_of(id), "setting": pattern["scenario"]["setting"]}),
        *_section("evening", evening),
        *(line for event in events for line in _section("[evening.events]", event)),
        *(line for circumstance in circumstances for line in _section("[evening.circumstances]", circumstance)),
        *_sections("rooms", _rooms(places, len(cast), table)),
        *_sections("people", _people(cast, matters)),
        *(_sections("secrets", matters) if matters else _section("secrets", {})),
        *_sections("known", _assumptions(pattern["known"], cast, matters)),
        "",
        rules_of_pattern(),
    ]
    return amend("\n".join(lines), _settings_for(more, people, table), id)


def _settings_for(more: Entry, people: int, table: bool) -> list[Setting]:
    """The settings in which the rules for this many people, with or without a table, differ from those of the pattern."""
    shared = {} if table else more["without_table"]["everybody"]
    sized = more["with_table" if table else "without_table"].get(str(people), {})
    return [Setting(path, None, value) for path, value in {**shared, **sized}.items()]


def _evening(evening: Entry, more: Entry, cast: Entries, places: Entries) -> Entry:
    """The evening of the pattern, as far as its people and rooms are there."""
    needs = {need: room for need, room in (evening["needs"] | more).items() if room in places}
    rates = {need: rate for need, rate in evening["need_rates"].items() if need in needs}
    first = next(iter(places))
    entries = evening | {
        "exit": evening["exit"] if evening["exit"] in places else first,
        "servers": _those(evening["servers"], cast),
        "needs": needs,
        "need_rates": rates,
    }
    without = {"events", "circumstances"} | ({"kitchen"} if evening["kitchen"] not in places else set())
    without |= {"glass_need"} if evening["glass_need"] not in needs else set()
    return {key: value for key, value in entries.items() if key not in without}


def _words_in(entry: Any) -> set[str]:
    """Every word in an entry that may be an id."""
    if isinstance(entry, dict):
        return {*entry, *(word for inner in entry.values() for word in _words_in(inner))}
    return {word for inner in entry for word in _words_in(inner)} if isinstance(entry, list) else {str(entry)}


def _events(events: list[Entry], gathering: str, secrets: list[str]) -> list[Entry]:
    """What the clock brings where nothing is served; news are of the last secret."""
    return [
        event | ({"news": secrets[-1], "room": gathering} if "news" in event else {})
        for event in events
        if secrets or "news" not in event
    ]


def _rooms(places: Entries, heads: int, table: bool) -> Entries:
    """Every room opens onto the first, which has a chair for everybody."""
    first, *others = places
    return {
        id: (room if table or "tags" not in room else room | {"tags": [tag for tag in room["tags"] if tag != "table"]})
        | {"adjacent": others if id == first else [first]}
        | ({"capacity": max(room["capacity"], heads + 2)} if id == first else {})
        for id, room in places.items()
    }


def _people(cast: Entries, matters: Entries) -> Entries:
    """Everybody with what they are to the others who are there, and what they conceal or want to expose."""
    entries: Entries = {}
    for id, person in cast.items():
        about = {key: _only(person[key], cast) for key in _ABOUT_OTHERS if key in person}
        kept = [commitment for commitment in person.get("commitments", ()) if commitment["secret"] in matters]
        named = {commitment["secret"] for commitment in kept}
        kept += [
            {"kind": "conceal", "secret": secret}
            for secret, matter in matters.items()
            if secret not in named and matter["about"] == id
        ]
        entries[id] = {key: value for key, value in (person | about | {"commitments": kept}).items() if value != []}
    return entries


def _secrets(cast: Entries, matters: Entries, more: list[Entry], count: int) -> Entries:
    """The secrets of those who are there, and if these are too few, others that each of them has in turn."""
    entries: Entries = {}
    for id, matter in matters.items():
        harm = _only(matter["harm"], cast)
        if len(entries) < count and harm and set(matter["holders"]) <= cast.keys():
            met = {key: _those(matter[key], cast) for key in ("knowers", "suspecters")}
            entries[id] = matter | met | {"harm": harm}
    ids = list(cast)
    for number, matter in enumerate(more[: count - len(entries)]):
        holder, harmed, wary = (ids[(step - number) % len(ids)] for step in (-1, 0, 1))
        text = matter["description"].format(holder=cast[holder]["name"], harmed=cast[harmed]["name"])
        entries[matter["id"]] = {
            "description": text,
            "holders": [holder],
            "about": holder,
            **{key: matter[key] for key in ("content", "weight")},
            "knowers": [holder],
            "suspecters": [wary] if wary != holder else [harmed],
            "harm": {harmed: 1.0},
        }
    return entries


def _assumptions(known: Entries, cast: Entries, matters: Entries) -> Entries:
    """Who thinks that another person knows a secret, of those who are there."""
    return {
        secret: {who: _those(whom, cast) for who, whom in _only(minds, cast).items()}
        for secret, minds in known.items()
        if secret in matters
    }


def _first(count: int, entries: Entries) -> Entries:
    return dict(list(entries.items())[:count])


def _only(table: Entry, cast: Entries) -> Entry:
    return {who: value for who, value in table.items() if who in cast}


def _those(people: Iterable[str], cast: Entries) -> list[str]:
    return [who for who in people if who in cast]


def _sections(part: str, entries: Entries) -> Iterator[str]:
    for id, entry in entries.items():
        yield from _section(f"{part}.{id}", entry)


def _section(name: str, entry: Entry) -> Iterator[str]:
    yield from ("", f"[{name}]")
    yield from (f"{key} = {to_toml(value)}" for key, value in entry.items())

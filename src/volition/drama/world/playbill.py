"""A scenario for people to read: the cast, the rooms, the secrets, and who knows what."""

from __future__ import annotations

import json
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from volition.drama.rules.catalog import GOALS
from volition.drama.world.rulebook import default_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from volition.drama.world.model import EveningSetup, Person, Room, Scenario, Secret

WIDTH: Final = 110
LEGEND: Final = "H holds it, K knows it, S suspects it, . has not heard of it"


def playbill(scenario: Scenario) -> str:
    """A readable summary of a scenario, several lines long."""
    secrets = list(enumerate(scenario.secrets.values(), 1))
    parts = [
        [f"{scenario.name} ({scenario.id})", *_wrap(scenario.description)],
        ["People", *(line for person in scenario.people.values() for line in _person(person))],
        ["Rooms", *_columns(_room(room) for room in scenario.rooms.values())],
        ["Secrets", *(line for number, secret in secrets for line in _wrap(_secret(number, secret)))],
        [f"Who knows what ({LEGEND})", *_columns(_matrix(scenario))],
        ["Evening", *_wrap("; ".join(_evening(scenario.evening)))],
        [
            "Rules of this scenario",
            *(line for section in own_rules(scenario).items() for line in _wrap(_rules(*section))),
        ],
        [f"hash {scenario.hash}"],
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def own_rules(scenario: Scenario) -> dict[str, dict[str, Any]]:
    """The rules in which a scenario differs from rules.toml, section by section."""
    differing = {
        section: {rule: scenario.rules[section][rule] for rule in rules if scenario.rules[section][rule] != rules[rule]}
        for section, rules in default_rules().items()
    }
    return {section: rules for section, rules in differing.items() if rules}


def knowledge(secret: Secret, person: str) -> str:
    """What a person knows of a secret at the start, as one letter of the legend."""
    if person in secret.holders:
        return "H"
    return "K" if person in secret.knowers else "S" if person in secret.suspecters else "."


def _person(person: Person) -> Iterator[str]:
    wants = sorted(zip(person.goals, GOALS, strict=True), key=lambda pair: (-pair[0], GOALS.index(pair[1])))
    foremost = ", ".join(f"{goal} {value:g}" for value, goal in wants[:2])
    flaws = ", ".join(f"{flaw.kind} {flaw.strength:g}" for flaw in person.flaws)
    yield from _wrap(f"{person.id}: {person.name}" + (f", {person.role}" if person.role else ""))
    yield from _wrap(f"wants {foremost}; flaws: {flaws}", "      ")


def _room(room: Room) -> list[str]:
    heard = ", ".join(f"{other} {chance:g}" for other, chance in room.overhears.items())
    doors = f"doors to {', '.join(room.adjacent) or 'nowhere'}" + (f"; overhears {heard}" if heard else "")
    return [room.id, room.name, f"privacy {room.privacy:g}, {room.capacity} places", doors]


def _secret(number: int, secret: Secret) -> str:
    return f"{number}  {secret.id} ({secret.content}, weight {secret.weight:g}): {secret.description}"


def _matrix(scenario: Scenario) -> Iterator[list[str]]:
    secrets = scenario.secrets.values()
    yield ["", *(str(number) for number, _ in enumerate(secrets, 1))]
    for id in scenario.people:
        yield [id, *(knowledge(secret, id) for secret in secrets)]


def _evening(evening: EveningSetup) -> Iterator[str]:
    yield f"{evening.minutes:g} minutes, at most {evening.ticks} ticks"
    yield f"people gather in {evening.gathering} and leave by {evening.exit}"
    for what, times in (("courses", evening.courses), ("pours", evening.pours)):
        if times:
            yield f"{what} at minute {', '.join(f'{time:g}' for time in times)}"
    if evening.servers:
        yield f"served by {', '.join(evening.servers)}"
    for need, room in evening.needs.items():
        yield f"{need} in {room}"


def _rules(section: str, rules: Mapping[str, Any]) -> str:
    return f"{section}: " + ", ".join(f"{rule} {json.dumps(value)}" for rule, value in rules.items())


def _columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows side by side; the last column is wrapped."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)][:-1]
    lead = " " * (2 + sum(width + 2 for width in widths))
    lines: list[str] = []
    for *cells, last in table:
        start = "  " + "".join(f"{cell.ljust(width)}  " for cell, width in zip(cells, widths, strict=True))
        lines += wrap(last, WIDTH, initial_indent=start, subsequent_indent=lead, break_long_words=False)
    return lines


def _wrap(text: str, lead: str = "  ") -> list[str]:
    return wrap(text, WIDTH, initial_indent=lead, subsequent_indent=lead, break_long_words=False)

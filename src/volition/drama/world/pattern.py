"""A new scenario to start from: valid, explained line by line, and with rules under which its evenings are good."""

from __future__ import annotations

from typing import Any

from volition.core.document import parse_toml
from volition.core.errors import format_value, refuse
from volition.drama.world.scenario import is_scenario_id
from volition.drama.world.shelf import PATTERN, SHELF


def new_scenario(id: str) -> str:
    """The text of a scenario file for beginners, with the given id.

    >>> new_scenario("night-train").splitlines()[5:7]
    ['id = "night-train"', 'name = "Night train"']
    """
    check_id(id)
    text = SHELF.joinpath(PATTERN).read_text(encoding="utf-8")
    return text.replace("@id@", id).replace("@name@", name_of(id))


def pattern_data(id: str) -> Any:
    """The data of the pattern, with the given id."""
    return parse_toml(new_scenario(id), where=PATTERN)


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
    text = SHELF.joinpath(PATTERN).read_text(encoding="utf-8")
    return text[text.index("# Rules: ") :]

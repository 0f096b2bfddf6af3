"""The files that ship with the package: the scenarios, the default rules, and what new scenarios are made of."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Final

from volition.core.document import parse_toml
from volition.core.errors import did_you_mean, format_value, refuse

SHELF: Final = files("volition.drama").joinpath("scenarios")
RULES: Final = "rules.toml"
PATTERN: Final = "pattern.toml"
DRAFT: Final = "draft.toml"
SUFFIX: Final = ".phrases.toml"
"""The end of the name of a file with the phrases of the scenario beside it."""


def scenario_names() -> tuple[str, ...]:
    """The names of the shipped scenarios, sorted."""
    found = (file.name for file in SHELF.iterdir() if file.name.endswith(".toml"))
    return tuple(
        sorted(_name(file) for file in found if file not in (RULES, PATTERN, DRAFT) and not file.endswith(SUFFIX))
    )


def shipped_data(name: str) -> Any:
    """The data of a shipped scenario."""
    if name not in scenario_names():
        refuse(
            f"no scenario named {format_value(name)} ships with volition",
            where="the name of the scenario",
            expected="the name of a scenario, or the path of a .toml or .json file",
            remedy=did_you_mean(name, scenario_names()),
        )
    file = name.replace("-", "_")
    data = shelf_data(file + ".toml")
    beside = SHELF.joinpath(file + SUFFIX)
    return {**data, "phrases": shelf_data(file + SUFFIX)} if beside.is_file() else data


def shelf_data(file: str) -> Any:
    return parse_toml(SHELF.joinpath(file).read_bytes(), where=file)


def _name(file: str) -> str:
    return file.removesuffix(".toml").replace("_", "-")

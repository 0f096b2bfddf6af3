"""User code on the command line: `--with MODULE:NAME`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from volition.cli.common import load_reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.arbitration import Intention

with_option = click.option(
    "--with",
    "custom",
    metavar="[PERSON=]MODULE:NAME",
    multiple=True,
    help="A term or constraint, several of them, or the mind of a person, from Python; may be repeated.",
)


def load_custom(references: Sequence[str]) -> tuple[Intention, ...]:
    """The custom intentions that `--with` names: heuristics and constraints, lists of them, and minds."""
    from volition.drama.mind.custom import gather

    return tuple(one for reference in references for one in gather(*_read(reference)))


def _read(reference: str) -> tuple[dict[str, Any], list[Any]]:
    """The minds and the terms of one reference."""
    from volition.arbitration import Constraint, Heuristic
    from volition.core.errors import format_value, refuse

    person, equals, rest = reference.partition("=")
    found = load_reference(rest if equals else reference, "--with")
    if equals:
        return {person: found}, []
    if isinstance(found, Mapping):
        return dict(found), []
    several = list(found) if isinstance(found, list | tuple) else [found]
    for one in several:
        if not isinstance(one, Heuristic | Constraint):
            refuse(
                f"{reference} is {format_value(one)}",
                where="--with",
                expected="a heuristic or constraint, a list of them, or a mapping of people to minds",
                remedy="decorate the function with @heuristic or @constraint; a mind is given as PERSON=MODULE:NAME",
            )
    return {}, several

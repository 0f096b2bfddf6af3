"""Minds that are named in a scenario file or on a command line. Nobody is asked by a file alone: who plays has to allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.errors import refuse
from volition.drama.mind.outside import Consulted
from volition.minds.chat import ChatMind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.drama.mind.outside import Way
    from volition.drama.world.model import Scenario


def named_minds(scenario: Scenario) -> dict[str, Consulted]:
    """The language models that the scenario names for its people, for `OutsideMinds`."""
    return {id: _read_mind(person.mind) for id, person in scenario.people.items() if person.mind}


def _read_mind(mind: Mapping[str, Any]) -> Consulted:
    settings = {key: value for key, value in mind.items() if key not in ("url", "model")}
    return Consulted(ChatMind(mind["url"], mind["model"]), **settings)


def chat_mind(address: str, way: Way = "vote") -> Consulted:
    """A language model by its address, `URL#MODEL`; a server with one model needs no name.

    >>> chat_mind("http://localhost:8080/v1#small").voice.label
    'chat:small'
    """
    url, _, model = address.partition("#")
    if not url.startswith(("http://", "https://")):
        refuse(
            f"{address!r} is not the address of a model",
            where="mind",
            expected="URL or URL#MODEL, such as http://localhost:8080/v1#small",
            remedy="begin it with http:// or https://",
        )
    return Consulted(ChatMind(url, model or "default"), way)

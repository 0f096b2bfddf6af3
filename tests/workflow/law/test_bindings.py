"""Bindings: only canonical intents, registered functions and notices, everything wrong at once, and no circles."""

from __future__ import annotations

import pytest

from volition.core.errors import InvalidInput
from volition.workflow import parse_bindings

pytestmark = pytest.mark.req("WF-04")


def entry(**values: str) -> str:
    """One entry; values are TOML."""
    return "\n".join(["[[bind]]", *(f"{key} = {value}" for key, value in values.items())]) + "\n"


GOOD = {"name": '"go"', "executor": '"embedded"', "intent": '"MOVE"', "parameters": "{vector = [1, 0, 0]}"}


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"intent": '"rm -rf /"'}, "is not a canonical intent"),
        ({"parameters": "{}"}, "MOVE has no vector"),
        ({"parameters": '{vector = [1, 0, 0], shell = "ls"}'}, "MOVE has no parameter 'shell'"),
        ({"executor": '"ssh://somewhere"'}, "is not an address"),
        ({"compensation": '"undo"'}, "there is no entry 'undo'"),
        ({"compensation": '"go"'}, "in a circle: go -> go"),
        ({"deadline": "0"}, "deadline"),
        ({"retries": "99"}, "retries"),
        ({"failure": '"panic"'}, "failure"),
        ({"command_line": '"ls"'}, "command_line"),
        ({"action": '"shell"'}, "action"),
        ({"action": '"notify"'}, "a notice has no executor or intent or parameters"),
        ({"action": '"call"'}, "a call has no executor or intent"),
        ({"call": '"ls"'}, "an intent has no call"),
    ],
)
def test_what_is_no_binding_is_refused(values: dict[str, str], what: str) -> None:
    """Nothing but an intent of the contract, or a notice, can be bound; the error says which entry and why."""
    with pytest.raises(InvalidInput, match=what):
        parse_bindings(entry(**{**GOOD, **values}))


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({}, "names no function"),
        ({"call": '"go"', "parameters": "{when = 2026-01-01}"}, "a value of type datetime.date"),
        ({"call": '"go"', "agent": '"ann"'}, "a call has no agent"),
    ],
)
def test_a_call_names_a_function_and_plain_values(values: dict[str, str], what: str) -> None:
    """A function is called by its name, with values that can be hashed; it has no agent and no executor."""
    with pytest.raises(InvalidInput, match=what):
        parse_bindings(entry(name='"go"', action='"call"', **values))


def test_everything_wrong_is_reported_at_once() -> None:
    """All mistakes of a file are listed together: a duplicated name, a bad intent, an unknown name, a circle."""
    text = (
        entry(**GOOD)
        + entry(**GOOD, compensation='"nobody"')
        + entry(**{**GOOD, "name": '"a"', "compensation": '"b"'})
        + entry(**{**GOOD, "name": '"b"', "compensation": '"c"', "intent": '"DANCE"'})
        + entry(**{**GOOD, "name": '"c"', "compensation": '"a"'})
    )
    with pytest.raises(InvalidInput) as error:
        parse_bindings(text)
    said = [problem.what for problem in error.value.problems]
    assert sum("duplicated" in what for what in said) == 2
    assert any("nobody" in what for what in said)
    assert any("DANCE" in what for what in said)
    assert sum("circle" in what for what in said) == 1


def test_no_bindings_are_refused() -> None:
    """A file without an entry binds nothing, and is refused as such."""
    for text in ("", "bind = []", 'name = "x"', "[[bind]]\n"):
        with pytest.raises(InvalidInput):
            parse_bindings(text)

"""Errors in words for an agent: what is wrong, where, what was expected, and as `remedy` the next step.

Errors of the registry name commands for people. An agent is told the tool instead, or that a person has to act: an error
must not hand it the line that answers, approves or appoints.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from volition.agents.mcp.answers import LIMIT, cut
from volition.core.errors import InvalidInput, NotPossible, Problem, VolitionError, did_you_mean, format_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic import ValidationError

BY_A_PERSON: Final = "in the studio or at a terminal"
"""Where people answer and approve, out of an agent's reach."""
_FOR_AGENTS: Final = (
    (re.compile(r"volition team show \S+?(?=[;:,]|$)"), "show_plan"),
    (re.compile(r"volition flow status"), "why with the id of the flow"),
    (re.compile(r"register (it|them) again"), r"propose \1 again"),
    (re.compile(r"^there are none$"), "there are none yet: list_plans and list_questions say what there is"),
)
_COMMAND: Final = re.compile(r"\bvolition [a-z]|\s--[a-z]")
_NEXT: Final = 400
"""How long a remedy may be."""


def describe(error: VolitionError) -> str:
    """An error as an agent reads it, short enough for every client."""
    problems = [f"{number}. {each}" for number, each in enumerate(map(for_agents, error.problems), 1)]
    text = (
        problems[0].removeprefix("1. ") if len(problems) == 1 else f"{len(problems)} problems\n" + "\n".join(problems)
    )
    if len(text) < LIMIT - 200:
        return text
    return (
        text[: LIMIT - 500]
        + f"\n… and more: {len(problems)} problems in all\n  remedy:   correct these, and call again"
    )


def for_agents(problem: Problem) -> Problem:
    """A problem whose remedy an agent can follow.

    >>> for_agents(Problem("it is void", "flow_1", "a judged one", "see volition flow status")).remedy
    'see why with the id of the flow'
    >>> for_agents(Problem("not yours", "flow_1", "ann", "ask ann: volition team settings --own-approval allow")).remedy
    'a person has to settle this in the studio or at a terminal; go on with other work until then'
    """
    remedy = problem.remedy
    for pattern, instead in _FOR_AGENTS:
        remedy = pattern.sub(instead, remedy)
    if _COMMAND.search(remedy):
        remedy = f"a person has to settle this {BY_A_PERSON}; go on with other work until then"
    if len(remedy.split()) < 3:
        remedy = f"{remedy}, and call again"
    expected = "what a person sets up" if _COMMAND.search(problem.expected) else problem.expected
    return Problem(problem.what, problem.where, expected, cut(remedy, _NEXT))


def unknown_tool(name: str, known: Iterable[str]) -> MCPError:
    """A protocol error: a client that calls a tool that is not listed is mistaken, not the work."""
    near = get_close_matches(name, known := sorted(known), n=1)
    what = f"there is no tool {cut(name, 80)!r}"
    step = f"did you mean {near[0]!r}?" if near else f"call one of {', '.join(known)}"
    return MCPError(INVALID_PARAMS, f"{what}: {step}")


def unknown_resource(uri: str) -> str:
    """What is said of an address that nothing is at."""
    return (
        f"there is no resource {cut(uri, 200)}: resources/list and resources/templates/list name those that there are"
    )


def unknown_arguments(tool: str, unknown: Sequence[str], known: Iterable[str]) -> InvalidInput:
    """Arguments that a tool would ignore: a misspelled one must not be lost."""
    known = list(known)
    return InvalidInput(
        *(
            Problem(f"there is no argument {cut(word, 80)!r}", tool, "the arguments of its schema", _spell(word, known))
            for word in unknown[:5]
        )
    )


def invalid_arguments(tool: str, error: ValidationError) -> InvalidInput:
    """Arguments that do not fit their schema, each with what is wrong with it."""
    problems = []
    for each in error.errors(include_url=False, include_context=False)[:5]:
        place = ".".join(str(part) for part in each["loc"]) or "arguments"
        what = f"{each['msg']}: {format_value(each['input'])}"
        problems.append(
            Problem(what, f"{tool}, {cut(place, 80)}", "what the schema says", "correct it, and call again")
        )
    return InvalidInput(*problems)


def no_answer(tool: str, what: str) -> NotPossible:
    """A form that came back without an answer, or not at all."""
    return NotPossible.of(
        what,
        where=tool,
        expected="an answer of the person at this client",
        remedy=f"nothing was decided: call {tool} again later, or wait for a person {BY_A_PERSON}",
    )


def own_mistake(tool: str) -> str:
    """What is said of a failure that nobody foresaw; the rest is in the server's log."""
    problem = Problem(
        f"{tool} failed because of a bug in the server",
        "the server, whose log on stderr has more",
        "an answer",
        "call it once more; if it fails again, write nothing and tell a person",
    )
    return str(problem)


def _spell(word: Any, known: Sequence[str]) -> str:
    return did_you_mean(word, known) if known else "leave it out, and call again"

"""Bindings: a table from planned commands to what is done for them. What is not bound is refused before anything runs.

A command becomes a canonical intent to an executor, a call of a function that the driver's own program registered under a
name, or a notice to the agent that holds the plan. There is nothing else to bind to: no shell command, and no text of a
plan, is ever carried out.
"""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from volition.core.document import parse_toml
from volition.core.errors import BrokenRecord, InvalidInput, Problem, Problems, did_you_mean
from volition.core.typed import convert
from volition.execution.transports.address import parse_address
from volition.execution.wire.intents import intent_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.merge.coordinator import ExecutionGraph

NOTIFY_ALL: Final = '[[bind]]\nname = "notify"\naction = "notify"\n'
"""Bindings that leave every command to the agent that holds its plan."""

_CALL: Final = '[[bind]]\nname = {0}\ncommand = {0}\naction = "call"\ncall = {0}\n\n'


def call_bindings(names: Iterable[str]) -> str:
    """Bindings that call, for each of these commands, the function of the same name.

    >>> parse_bindings(call_bindings(["build", "ship"])).by_name("ship").call
    'ship'
    """
    return "".join(_CALL.format(json.dumps(name)) for name in names)


Action = Literal["intent", "call", "notify"]
Failure = Literal["hold", "ignore", "compensate"]


class Binding(Struct, forbid_unknown_fields=True, frozen=True):
    """One entry of the file: which commands it fits, what is done for them (an intent to an executor, a call of a local
    function, or a notice), and what to do if it fails.

    `failure`: `hold` what depends on it for a person, `ignore` the failure, or `compensate` what its plan has done.
    """

    name: Annotated[str, Meta(min_length=1, max_length=80)]
    command: str = "*"
    plan: str = "*"
    effects: tuple[str, ...] | None = None
    action: Action = "intent"
    executor: str = ""
    intent: str = ""
    call: Annotated[str, Meta(max_length=80)] = ""
    parameters: dict[str, Any] = {}
    agent: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    resource: Annotated[str, Meta(max_length=200)] = ""
    deadline: Annotated[float, Meta(gt=0, le=3600)] = 5.0
    retries: Annotated[int, Meta(ge=0, le=10)] = 0
    failure: Failure = "hold"
    compensation: str = ""
    only_compensates: bool = False


class _File(Struct, forbid_unknown_fields=True, frozen=True):
    bind: Annotated[tuple[Binding, ...], Meta(min_length=1, max_length=500)]


class Bindings:
    """The table of one file. The first entry that fits a command is taken."""

    def __init__(self, entries: Sequence[Binding]) -> None:
        self._entries = tuple(entries)

    def by_name(self, name: str) -> Binding:
        """The binding of an entry; BrokenRecord if there is none of this name, for names were checked when stored."""
        for entry in self._entries:
            if entry.name == name:
                return entry
        problem = Problem(
            f"there is no entry {name!r}", "bindings", "the name of an entry", "find out who changed the database"
        )
        raise BrokenRecord(problem)

    def at(self, executor: str) -> list[Binding]:
        """All bindings to the executor at an address."""
        return [entry for entry in self._entries if entry.executor == executor]

    def find(self, command_id: str, plan_id: str, effects: Iterable[str]) -> Binding | None:
        """The binding for a command of a plan; None if there is none."""
        wanted = set(effects)
        for entry in self._entries:
            fits = fnmatchcase(command_id, entry.command) and fnmatchcase(plan_id, entry.plan)
            if fits and not entry.only_compensates and (entry.effects is None or wanted <= set(entry.effects)):
                return entry
        return None

    def bind(self, graph: ExecutionGraph) -> dict[str, Binding]:
        """The binding of every node; InvalidInput names every command that has none."""
        problems, bound = Problems(), {}
        names = sorted({entry.command for entry in self._entries})
        for node in graph.nodes:
            binding = self.find(node.command_id, node.intent_id, node.effects)
            if binding is None:
                problems.add(
                    f"the command {node.command_id} of {node.intent_id} is not bound",
                    where="bindings",
                    expected=f"an entry that fits it, with its effects {', '.join(node.effects)}",
                    remedy=f"add one; {did_you_mean(node.command_id, names)}",
                )
            else:
                bound[node.node_id] = binding
        problems.raise_if_any(InvalidInput)
        return bound


@lru_cache(maxsize=64)
def parse_bindings(text: str, *, where: str = "bindings") -> Bindings:
    """The bindings that a TOML text states; InvalidInput lists everything that is wrong with them.

    >>> parse_bindings(NOTIFY_ALL).by_name("notify").action
    'notify'
    """
    data = parse_toml(text, where=where)
    try:
        entries = convert(data, _File).bind
    except msgspec.ValidationError as error:
        problems = Problems()
        problems.add(
            str(error), where=where, expected="[[bind]] entries as docs/workflow.md describes", remedy="correct it"
        )
        raise InvalidInput(*problems) from None
    problems = Problems()
    names = [entry.name for entry in entries]
    for place, entry in enumerate(entries):
        _check(entry, f"{where}, $.bind[{place}]", names, problems)
    _check_circles(entries, where, problems)
    problems.raise_if_any(InvalidInput)
    return Bindings(entries)


def _check(entry: Binding, where: str, names: Sequence[str], problems: Problems) -> None:
    if names.count(entry.name) > 1:
        problems.add(f"{entry.name!r} is duplicated", where=where, expected="each name once", remedy="rename one")
    if entry.compensation and entry.compensation not in names:
        problems.add(
            f"there is no entry {entry.compensation!r}",
            where=f"{where}.compensation",
            expected="the name of another entry",
            remedy=did_you_mean(entry.compensation, names),
        )
    foreign = {"executor", "intent", "call", "parameters", "agent", "resource"}
    foreign = {name for name in foreign if getattr(entry, name)} - _ALLOWED[entry.action]
    if foreign:
        problems.add(
            f"{_NOUNS[entry.action]} has no {' or '.join(sorted(foreign))}",
            where=where,
            expected=f"of these keys {', '.join(sorted(_ALLOWED[entry.action])) or 'none'}",
            remedy="leave them out, or choose another action",
        )
    if entry.action == "call" and not entry.call:
        expected = "the name under which the driver's program registers a function"
        problems.add("it names no function", where=f"{where}.call", expected=expected, remedy='add call = "NAME"')
    elif entry.action == "intent":
        _check_intent(entry, where, problems)


_ALLOWED: Final = {
    "intent": {"executor", "intent", "parameters", "agent", "resource"},
    "call": {"call", "parameters"},
    "notify": set[str](),
}
_NOUNS: Final = {"intent": "an intent", "call": "a call", "notify": "a notice"}


def _check_intent(entry: Binding, where: str, problems: Problems) -> None:
    for problem in intent_problems(entry.intent, entry.parameters):
        problems.add(problem.what, where=f"{where}.{problem.where}", expected=problem.expected, remedy=problem.remedy)
    try:
        parse_address(entry.executor)
    except InvalidInput as error:
        (problem,) = error.problems
        problems.add(problem.what, where=f"{where}.executor", expected=problem.expected, remedy=problem.remedy)


def _check_circles(entries: Sequence[Binding], where: str, problems: Problems) -> None:
    """A compensation may have one itself, but following them must come to an end."""
    follows = {entry.name: entry.compensation for entry in entries}
    reported: set[str] = set()
    for name in follows:
        seen = [name]
        while (after := follows.get(seen[-1], "")) and after not in seen:
            seen.append(after)
        if after == name and name not in reported:
            reported |= set(seen)
            problems.add(
                f"the compensations go in a circle: {' -> '.join([*seen, name])}",
                where=where,
                expected="compensations that come to an end",
                remedy="remove one of these compensations",
            )

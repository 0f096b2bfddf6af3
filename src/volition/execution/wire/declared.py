"""Declared intents: an executor describes their names, their parameters and their results in its welcome.

Parameters are described in the part of JSON Schema that `parameter_schema` has.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct, field

from volition.core.errors import InvalidInput, Problem, Problems, did_you_mean, format_value, refuse
from volition.execution.wire.parameter_schema import (
    PARAMETER_SCHEMA,
    find_fractional_limits,
    find_fractions,
    find_misfits,
    find_unknown_required,
    holds_integers,
    object_schema,
    place_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jsonschema_rs import Draft202012Validator

    from volition.execution.wire.results import Result

RESERVED: Final = ("PRIMARY_ATTACK", "EVADE", "MOVE", "HOLD", "RELEASE", "STOP", "JUMP")
"""The seven names that mean the same everywhere; no executor declares them."""

NAME_PATTERN: Final = r"^[A-Z][A-Z0-9_]{0,63}\Z"
IntentName = Annotated[str, Meta(pattern=NAME_PATTERN)]
AgentName = Annotated[str, Meta(min_length=1, max_length=200)]
ResultKind: TypeAlias = Literal[
    "SUCCESS/NONE",
    "FAILURE/COOLDOWN", "FAILURE/BLOCKED", "FAILURE/INVALID_STATE", "FAILURE/RESOURCE_EXHAUSTED", "FAILURE/UNKNOWN",
    "PARTIAL/NONE", "PARTIAL/COOLDOWN", "PARTIAL/BLOCKED", "PARTIAL/INVALID_STATE", "PARTIAL/RESOURCE_EXHAUSTED",
    "PARTIAL/UNKNOWN",
]  # fmt: skip
"""A status and a reason that go together."""

ALWAYS: Final = frozenset({"PARTIAL/NONE", "FAILURE/UNKNOWN", "FAILURE/INVALID_STATE", "FAILURE/RESOURCE_EXHAUSTED"})
"""How any intent may end: cut short, lost, out of sync, or refused before it was attempted."""

_SCALARS: Final = (str, int, float, type(None))
_MAPPINGS: Final = (dict, Mapping)
"""Dictionaries come first: checking for a `Mapping` takes three times as long (a declared intent in benchmarks/bridge.py)."""


class Declaration(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An intent that an executor declares: `parameters` is the JSON Schema of an object, empty where it takes none.

    `results` are those that it can have besides the ones that any intent can have. `examples` are parameters with which it
    can succeed when an episode begins; the conformance kit tries them. `agents` are actors that can do it, by name, where
    there are several: the kit asks for one of them, and a mind need not guess; others may be able to do it too.

    >>> dig = Declaration(name="DIG", parameters=object_schema(depth={"type": "integer", "minimum": 1}))
    >>> Dig = dig.make_class()
    >>> Dig(depth=2)
    Dig(depth=2)
    >>> Dig(2).parameters
    {'depth': 2}
    """

    name: IntentName
    parameters: dict[str, Any] = field(default_factory=dict)
    results: tuple[ResultKind, ...] = ("SUCCESS/NONE",)
    description: str = ""
    examples: tuple[dict[str, Any], ...] = ()
    agents: tuple[AgentName, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of the parameters."""
        return self.parameters or object_schema()

    def make_class(self) -> type[Any]:
        """A class for this intent, with a field for each parameter; its objects are checked when they are made."""
        names = tuple(self.schema["properties"])
        check = DeclaredIntents([self])

        def make(made: Custom, *values: Any, **named: Any) -> None:
            if len(values) > len(names):
                raise TypeError(f"{self.name} takes {len(names)} parameters, not {len(values)}")
            parameters = dict(zip(names, values, strict=False))
            if twice := parameters.keys() & named.keys():
                raise TypeError(f"{self.name} got {min(twice)!r} twice")
            Custom.__init__(made, self.name, parameters | named)
            if problems := check.problems(self.name, made.parameters):
                raise InvalidInput(*problems)

        # A parameter called like a field of every intent is in `parameters` alone.
        members = {name: property(_Member(name)) for name in names if not hasattr(Custom, name)}
        title = "".join(part.capitalize() for part in self.name.split("_"))
        return type(title, (Custom,), {"__init__": make, "__doc__": self.description or None, **members})


class Custom:
    """A declared intent, by its name.

    >>> Custom("DIG", {"at": [1, 2, 3]})
    Custom('DIG', at=[1, 2, 3])
    """

    __slots__ = ("name", "parameters")

    name: str
    parameters: dict[str, Any]

    def __init__(self, name: str, parameters: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "parameters", _copy_data({} if parameters is None else parameters))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an intent is not changed: {name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Custom) and (self.name, self.parameters) == (other.name, other.parameters)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Custom, (self.name, self.parameters)

    def __repr__(self) -> str:
        typed = type(self) is not Custom
        head = [] if typed else [repr(self.name)]
        return f"{type(self).__name__}({', '.join([*head, *(f'{key}={value!r}' for key, value in self.parameters.items())])})"


class _Member:
    """Reads one parameter of an intent; None where it was left out."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, intent: Custom) -> Any:
        return intent.parameters.get(self._name)


class DeclaredIntents(Mapping[str, Declaration]):
    """The intents that an executor has declared, by name; InvalidInput, with every reason, if a declaration is wrong.

    >>> DeclaredIntents([Declaration(name="DIG")]).problems("DIG", {"at": 3})[0].what
    "Additional properties are not allowed ('at' was unexpected)"
    """

    def __init__(self, declarations: Iterable[Declaration] = ()) -> None:
        self._declarations: dict[str, Declaration] = {}
        self._validators: dict[str, Draft202012Validator] = {}
        self._with_integers: set[str] = set()
        self._endings: dict[str, frozenset[str]] = {}
        """Name -> how the intent may end."""
        problems = Problems()
        for declaration in declarations:
            self._add(declaration, problems)
        problems.raise_if_any(InvalidInput)

    def __getitem__(self, name: str) -> Declaration:
        return self._declarations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._declarations)

    def __len__(self) -> int:
        return len(self._declarations)

    def problems(self, name: str, parameters: object) -> tuple[Problem, ...]:
        """Every reason why these are not the parameters of the declared intent; empty if they are."""
        validator = self._validators.get(name)
        if validator is None:
            what = f"{format_value(name)} is not an intent that this executor declares"
            expected = f"one of {', '.join(self)}" if self else "one of the seven canonical intents"
            return (Problem(what, "intent", expected, did_you_mean(name, self)),)
        checked = {} if parameters is None else parameters
        try:
            if validator.is_valid(checked):
                if name not in self._with_integers:
                    return ()
                faults = [*find_fractions(checked, self[name].schema, "parameters")]
            else:
                errors = validator.iter_errors(checked)
                faults = [(error.message, place_in("parameters", error.instance_path)) for error in errors]
        except ValueError as error:  # something that JSON cannot express
            faults = [(str(error), "parameters")]
        expected, remedy = f"the parameters that {name} was declared with", "look at the executor's declaration"
        return tuple(Problem(what, where, expected, remedy) for what, where in faults)

    def allows(self, name: str, result: Result) -> bool:
        """Whether the intent can have this result; one that is not declared can have only those that any intent can have."""
        return f"{result.status}/{result.failure_reason}" in self._endings.get(name, ALWAYS)

    def check_result(self, name: str, result: Result) -> None:
        """InvalidInput, for the author of the game, if the declared intent cannot have this result."""
        if not self.allows(name, result):
            refuse(
                f"{name} was not declared to end as {result.status}/{result.failure_reason}",
                where="finish",
                expected=f"one of {', '.join(self[name].results)}, or what any intent may end as",
                remedy="declare this result, or report another",
            )

    def _add(self, declaration: Declaration, problems: Problems) -> None:
        from jsonschema_rs import Draft202012Validator  # noqa: PLC0415  only who declares intents pays for it

        name = declaration.name
        if re.match(NAME_PATTERN, name) is None or name in RESERVED or name in self:
            problems.add(
                f"an intent declared as {format_value(name)}",
                where=f"declares.{name}.name",
                expected="capital letters, digits and underscores, none of the seven names, each once",
                remedy="choose another name",
            )
            return
        if "SUCCESS/NONE" not in declaration.results:
            problems.add(
                f"{name} can never succeed",
                where=f"declares.{name}.results",
                expected="SUCCESS/NONE among the results",
                remedy="add it, or do not declare the intent",
            )
        wrong = [*Draft202012Validator(PARAMETER_SCHEMA).iter_errors(declaration.schema)]
        for error in wrong:
            problems.add(
                f"the parameters of {name}: {error.message}",
                where=place_in(f"declares.{name}.parameters", error.instance_path),
                expected="JSON Schema in the part that this protocol knows",
                remedy="use the keywords that the protocol lists for this type, and only those",
            )
        unknown = [] if wrong else [*find_unknown_required(declaration.schema, f"declares.{name}.parameters")]
        for where, key in unknown:
            problems.add(
                f"{name} requires {format_value(key)}, which it does not describe",
                where=where,
                expected="names among the properties",
                remedy="describe it, or do not require it",
            )
        fractional = [] if wrong else [*find_fractional_limits(declaration.schema, f"declares.{name}.parameters")]
        for where in fractional:
            problems.add(
                f"{name} has a limit that is written with a fraction",
                where=where,
                expected="an integer, written without a fraction",
                remedy="write 7 in place of 7.0",
            )
        misfits = [] if wrong or fractional else [*find_misfits(declaration.schema, f"declares.{name}.parameters")]
        for what, where in misfits:
            problems.add(
                f"a value that {name} names does not fit: {what}",
                where=where,
                expected="a default and examples that the schema allows",
                remedy="correct the value or the schema",
            )
        if not wrong and not unknown and not fractional and not misfits:
            self._declarations[name] = declaration
            self._validators[name] = Draft202012Validator(declaration.schema)
            self._endings[name] = ALWAYS.union(declaration.results)
            if holds_integers(declaration.schema):
                self._with_integers.add(name)
            for number, example in enumerate(declaration.examples):
                for problem in self.problems(name, example):
                    problems.add(
                        f"an example of {name} does not fit: {problem.what}",
                        where=f"declares.{name}.examples[{number}]",
                        expected="parameters as they are declared",
                        remedy="correct the example or the schema",
                    )


def _copy_data(value: Any) -> Any:
    """A copy of its own, with arrays as lists; what JSON cannot express stays, and is refused later."""
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, list | tuple):
        return [_copy_data(item) for item in value]
    if isinstance(value, _MAPPINGS):
        return {key: _copy_data(member) for key, member in value.items()}
    return copy.deepcopy(value)

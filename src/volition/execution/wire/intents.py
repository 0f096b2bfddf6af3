"""The seven intents that mean the same everywhere, those that an executor declares, and the check that nothing else crosses
the bridge.

An intent says what to do, never how: it contains no condition, key binding, engine function or cooldown. So any
unlisted parameter makes the intent invalid, however harmless it looks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import force_setattr

from volition.core.errors import InvalidInput, Problem, Problems, did_you_mean, format_value
from volition.execution.wire.declared import Custom, DeclaredIntents

Vector: TypeAlias = tuple[float, float, float]
_FLOATS: Final = [float, float, float]


class _Bare:
    """An intent without parameters."""

    __slots__ = ()

    @property
    def parameters(self) -> dict[str, Any]:
        return {}


class PrimaryAttack(_Bare, Struct, frozen=True):
    """Use the primary offensive action once."""

    name: ClassVar[str] = "PRIMARY_ATTACK"


class Evade(_Bare, Struct, frozen=True):
    """Make one defensive manoeuvre away from the threat."""

    name: ClassVar[str] = "EVADE"


class Move(Struct, frozen=True):
    """Move towards `vector`: three finite numbers, in the coordinate frame agreed in the handshake.

    >>> Move((1, 0, 0)).parameters
    {'vector': [1.0, 0.0, 0.0]}
    """

    name: ClassVar[str] = "MOVE"
    vector: Vector

    def __post_init__(self) -> None:
        vector = self.vector
        if type(vector) is tuple and [*map(type, vector)] == _FLOATS and all(map(math.isfinite, vector)):
            return  # nothing to convert
        problems = Problems()
        _check_vector(vector, "vector", problems)
        problems.raise_if_any(InvalidInput)
        x, y, z = (float(number) for number in vector)
        force_setattr(self, "vector", (x, y, z))

    @property
    def parameters(self) -> dict[str, Any]:
        return {"vector": list(self.vector)}


class Hold(_Bare, Struct, frozen=True):
    """Sustain an action, such as blocking or charging, until RELEASE or STOP."""

    name: ClassVar[str] = "HOLD"


class Release(_Bare, Struct, frozen=True):
    """End what HOLD began."""

    name: ClassVar[str] = "RELEASE"


class Stop(_Bare, Struct, frozen=True):
    """Cease all movement and action; it overtakes everything that waits."""

    name: ClassVar[str] = "STOP"


class Jump(_Bare, Struct, frozen=True):
    """Make one jump."""

    name: ClassVar[str] = "JUMP"


CanonicalIntent: TypeAlias = PrimaryAttack | Evade | Move | Hold | Release | Stop | Jump

CANONICAL: dict[str, type[CanonicalIntent]] = {
    kind.name: kind for kind in (PrimaryAttack, Evade, Move, Hold, Release, Stop, Jump)
}
"""Name on the wire -> type; there are exactly seven."""

AnyIntent: TypeAlias = CanonicalIntent | Custom
"""What may be asked of an executor: one of the seven, or one that it has declared."""

NONE_DECLARED: Final = DeclaredIntents()

_BARE: dict[str, CanonicalIntent] = {
    intent.name: intent for intent in (PrimaryAttack(), Evade(), Hold(), Release(), Stop(), Jump())
}


def intent_problems(
    name: object, parameters: object = None, declared: DeclaredIntents = NONE_DECLARED
) -> tuple[Problem, ...]:
    """Every reason why `name` with `parameters` is neither a canonical intent nor a declared one; empty if it is one.

    >>> [problem.what for problem in intent_problems("MOVE", {"vector": [0, "1"], "if": "health > 10"})]
    ["MOVE has no parameter 'if'", 'the vector has 2 parts', "'1' is not a number"]
    """
    if isinstance(name, str) and name in declared:
        return declared.problems(name, parameters)
    problems = Problems()
    kind = CANONICAL.get(name) if isinstance(name, str) else None
    if kind is None:
        problems.add(
            f"{format_value(name)} is {'neither a canonical nor a declared' if declared else 'not a canonical'} intent",
            where="intent",
            expected="one of the seven canonical intents" + (f", or of {', '.join(declared)}" if declared else ""),
            remedy=did_you_mean(name, [*CANONICAL, *declared]),
        )
        return tuple(problems)
    if parameters is None:
        parameters = {}
    if not isinstance(parameters, Mapping):
        problems.add(
            f"the parameters are {format_value(parameters)}",
            where="parameters",
            expected="an object, or nothing",
            remedy="give names and values",
        )
        return tuple(problems)
    known = {"vector"} if kind is Move else set()
    for key in parameters:
        if key not in known:
            problems.add(
                f"{name} has no parameter {format_value(key)}",
                where=f"parameters.{key}",
                expected="only 'vector'" if known else "no parameters",
                remedy="leave it out: an intent holds no condition, mechanic or cooldown",
            )
    if kind is Move:
        if "vector" in parameters:
            _check_vector(parameters["vector"], "parameters.vector", problems)
        else:
            problems.add(
                "MOVE has no vector",
                where="parameters",
                expected="vector: three finite numbers",
                remedy="say where to: {'vector': [x, y, z]}",
            )
    return tuple(problems)


def parse_intent(name: object, parameters: object = None, declared: DeclaredIntents = NONE_DECLARED) -> AnyIntent:
    """The canonical or declared intent with that name, or InvalidInput with every reason why there is none.

    >>> parse_intent("MOVE", {"vector": [1, 0, -2.5]})
    Move(vector=(1.0, 0.0, -2.5))
    >>> parse_intent("DANCE")
    Traceback (most recent call last):
    ...
    volition.core.errors.InvalidInput: 'DANCE' is not a canonical intent
      where:    intent
      expected: one of the seven canonical intents
      remedy:   use one of: 'PRIMARY_ATTACK', 'EVADE', 'MOVE', 'HOLD', 'RELEASE', 'STOP', 'JUMP'
    """
    problems = intent_problems(name, parameters, declared)
    if problems:
        raise InvalidInput(*problems)
    if name in declared:
        return Custom(str(name), parameters)  # type: ignore[arg-type]
    if isinstance(parameters, Mapping) and "vector" in parameters:
        return Move(tuple(parameters["vector"]))
    return _BARE[str(name)]


def _check_vector(vector: object, where: str, problems: Problems) -> None:
    if not isinstance(vector, Sequence) or isinstance(vector, str | bytes | bytearray):
        problems.add(
            f"the vector is {format_value(vector)}",
            where=where,
            expected="three finite numbers",
            remedy="write it as [x, y, z]",
        )
        return
    if len(vector) != 3:
        problems.add(
            f"the vector has {len(vector)} parts",
            where=where,
            expected="exactly three numbers",
            remedy="write it as [x, y, z]; use 0 for an axis that is not meant",
        )
    for position, number in enumerate(vector[:3]):
        what = _number_fault(number)
        if what:
            problems.add(
                what,
                where=f"{where}[{position}]",
                expected="a finite number",
                remedy="give a number that a map can hold",
            )


def _number_fault(number: object) -> str:
    if isinstance(number, bool) or not isinstance(number, int | float):
        return f"{format_value(number)} is not a number"
    try:
        return "" if math.isfinite(float(number)) else f"{number} is not finite"
    except OverflowError:
        return f"{format_value(number)} is too large"

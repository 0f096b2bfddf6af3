"""What an executor offers can be done: the seven intents, judged over the whole run, and the intents that it declares.

An intent that never succeeded in the run is tried once more under conditions that favour it. Declared intents are described
as the protocol asks, attempted like the seven, and refused where parameters do not fit; the kit takes parameters from the
declaration: its examples, then values that its schema names, and where it names none, values that it allows.
"""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.errors import InvalidInput
from volition.core.typed import convert
from volition.execution.conformance.connection import STEP
from volition.execution.conformance.law import Group, expect, expect_failure, payload, status, words
from volition.execution.conformance.laws.conduct import lines_of
from volition.execution.conformance.laws.fights import hunt
from volition.execution.conformance.verdict import Breaks, NotApplicable, Unoffered
from volition.execution.wire.declared import ALWAYS, Declaration, DeclaredIntents
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.parameter_schema import named_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from volition.execution.conformance.bed import TestBed
    from volition.execution.conformance.connection import KitConnection
    from volition.execution.conformance.verdict import Frame, LoggedLine
    from volition.execution.wire.probe import Vector


OFFERED: Final = Group("conduct")

_TRIES: Final = 6
_LENGTHS: Final = (1.0, 0.5)
_AXES: Final = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
_TTL_MS: Final = 8000
_GRACE: Final = 0.5
_COOLING: Final = 1.0
"""How long, in seconds, the kit lets something cool down that it cannot see."""


@OFFERED.law("Handshake")
def each_succeeds(bed: TestBed) -> None:
    """Every intent that the welcome offers succeeds at least once in the run, under conditions that favour it."""
    never = [name for name in CANONICAL if bed.supports(name) and not _has_success(bed, name)]
    failed = [name for name in never if not _succeeds_now(bed, name)]
    if failed:
        ends = {name: _ends(bed, name) for name in failed}
        what = "; ".join(f"{name} never succeeds: {said}" for name, said in ends.items())
        last = tuple(logged for name in failed for logged in _results(bed, name)[-2:])
        raise Breaks(what, expected="SUCCESS of each intent that the welcome offers", frames=last)


def _has_success(bed: TestBed, name: str) -> bool:
    return any(status(logged.data or {}) == "SUCCESS" for logged in _results(bed, name))


def _succeeds_now(bed: TestBed, name: str) -> bool:
    """Try an intent where nothing known prevents it, several times: whether it succeeds. A swing is tried at a target in
    reach, where the kit sees one: a target that moves in real time may else be elsewhere at every try."""
    for attempt in range(_TRIES):
        connection = bed.session()
        connection.do("STOP")
        if name == "RELEASE":
            _hold(bed, connection)
        elif name in {"HOLD", "MOVE"}:
            _wait(bed, connection, None)
        elif name != "STOP":
            _wait(bed, connection, name)
        if name == "PRIMARY_ATTACK" and bed.probe is not None:
            with suppress(NotApplicable, Breaks):
                hunt(bed, bed.probe)
        for parameters in _ways(bed, connection) if name == "MOVE" else [STEP.get(name)]:
            if status(connection.do(name, parameters, ttl_ms=_TTL_MS, within=_TTL_MS / 1000 + _GRACE)) == "SUCCESS":
                return True
        _go_elsewhere(bed, connection, attempt)
    return False


def _hold(bed: TestBed, connection: KitConnection) -> None:
    """Begin a HOLD, so that there is something to release."""
    _wait(bed, connection, None)
    if bed.supports("HOLD"):
        connection.do("HOLD")


def _wait(bed: TestBed, connection: KitConnection, name: str | None) -> None:
    """Wait until the actor is free for an intent, as far as the kit can see; where it never seems to be, try all the same."""
    if bed.probe is None and name is not None:
        connection.gather(_COOLING)
    with suppress(NotApplicable):
        bed.rest(connection, name)


def _ways(bed: TestBed, connection: KitConnection) -> list[Frame]:
    """Parameters for a MOVE over free ground: those that the probe knows, or a step in each direction."""
    known: list[Vector] = []
    if bed.probe is not None and bed.welcome.get("move_frame") == "relative":
        with suppress(NotApplicable):
            known = [way for way in bed.consult(bed.probe.ways, bed.state(connection)) if max(map(abs, way)) <= 2][:3]
    steps = known or [(x * length, y * length, z * length) for length in _LENGTHS for x, y, z in _AXES]
    return [{"vector": list(vector)} for vector in steps]


def _go_elsewhere(bed: TestBed, connection: KitConnection, attempt: int) -> None:
    """Move before the next try: the place may be why something fails. A target may be what a swing needs."""
    if bed.probe is None or not bed.supports("MOVE"):
        return
    with suppress(NotApplicable, Breaks):
        state = bed.state(connection)
        step = bed.consult(partial(bed.probe.step_to_target), state) if attempt % 2 else None
        if step is None or not any(step):
            bed.step_aside(connection, state)
        else:
            connection.do("MOVE", {"vector": [max(-2.0, min(2.0, part)) for part in step]})


def _ends(bed: TestBed, name: str) -> str:
    """How often an intent was answered in the run, and how."""
    counts: dict[str, int] = {}
    for logged in _results(bed, name):
        word = words(logged.data or {}).partition(": ")[2]
        counts[word] = counts.get(word, 0) + 1
    return ", ".join(f"{count} times {word}" for word, count in counts.items()) or "it has no result"


def _results(bed: TestBed, name: str) -> list[LoggedLine]:
    """The results of one intent in the whole run."""
    return [
        logged
        for logged in lines_of(bed, "result")
        if logged.by == "executor" and logged.data and logged.data.get("intent") == name
    ]


DECLARED: Final = Group("declared")

_GUESSES: Final = 6
"""How many generated parameters are tried for an intent."""
_MOST_AGENTS: Final = 3
"""For how many of the agents that a declaration names an intent is tried."""
_LONG: Final = 20_000
"""Milliseconds for an intent that may stay open."""


@DECLARED.law("Declared intents")
def readable(bed: TestBed) -> None:
    """Every declaration has a unique name, parameters in the part of JSON Schema that the protocol uses, and can succeed."""
    find_declared(bed)


@DECLARED.law("Declared intents")
def attempted(bed: TestBed) -> None:
    """Every declared intent can succeed: for an agent that it names, with one of its examples or what its schema allows."""
    for name, declaration in find_declared(bed).items():
        answers: list[str] = []
        for agent, parameters in product(_agents(declaration), sample_parameters(declaration)):
            # In a new episode, where there can be one: earlier tries may have used the world up.
            connection = bed.open_session(features=[*bed.hello()["features"], "reset"])
            _begin_again(bed, connection)
            answer = connection.do(name, parameters, ttl_ms=2000, **agent)
            expect(answer.get("intent") == name, f"a result for {answer.get('intent')!r}", f"a result for {name}")
            if status(answer) == "SUCCESS":
                break
            answers.append(words(answer))
        else:
            raise Breaks("; ".join(answers), expected=f"SUCCESS of {name} with some parameters (declare `examples`)")


@DECLARED.law("Declared intents")
def parameters(bed: TestBed) -> None:
    """Parameters that do not fit the declaration are not attempted: UNKNOWN, detail NOT_CANONICAL."""
    connection = bed.session()
    for name, declaration in find_declared(bed).items():
        for wrong in unfitting_parameters(declaration):
            expect_failure(connection.do(name, wrong), "UNKNOWN", "NOT_CANONICAL")


@OFFERED.law("Declared intents")
def declared_results(bed: TestBed) -> None:
    """A declared intent ends as it was declared to, or as any intent may: in the whole run."""
    declared = find_declared(bed)
    for logged in bed.log.of("result"):
        data = logged.data
        if logged.by != "executor" or data is None or data.get("intent") not in declared:
            continue
        kind = f"{payload(data).get('status')}/{payload(data).get('failure_reason')}"
        if kind not in ALWAYS and kind not in declared[data["intent"]].results:
            allowed = ", ".join([*declared[data["intent"]].results, *sorted(ALWAYS)])
            raise Breaks(words(data), expected=f"one of {allowed}", frames=(logged,))


@DECLARED.law("Declared intents")
def stopped(bed: TestBed) -> None:
    """A declared intent that is under way when STOP arrives becomes PARTIAL, and has its result before STOP's."""
    for name, declaration in find_declared(bed).items():
        for agent, parameters in [*product(_agents(declaration), sample_parameters(declaration))][:2]:
            connection = bed.session()
            _begin_again(bed, connection)
            id = connection.ask(name, parameters, ttl_ms=_LONG, **agent)
            bed.let_pass(connection, 2)
            if id in connection.results:
                continue
            stop = connection.intent("STOP")
            connection.say(stop)
            connection.result(stop["id"])
            expect(id in connection.results, f"no result of {name} before that of STOP", "its result first")
            answer = connection.results[id][0]
            expect(
                status(answer) in {"PARTIAL", "FAILURE"},
                words(answer),
                "PARTIAL, or FAILURE (STOPPED) if it was queued",
            )
            return
    raise NotApplicable("no declared intent stays open")


def find_declared(bed: TestBed) -> DeclaredIntents:
    """What the welcome declares; NotApplicable without any, Breaks where a declaration is wrong."""
    declarations = bed.welcome.get("declares")
    if not declarations:
        raise Unoffered("the executor declares no intents")
    try:
        return DeclaredIntents(convert(declarations, list[Declaration]))
    except (msgspec.ValidationError, InvalidInput) as error:
        what = error.problems[0].what if isinstance(error, InvalidInput) else str(error)
        raise Breaks(what, expected="declarations as in the protocol") from error


def _agents(declaration: Declaration) -> list[Frame]:
    """Whom to ask: the first agents that a declaration names, or nobody by name, as members of an intent's frame."""
    return [{"agent": agent} for agent in declaration.agents[:_MOST_AGENTS]] or [{}]


def sample_parameters(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """The examples of a declaration, then some parameters that its schema allows, each once. Where the schema names values,
    by examples, a default or an enumeration, these are taken and no others.

    >>> depth = {"type": "integer", "minimum": 1, "maximum": 3}
    >>> schema = {"type": "object", "properties": {"depth": depth}, "additionalProperties": False}
    >>> [*sample_parameters(Declaration(name="DIG", parameters=schema))]
    [{'depth': 1}, {'depth': 2}, {'depth': 3}]
    >>> schema["properties"]["depth"] |= {"default": 3}
    >>> [*sample_parameters(Declaration(name="DIG", parameters=schema))]
    [{'depth': 3}]
    """
    seen: list[Any] = []
    for parameters in (*declaration.examples, *(_sample(declaration.schema, number) for number in range(_GUESSES))):
        if parameters not in seen:
            seen.append(parameters)
            yield parameters


def unfitting_parameters(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """Parameters that break the declaration in one place each."""
    good = _sample(declaration.schema, 0)
    yield good | {"unlisted": 1}
    for name in declaration.schema.get("required", ()):
        yield {key: value for key, value in good.items() if key != name}
    for name, schema in declaration.schema["properties"].items():
        for wrong in _misfits(schema):
            yield good | {name: wrong}


def _sample(schema: Mapping[str, Any], number: int) -> Any:
    """The value with this number of a schema; later numbers may repeat earlier values. What the schema names comes before
    what it merely allows: its author knows it."""
    if named := named_values(schema):
        return named[number % len(named)]
    kind = schema["type"]
    if kind == "object":
        return {name: _sample(member, number) for name, member in schema["properties"].items()}
    if kind == "array":
        length = max(schema.get("minItems", 0), min(3, schema.get("maxItems", 3)))
        return [_sample(schema["items"], number) for _ in range(length)]
    choices: list[Any]
    if kind == "boolean":
        choices = [True, False]
    elif kind == "string":
        least = schema.get("minLength", 0)
        choices = ["x" * max(least, min(3, schema.get("maxLength", 3)))]
    else:
        low, high = schema.get("minimum"), schema.get("maximum")
        near = [value for value in (0, 1, -1, 2) if (low is None or low <= value) and (high is None or value <= high)]
        choices = [*near, *(value for value in (low, high) if value is not None and value not in near)]
    return choices[number % len(choices)]


def _misfits(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Values that do not fit a schema."""
    kind = schema["type"]
    yield None
    yield 7 if kind in {"string", "boolean", "object", "array"} else "7"
    if kind == "integer":
        yield float(_sample(schema, 0))
    if kind in {"integer", "number"}:
        yield True
        yield from (schema[limit] + by for limit, by in (("minimum", -1), ("maximum", 1)) if limit in schema)
    if kind == "string":
        if "enum" in schema:
            yield "".join(schema["enum"]) + "?"
        if "maxLength" in schema:
            yield "x" * (schema["maxLength"] + 1)
        if schema.get("minLength"):
            yield "x" * (schema["minLength"] - 1)
    if kind == "array":
        if "maxItems" in schema:
            yield [_sample(schema["items"], 0)] * (schema["maxItems"] + 1)
        if schema.get("minItems"):
            yield [_sample(schema["items"], 0)] * (schema["minItems"] - 1)
        if good := _sample(schema, 0):
            yield [next(_misfits(schema["items"])), *good[1:]]
    if kind == "object":
        yield deepcopy(_sample(schema, 0)) | {"unlisted": 1}


def _begin_again(bed: TestBed, connection: KitConnection) -> None:
    """A new episode, where the connection has that feature."""
    if "reset" in connection.features:
        id = connection.next_id()
        connection.say({"type": "reset", "id": id, "seed": bed.seed})
        connection.await_frame("state", id=id)

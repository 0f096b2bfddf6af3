"""Intents of an executor's own: what may be declared, which parameters fit, and what a result may be."""

from __future__ import annotations

import copy
import json
import pickle
from typing import TYPE_CHECKING, Any, get_args

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.execution.quarry import DIG, LISTEN
from tests.execution.wire.samples import WELCOME, answer, lines, of, payload, serving, state
from volition.core.errors import InvalidInput
from volition.execution import Custom, Declaration, make_result
from volition.execution.conformance.protocol import VECTORS
from volition.execution.conformance.protocol.schemas import frame_schema
from volition.execution.wire import frames as f
from volition.execution.wire.codec import encode
from volition.execution.wire.declared import RESERVED, DeclaredIntents, ResultKind
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.parameter_schema import object_schema
from volition.execution.wire.request import Outcome, Request
from volition.execution.wire.session.events import Breach, Closed
from volition.execution.wire.session.handshake import VersionMismatch
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from tests.sentences import Told

pytestmark = pytest.mark.req("EX-24")

DECLARED = DeclaredIntents([DIG, LISTEN])
DECLARING = replace(WELCOME, declares=(DIG, LISTEN))
VECTORED = json.loads((VECTORS / "declared.json").read_text("ascii"))
SAYS = jsonschema_rs.Draft202012Validator(frame_schema())

leaves = st.one_of(
    st.just({"type": "boolean"}),
    st.builds(lambda low, more: {"type": "integer", "minimum": low, "maximum": low + more}, st.integers(-3, 3), st.integers(0, 4)),
    st.builds(lambda low: {"type": "number", "minimum": low}, st.integers(-3, 3)),
    st.builds(lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more}, st.integers(0, 2), st.integers(0, 2)),
    st.just({"type": "string", "enum": ["pick", "spade"]}),
)  # fmt: skip
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda items, most: {"type": "array", "items": items, "maxItems": most}, inner, st.integers(0, 3)),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(lambda members: object_schema(**members)),
    ),
    max_leaves=6,
)
objects = st.dictionaries(st.sampled_from("abc"), schemas, max_size=3).flatmap(
    lambda members: st.sets(st.sampled_from("abc")).map(lambda optional: object_schema(*optional, **members))
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 9)
    | st.floats(-5, 9)
    | st.sampled_from(["", "pick", "x", "ż🎭", "long"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=8,
)


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """The slow and obvious meaning of the part of JSON Schema that the protocol uses."""
    kind = schema["type"]
    if kind == "boolean":
        return isinstance(value, bool)
    if kind in {"integer", "number"}:
        right = type(value) is int or (kind == "number" and type(value) is float)
        return right and schema.get("minimum", -99) <= value <= schema.get("maximum", 99)
    if kind == "string":
        right = isinstance(value, str) and schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 99)
        return right and value in schema.get("enum", [value])
    if kind == "array":
        if not isinstance(value, list) or not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 99):
            return False
        return all(fits(item, schema["items"]) for item in value)
    if not isinstance(value, dict) or not set(schema.get("required", ())) <= set(value) <= set(schema["properties"]):
        return False
    return all(fits(member, schema["properties"][name]) for name, member in value.items())


@given(objects, st.dictionaries(st.sampled_from("abc"), values, max_size=3))
def test_parameters_fit_as_a_slow_reader_says(schema: dict[str, Any], parameters: dict[str, Any]) -> None:
    """Whatever is declared and whatever is given, parameters are taken exactly where the plain meaning takes them."""
    declared = DeclaredIntents([Declaration(name="ACT", parameters=schema)])
    assert (not declared.problems("ACT", parameters)) == fits(parameters, schema)
    assert SAYS.is_valid(json.loads(encode(replace(WELCOME, declares=(declared["ACT"],)))))


def test_all_that_is_wrong_is_said_at_once() -> None:
    """Each wrong parameter has a problem that names its place."""
    found = DECLARED.problems("DIG", {"at": [1, "2", 7.0], "tool": "spoon", "if": "dark"})
    assert {problem.where for problem in found} == {"parameters", "parameters.at[1]", "parameters.tool"}
    (fraction,) = DECLARED.problems("DIG", {"at": [1, 2, 7.0]})
    assert (fraction.where, fraction.what) == ("parameters.at[2]", "the integer 7.0 is written with a fraction")


def declares(name: str, parameters: dict[str, Any]) -> Declaration:
    return Declaration(name=name, parameters=parameters)


@pytest.mark.parametrize("one", VECTORED["schemas"], ids=lambda one: one["name"])
def test_a_schema_of_the_vectors_takes_what_fits(one: dict[str, Any]) -> None:
    """Both languages take the same schemas, and the same parameters for them."""
    declared = DeclaredIntents([declares("ACT", one["schema"])])
    assert [given for given in one["fits"] if declared.problems("ACT", given)] == []
    assert [given for given in one["misfits"] if not declared.problems("ACT", given)] == []


def test_results_of_the_vectors() -> None:
    """What can be declared as a result is what goes together, and nothing else."""
    assert [kind for kind in VECTORED["results"]["right"] if kind not in get_args(ResultKind)] == []
    assert [kind for kind in VECTORED["results"]["wrong"] if kind in get_args(ResultKind)] == []


@pytest.mark.parametrize(
    "wrong",
    [
        *(Declaration(name=name) for name in VECTORED["names"]["wrong"]),
        Declaration(name="DIG", results=()),
        Declaration(name="DIG", results=("FAILURE/BLOCKED",)),
        *(declares("DIG", wrong["schema"]) for wrong in VECTORED["wrong schemas"]),
    ],
    ids=lambda wrong: wrong.name,
)  # fmt: skip
def test_a_wrong_declaration_is_refused_on_both_sides(wrong: Declaration) -> None:
    """An executor cannot be made with it, a bridge does not go on with it, and nothing crashes."""
    with pytest.raises(InvalidInput):
        DeclaredIntents([wrong])
    session = Session(now=0)
    line = encode(replace(WELCOME, declares=(wrong,)))
    told = session.receive(line, 0)
    if closed := of(Closed, told):
        assert isinstance(closed[0].error, VersionMismatch)
    else:  # not even a frame
        assert of(Breach, told)[0].kind == "bad_frame"


def test_a_name_is_declared_once() -> None:
    """Two declarations of one name, and names of the seven, are refused."""
    with pytest.raises(InvalidInput, match="each once"):
        DeclaredIntents([DIG, DIG])
    right = VECTORED["names"]["right"]
    assert list(DeclaredIntents(Declaration(name=name) for name in right)) == right
    assert set(RESERVED) == set(CANONICAL)


def test_a_typed_class_is_made_from_a_declaration() -> None:
    """Its parameters are fields in their order, checked when the object is made, and it equals the plain form."""
    Dig = DIG.make_class()  # noqa: N806  a class
    made = Dig([1, 2, 3], tool="pick")
    assert (made.at, made.tool, Dig((1, 2, 3)).tool) == ([1, 2, 3], "pick", None)
    assert made == Custom("DIG", {"at": (1, 2, 3), "tool": "pick"})
    assert (Dig.__name__, Dig.__doc__) == ("Dig", "Dig out one block.")
    assert Declaration(name="USE_ITEM_2").make_class().__name__ == "UseItem2"
    with pytest.raises(InvalidInput, match="required"):
        Dig(tool="pick")
    with pytest.raises(TypeError, match="twice"):
        Dig([1, 2, 3], at=[1, 2, 3])
    with pytest.raises(TypeError, match="2 parameters"):
        Dig(1, 2, 3)
    with pytest.raises(AttributeError):
        made.name = "DUG"


def test_a_parameter_may_be_called_like_a_field() -> None:
    """An intent keeps its name and its parameters, whatever these are called; it can be copied and pickled."""
    words = {"type": "string"}
    call = Declaration(name="CALL", parameters=object_schema(name=words, parameters=words)).make_class()
    made = call(name="ann", parameters="loud")
    assert (made.name, made.parameters) == ("CALL", {"name": "ann", "parameters": "loud"})
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made


def test_parameters_belong_to_the_intent() -> None:
    """What the caller changes afterwards changes no intent."""
    place = [1, 2, 3]
    intent = Custom("DIG", {"at": place})
    place.append(4)
    assert intent.parameters == {"at": [1, 2, 3]}


# Sessions.


def opened() -> Session:
    session = Session(now=0)
    session.receive(encode(DECLARING) + encode(state(0, id=1)) + answer(2), 0)
    session.take()
    return session


@pytest.mark.parametrize(
    "intent",
    [Custom("DANCE"), Custom("LISTEN", {"to": "me"}), Custom("DIG"), Custom("DIG", {"at": [1, 2, object()]}), Custom("MOVE")],
    ids=lambda intent: intent.name,
)  # fmt: skip
def test_what_was_not_declared_is_not_sent(intent: Custom) -> None:
    """A session refuses an unknown name, and parameters that do not fit, before anything is written."""
    session = opened()
    with pytest.raises(InvalidInput):
        session.send(intent, now=0, ttl=1)
    assert session.take() == b""


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("DIG", {}),
        ("DIG", {"at": [1, 2]}),
        ("DIG", {"at": [1, 2, 7.0]}),
        ("LISTEN", {"x": 1}),
        ("DUG", {}),
        ("dig", {}),
    ],
)
def test_what_does_not_fit_is_not_attempted(name: str, parameters: dict[str, Any]) -> None:
    """An executor answers it with FAILURE/UNKNOWN, detail NOT_CANONICAL, under the name that came."""
    executor = serving(welcome=DECLARING)
    executor.receive(encode(f.IntentFrame(id=1, intent=name, ttl_ms=9, parameters=parameters)), 0)
    (result,) = of(f.ResultFrame, lines(executor.take()))
    assert (result.intent, result.result["failure_reason"], result.detail) == (name, "UNKNOWN", "NOT_CANONICAL")
    assert executor.take_attempt(0) is None


def test_a_declared_intent_is_attempted_with_its_parameters(told: Told) -> None:
    """The game gets the intent as it was asked for, and its result goes back under its name."""
    executor = serving(welcome=DECLARING)
    executor.receive(encode(f.IntentFrame(id=1, intent="DIG", ttl_ms=9, parameters={"at": [1, 2, 3]})), 0)
    attempt = executor.take_attempt(0)
    assert attempt is not None
    assert attempt.intent == Custom("DIG", {"at": [1, 2, 3]})
    with told.raises(InvalidInput):
        executor.finish(1, make_result("FAILURE", "COOLDOWN"))
    executor.finish(1, make_result("FAILURE", "BLOCKED"))
    assert of(f.ResultFrame, lines(executor.take()))[0].intent == "DIG"


@pytest.mark.parametrize("strict", [True, False])
def test_an_undeclared_result_is_a_breach(strict: bool) -> None:
    """Strictly it counts as FAILURE/UNKNOWN, leniently it is kept; either way it is noted, and STOP follows."""
    session = opened()
    session.strict = strict
    id = session.send(Custom("DIG", {"at": [1, 2, 3]}), now=0, ttl=1)
    session.take()
    lie = payload(status="PARTIAL", partial_execution=True, failure_reason="BLOCKED")
    lie["safety_flags"] |= {"is_blocked": True}
    told = session.receive(answer(id, "DIG", lie), 0)
    assert of(Breach, told)[0].kind == "bad_result"
    (finished,) = of(Outcome, told)
    assert finished.label == ("malformed" if strict else "partial")
    assert b"STOP" in session.take()


@pytest.mark.parametrize(
    "result", [("FAILURE", "BLOCKED"), ("PARTIAL", "NONE"), ("FAILURE", "INVALID_STATE"), ("SUCCESS", "NONE")]
)
def test_a_declared_result_is_read(result: Any) -> None:
    """Results that were declared, and those that any intent may have, are what they say."""
    session = opened()
    id = session.send(Custom("DIG", {"at": [1, 2, 3]}), now=0, ttl=1)
    (finished,) = of(Outcome, session.receive(answer(id, "DIG", make_result(*result).to_data()), 0))
    assert (finished.result.status, finished.result.failure_reason) == result


def test_an_executor_that_declares_none_is_what_it_was(told: Told) -> None:
    """Its welcome has no new field, and unknown names are refused with the words that they always had."""
    assert b"declares" not in encode(WELCOME)
    assert b"deterministic" not in encode(WELCOME)
    with told.raises(InvalidInput):
        Session(now=0).send(Custom("DIG"), now=0, ttl=1)


def test_what_was_asked_is_recorded_without_being_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name and the parameters of an intent are recorded as they are; printing it would cost more than copying it."""
    monkeypatch.setattr(Custom, "__repr__", pytest.fail)
    intent = Custom("DIG", {"at": (1, 2)})
    asked = Request.of(intent)
    intent.parameters["at"][0] = 3
    assert (asked.intent, asked.parameters, asked.parameters_repr) == ("DIG", {"at": [1, 2]}, None)

"""The OpenAPI document: what the types say, described by the docstrings of classes and fields, with examples.

A field is described by the string after it, which no object keeps. So the sources are read, once, when somebody asks for the
document; where they are not installed, it has no descriptions of fields.
"""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Final, get_args, get_type_hints

from litestar.openapi.spec import Components, SecurityScheme

from volition.studio.tokens import COOKIE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from litestar import Litestar

SECURITY: Final[list[dict[str, list[str]]]] = [{}, {"token": []}, {"cookie": []}]
"""Nothing is needed on loopback; with a token, every request carries it in one of two ways."""
COMPONENTS: Final = Components(
    security_schemes={
        "token": SecurityScheme(
            type="http",
            scheme="bearer",
            description="The token that the studio was started with, on any address other than loopback.",
        ),
        "cookie": SecurityScheme(
            type="apiKey",
            name=COOKIE,
            security_scheme_in="cookie",
            description="The same token, as the printed address gives it to a browser.",
        ),
    }
)
_CASE: Final = {
    "candidates": ["stay", "go"],
    "intentions": [
        {"id": "safety", "kind": "constraint", "intent": {"violates": {"go": "it is dark"}}},
        {"id": "comfort", "kind": "heuristic", "intent": {"scores": {"stay": 0.4, "go": 0.9}}, "weight": 2.0},
    ],
}
EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "decide": {
        "a case": {"document": _CASE},
        "with other weights": {"document": _CASE, "weights": {"comfort": 0.5}, "without": ["safety"]},
        "as TOML": {"text": 'candidates = ["stay", "go"]\nintentions = []\n', "format": "toml"},
    },
    "play_evening": {"an evening": {"scenario": "dinner-party", "seed": 8}},
    "begin_game": {"as Victor": {"scenario": "dinner-party", "guest": "victor", "seed": 8}},
    "answer_game": {"a choice": {"tick": 0, "choice": "observe"}, "what comes naturally": {"tick": 0, "choice": None}},
    "rest_game": {"from here on": {"tick": 12}},
    "stop_game": {"here": {"tick": 12}},
    "start_ensemble": {"two settings": {"seeds": 20, "grid": {"rules.noise.sigma": ["0.05", "0.1"]}}},
    "fork_run": {
        "an act that is forbidden": {"at": 25, "agent": "victor", "veto": "physical:leave"},
        "other weights": {"at": 25, "agent": "victor", "weights": {"safety": 0.0}},
    },
    "ask_what_if": {"other weights": {"weights": {"safety": 0.0}}},
    "ask_step_what_if": {"without an intention": {"without": ["goal"]}},
    "ask_recorded_step_what_if": {"with another weight": {"weights": {"caution": 3.0}}},
    "start_drive": {"to a place": {"map": "courtyard", "seed": 3, "goal": "4,2", "pace": "fast"}},
    "evaluate_plans": {"a saved set, answered": {"set": {}, "intents": [{}], "choices": [{"question_0001": "option_0001"}]}},
    "answer_flow": {
        "one question": {"project": "shop", "checksum": "0f6e1b33d58a02c4", "choices": {"question_0001": "option_0002"}}
    },
    "answer_item": {
        "a question": {"checksum": "0f6e1b33d58a02c4", "choices": {"question_0001": "option_0002"}},
        "a permit": {"checksum": "0f6e1b33d58a02c4"},
    },
    "approve_flow": {"what was shown": {"project": "shop", "graph_hash": "0f6e1b33d58a02c4"}},
    "claim_plan": {"for an hour": {"project": "shop", "plan": {}, "lease": 3600, "wait": True}},
}  # fmt: skip
"""Bodies by the ids of operations. Documents of plans are longer than an example should be: GET /govern/samples has some."""


def operation_id(handler: Any, *_: Any) -> str:
    """The id of an operation: the name of the function that answers it."""
    return str(handler.handler_name)


def full_document(app: Litestar) -> dict[str, Any]:
    """The document with descriptions and examples."""
    document: dict[str, Any] = app.openapi_schema.to_schema()
    schemas, types = document["components"]["schemas"], {type.__name__: type for type in _types_of(app)}
    for name, schema in schemas.items():
        if name in types:
            _describe(schema, types[name])
    for operations in document["paths"].values():
        for operation in operations.values():
            examples = EXAMPLES.get(operation["operationId"])
            if examples is not None:
                body = operation["requestBody"]["content"]["application/json"]
                body["examples"] = {name: {"value": value} for name, value in examples.items()}
    return document


def field_texts(type: type) -> dict[str, str]:
    """What the fields of a class mean, its inherited ones too: the string after each.

    >>> from volition.core.errors import Problem
    >>> field_texts(Problem)["remedy"]
    'What to do about it.'
    """
    return {name: text for each in reversed(type.__mro__) for name, text in _own_texts(each).items()}


@cache
def _own_texts(type: type) -> dict[str, str]:
    if not type.__module__.startswith("volition."):
        return {}
    try:
        (parsed,) = ast.parse(dedent(inspect.getsource(type))).body
    except (OSError, TypeError):
        return {}
    assert isinstance(parsed, ast.ClassDef)
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in zip(parsed.body, parsed.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def class_text(type: type) -> str:
    """What a class is: its own docstring without doctests; that of a base class would describe something else."""
    text = re.split(r"\n\s*>>>", inspect.cleandoc(vars(type).get("__doc__") or ""))[0]
    return " ".join(text.split())


def _describe(schema: dict[str, Any], type: type) -> None:
    schema.setdefault("description", class_text(type))
    texts = field_texts(type)
    for name, content in schema.get("properties", {}).items():
        if name in texts:
            content.setdefault("description", texts[name])


def _types_of(app: Litestar) -> Iterator[type]:
    """Every class of this package that a request or an answer of the API is made of."""
    handlers = [handler for route in app.routes for handler in getattr(route, "route_handlers", ())]
    waiting = [annotation for handler in handlers for annotation in _annotations(handler)]
    seen: set[type] = set()
    while waiting:
        annotation = waiting.pop()
        waiting += get_args(annotation)
        if isinstance(annotation, type) and annotation.__module__.startswith("volition.") and annotation not in seen:
            seen.add(annotation)
            yield annotation
            if hasattr(annotation, "__annotations__"):
                waiting += get_type_hints(annotation, include_extras=True).values()


def _annotations(handler: Any) -> Iterable[Any]:
    signature = handler.parsed_fn_signature
    yield signature.return_type.annotation
    yield from (parameter.annotation for parameter in signature.parameters.values() if parameter.name == "data")
    yield from (spec.data_container for spec in (handler.responses or {}).values())

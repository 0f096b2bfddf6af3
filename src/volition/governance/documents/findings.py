"""Findings on a document: every violation of its schema, with its JSON path, what is expected and a remedy."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from heapq import nsmallest
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import orjson
from msgspec import Struct

from volition.core.canonical import json_path
from volition.core.errors import Problem, did_you_mean, format_value
from volition.governance.documents.intent import UNSEALED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema_rs import Draft202012Validator, ValidationError

MOST: Final = 100
"""How many faults of one document are reported; the others are counted."""
EXPLAINED: Final = 10 * MOST
"""How many faults are explained, of which the first by their places are reported."""

_SAMPLES: Final = (
    "2026-01-25T10:00:00Z",
    "0.1.0",
    UNSEALED,
    *(f"{kind}_example" for kind in ("intent", "intent_set", "eval_result", "merge_plan", "qpack", "apack")),
    *(f"{kind}_0001" for kind in ("conflict_00", "op", "question", "option")),
    "some_name",
)
"""Examples that show what a pattern means."""

_ADD: Final = {"intent": "add it; docs/plans.md explains every field, and `volition govern seal` sets the checksum"}
RULE_REMEDY: Final = "change this, or what the rule depends on"


class Finding(Struct, frozen=True, rename={"what": "message"}):
    """One finding on a document: a stable `code`, the JSON `path`, and what a person needs to know.

    >>> Finding("schema.required", "$.scope", "'targets' is missing", "the field 'targets'", "add it").message
    "'targets' is missing (expected: the field 'targets')"
    """

    code: str
    path: str
    what: str
    expected: str
    remedy: str
    warning: bool = False

    @property
    def message(self) -> str:
        """What is wrong and what is expected, in one line."""
        return f"{self.what} (expected: {self.expected})"

    def problem(self, where: str = "") -> Problem:
        """The finding as a problem of the document called `where`."""
        return Problem(self.what, f"{where}, {self.path}" if where else self.path, self.expected, self.remedy)


LARGE_SET: Final = "large_intent_set"
"""The kind of a set without a limit of intents, which is otherwise an intent set."""


@cache
def schema(kind: str) -> dict[str, Any]:
    """The shipped schema of this kind."""
    file = "intent_set" if kind == LARGE_SET else kind
    text = resources.files("volition.governance").joinpath("schemas", f"{file}.json").read_bytes()
    shipped: dict[str, Any] = orjson.loads(text)
    if kind == LARGE_SET:
        del shipped["$defs"]["IntentSet"]["properties"]["intent_ids"]["maxItems"]
    return shipped


@cache
def validator(kind: str) -> Draft202012Validator:
    """The validator of the shipped schema of this kind."""
    from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - a guard, which starts for every call, reads no document

    return Draft202012Validator(schema(kind))


def schema_findings(kind: str, data: Any) -> list[Finding]:
    """All violations of the schema of `kind` by plain data, in the order of the paths."""
    distinct: set[Finding] = set()
    left = 0
    for error in validator(kind).iter_errors(data):
        # To explain a fault costs far more than to find it, so that a hostile document would cost minutes.
        if len(distinct) > EXPLAINED:
            left += _count(error)
            continue
        left += _count(error) - min(MOST, _count(error))
        distinct.update(_findings(error, kind))
    findings = sorted(distinct, key=lambda f: (f.path, f.what))
    left += len(findings[MOST:])
    if left:
        findings[MOST:] = [
            Finding("schema.more", "$", f"{left} more faults", "a valid document", "correct these first")
        ]
    return findings


def _count(error: ValidationError) -> int:
    """How many faults an error stands for: one, or as many as there are unknown fields."""
    return len(getattr(error.kind, "unexpected", ())) or 1


def is_moment(text: str) -> bool:
    """Whether a text is a date and time with a time zone, as documents write them; only existing days are.

    >>> is_moment("2026-01-25T10:00:00Z"), is_moment("2026-02-29T10:00:00Z"), is_moment("2026-01-25")
    (True, False, False)
    """
    pattern = schema("intent")["$defs"]["IntentDocument"]["properties"]["created_at"]["pattern"]
    return re.fullmatch(pattern, text) is not None


def lookalike_letters(text: str) -> str:
    """The non-ASCII letters of a text, which may look like Latin ones; empty if there are none.

    >>> lookalike_letters("intent_\\u0430pi")
    "'\\u0430' is U+0430 CYRILLIC SMALL LETTER A"
    """
    foreign = dict.fromkeys(letter for letter in text if not letter.isascii())
    return ", ".join(
        f"{letter!r} is U+{ord(letter):04X} {unicodedata.name(letter, 'without a name')}"
        for letter in list(foreign)[:3]
    )


def _findings(error: ValidationError, kind: str) -> Iterator[Finding]:
    from jsonschema_rs import ValidationErrorKind as Kind  # noqa: PLC0415 - as above

    path, instance = json_path(list(error.instance_path)), _instance(error)
    value = format_value(instance)
    rule = _broken_rule(error, kind)
    if rule:
        code, law = rule
        expected = _describe_expected(error)
        yield Finding(code, path, f"{law}; this is {value}" if expected else law, expected or law, RULE_REMEDY)
        return
    code = f"schema.{error.kind.name}"
    match error.kind:
        case Kind.Required(name):
            wanted = _schema_at(kind, list(error.schema_path)[:-1]).get("properties", {}).get(name, {})
            yield Finding(
                code, path, f"{name!r} is missing", f'"{name}": {shape(wanted, schema(kind))}', _ADD.get(kind, "add it")
            )
        case Kind.AdditionalProperties(names):
            known = list(_schema_at(kind, list(error.schema_path)[:-1]).get("properties", ()))
            for name in nsmallest(MOST, names):
                inner = json_path([*error.instance_path, name])
                yield Finding(
                    code, inner, f"{format_value(name)} is not a known field", "known fields only", _advise(name, known)
                )
        case Kind.PropertyNames(inner_error):
            key = _instance(inner_error)
            options = getattr(inner_error.kind, "options", ())
            what = f"{format_value(key)} cannot be a key here"
            yield Finding(
                code,
                path,
                what,
                _describe_expected(inner_error),
                did_you_mean(key, options) if options else "rename it",
            )
        case Kind.Enum(options):
            yield Finding(
                code, path, f"{value} is unknown", _describe_expected(error), did_you_mean(instance, map(str, options))
            )
        case Kind.Pattern(_) if isinstance(instance, str) and (lookalikes := lookalike_letters(instance)):
            what = f"{value} contains letters that only look right: {lookalikes}"
            yield Finding("homoglyph", path, what, _describe_expected(error), "type it again with the letters a to z")
        case Kind.Pattern(pattern) if isinstance(instance, str) and (least := _too_short(pattern, instance)):
            yield Finding(code, path, f"{value} is too short", least, "say more, in words joined by _")
        case Kind.UniqueItems():
            twice = [item for item, n in Counter(map(format_value, instance)).items() if n > 1]
            yield Finding(code, path, f"duplicated: {', '.join(twice[:5])}", "each item once", "remove the duplicate")
        case Kind.MaxItems(most):
            what = f"{len(instance)} items are too many"
            yield Finding(code, path, what, f"at most {most}", "take some away, or split the document")
        case Kind.MinItems(least):
            yield Finding(code, path, f"{len(instance)} items are too few", f"at least {least}", "add what is missing")
        case Kind.MaxLength(most):
            what = f"{len(instance)} characters are too many: {value}"
            yield Finding(code, path, what, f"at most {most}", "shorten it")
        case Kind.MinLength(least):
            what = f"{len(instance)} characters are too few: {value}" if instance else "this is empty"
            remedy = "say more" if instance else "say something, or leave it out"
            yield Finding(code, path, what, f"at least {least} character{'s' * (least > 1)}", remedy)
        case _:
            yield Finding(code, path, f"{value} does not fit", _describe_expected(error), "correct it")


_BOUNDED = re.compile(r"\^([a-z_]*)(\[a-z\])?\[a-z0-9_\]\{(\d+),(\d+)\}\$").fullmatch
"""The pattern of an id: what it begins with, and how many of which characters follow."""
_DESCRIBED: Final = {
    _SAMPLES[0]: f"a date and time with a time zone, such as {_SAMPLES[0]}",
    _SAMPLES[1]: "three numbers, such as 1.2.0",
    UNSEALED: "64 of the digits 0-9 and a-f",
}
"""What a pattern means that a sample matches."""


def describe_pattern(pattern: str) -> str:
    """What a pattern of a schema expects, in words.

    >>> describe_pattern("^intent_[a-z0-9_]{6,64}$"), describe_pattern("^[a-z][a-z0-9_]{2,80}$")
    ('intent_ and 6 to 64 of a-z, 0-9 and _', '3 to 81 of a-z, 0-9 and _, a letter first')
    """
    for text, words in _DESCRIBED.items():
        if re.search(pattern, text):
            return words
    bounded = _BOUNDED(pattern)
    if not bounded:
        return f"a text like {_sample(pattern)}"
    first = 1 if bounded[2] else 0
    least, most = int(bounded[3]) + first, int(bounded[4]) + first
    before = f"{bounded[1]} and " if bounded[1] else ""
    return f"{before}{least} to {most} of a-z, 0-9 and _{', a letter first' if first else ''}"


def _too_short(pattern: str, text: str) -> str:
    """What an id that is only too short should be; empty for any other text."""
    bounded = _BOUNDED(pattern)
    is_short = bounded and re.fullmatch(f"{bounded[1]}{bounded[2] or ''}[a-z0-9_]{{0,{bounded[3]}}}", text)
    return describe_pattern(pattern) if is_short else ""


def shape(node: dict[str, Any], whole: dict[str, Any]) -> str:
    """What a part of a schema expects, as a person would write it; `whole` is the complete schema.

    >>> whole = schema("intent")
    >>> shape(whole["$defs"]["LockScope"], whole)
    '{"mode": "files" | "none" | "task", "paths": ["..."]}'
    """
    if "$ref" in node:
        return shape(whole["$defs"][node["$ref"].rpartition("/")[2]], whole)
    if "const" in node:
        return orjson.dumps(node["const"]).decode()
    if "enum" in node:
        return " | ".join(orjson.dumps(option).decode() for option in node["enum"])
    match node.get("type"):
        case "object":
            fields = {name: node.get("properties", {}).get(name, {}) for name in node.get("required", ())}
            return "{" + ", ".join(f'"{name}": {shape(inner, whole)}' for name, inner in fields.items()) + "}"
        case "array":
            return f"[{shape(node['items'], whole)}]" if isinstance(node.get("items"), dict) else "[...]"
        case "string":
            return _sample(node.get("pattern", ""))
        case "integer" | "number":
            return str(node.get("minimum", 0))
        case "boolean":
            return "true | false"
    return "..."


def _sample(pattern: str) -> str:
    """A text that matches a pattern, or the pattern itself if none is known."""
    if not pattern:
        return '"..."'
    return f'"{next((text for text in _SAMPLES if re.search(pattern, text)), pattern)}"'


def _instance(error: ValidationError) -> Any:
    return error.instance


def _describe_expected(error: ValidationError) -> str:
    from jsonschema_rs import ValidationErrorKind as Kind  # noqa: PLC0415 - as above

    match error.kind:
        case Kind.Enum(options):
            return "one of " + ", ".join(map(repr, options))
        case Kind.Constant(value):
            return repr(value)
        case Kind.Pattern(pattern):
            return describe_pattern(pattern)
        case Kind.Type(types):
            return " or ".join(types)
        case Kind.Minimum(least) | Kind.MinLength(least) | Kind.MinItems(least) | Kind.MinProperties(least):
            return f"at least {least}"
        case Kind.Maximum(most) | Kind.MaxLength(most) | Kind.MaxItems(most):
            return f"at most {most}"
        case Kind.ExclusiveMinimum(least):
            return f"more than {least}"
        case Kind.Required(name):
            return f"the field {name!r}"
        case _:
            return ""


def _broken_rule(error: ValidationError, kind: str) -> tuple[str, str] | None:
    """The code and the law of the conditional rule that was broken, if it was one."""
    steps = list(error.schema_path)
    if "allOf" not in steps:
        return None
    rule = _schema_at(kind, steps[: steps.index("allOf") + 2])
    return rule["title"], rule["description"]


def _schema_at(kind: str, steps: list[str | int]) -> dict[str, Any]:
    place: Any = schema(kind)
    for step in steps:
        place = place[step]
    node: dict[str, Any] = place
    return node


def _advise(name: str, known: list[str]) -> str:
    return f"remove it, or {did_you_mean(name, known)}" if known else "remove it"

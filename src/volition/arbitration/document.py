"""Composites as data: the spec's structure, read with all its problems at once and written back exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.arbitration.curves import curve_from_data
from volition.arbitration.data_checks import explained_keys, mapping, record, text
from volition.arbitration.habits import Cooldown, Inertia, Recency
from volition.arbitration.intent import CONSTRAINT, HEURISTIC, Function
from volition.arbitration.intention import (
    UNIT,
    Constraint,
    Heuristic,
    Intention,
    check_id,
    check_kind,
    check_on_error,
    check_priority,
    check_range,
    check_weight,
)
from volition.arbitration.lookahead import lookahead
from volition.arbitration.reference import find
from volition.arbitration.tables import RawMeasures, Scores, Violates
from volition.arbitration.tiles import Avoid, HoldStill, Reach
from volition.core.errors import InvalidInput, Problems, did_you_mean, format_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.arbitration.intent import Intent

INTENTS: dict[str, Any] = {
    "violates": Violates,
    "scores": Scores,
    "measures": RawMeasures,
    "avoid": Avoid,
    "reach": Reach,
    "hold": HoldStill,
    "inertia": Inertia,
    "cooldown": Cooldown,
    "recency": Recency,
}
"""The intents that are data, by the key that names them; `python` names code instead."""

PYTHON = "python"
LOOKAHEAD = "lookahead"
DEEPEST = 8
"""How deep look-aheads may be nested."""
_ATTRIBUTES = {CONSTRAINT: ("on_error",), HEURISTIC: ("weight", "priority", "range", "on_error")}


def intentions_to_data(intentions: Iterable[Intention]) -> dict[str, Any]:
    """The spec's data structure; what has its default value is left out, except a heuristic's weight."""
    return {"intentions": [_entry_to_data(entry) for entry in intentions]}


def intentions_from_data(data: Any, *, allow_python: bool = False) -> list[Intention]:
    """Read `{"intentions": [...]}`; every problem of the document is reported at once."""
    problems = Problems()
    fields = record(data, "composite", problems, required=("intentions",))
    read = [] if fields is None else read_intentions(fields["intentions"], problems, allow_python=allow_python)
    problems.raise_if_any(InvalidInput)
    return read


def read_intentions(entries: Any, problems: Problems, *, allow_python: bool) -> list[Intention]:
    """The intentions that a list of entries describes, as far as they can be read, and what is wrong with the others."""
    if not isinstance(entries, (list, tuple)):
        problems.add(
            f"the intentions are a {type(entries).__name__}",
            where="intentions",
            expected="a list",
            remedy="write [{id, kind, intent}, ...]",
        )
        return []
    read: list[Intention] = []
    seen: dict[str, int] = {}
    for index, entry in enumerate(entries):
        where = f"intentions[{index}]"
        id = entry.get("id") if isinstance(entry, dict) else None
        faults = Problems()
        intention = _read_entry(entry, where, faults, allow_python=allow_python)
        for problem in faults:
            place = f"{problem.where} (intention {id!r})" if isinstance(id, str) else problem.where
            problems.add(problem.what, where=place, expected=problem.expected, remedy=problem.remedy)
        if isinstance(id, str) and seen.setdefault(id, index) != index:
            problems.add(
                f"the id {id!r} is used twice",
                where=f"{where}.id, and intentions[{seen[id]}].id",
                expected="a unique id for every intention",
                remedy="rename one of them",
            )
        if intention is not None:
            read.append(intention)
    return read


def _entry_to_data(entry: Intention) -> dict[str, Any]:
    data: dict[str, Any] = {"id": entry.id, "kind": entry.kind, "intent": entry.intent.to_data()}
    if isinstance(entry, Heuristic):
        data["weight"] = entry.weight
        if entry.priority is not None:
            data["priority"] = entry.priority
        if entry.range != UNIT:
            data["range"] = list(entry.range)
    if entry.on_error != "raise":
        data["on_error"] = entry.on_error
    return data


def _read_entry(entry: Any, where: str, problems: Problems, *, allow_python: bool) -> Intention | None:
    before = len(problems)
    fields = mapping(entry, where, problems)
    if fields is None:
        return None
    kind = fields.get("kind") if isinstance(fields.get("kind"), str) else repr(fields.get("kind"))
    if "kind" in fields and kind not in _ATTRIBUTES:
        problems.add(
            f"the kind is {fields['kind']!r}",
            where=f"{where}.kind",
            expected="'constraint' or 'heuristic'",
            remedy=did_you_mean(str(kind), _ATTRIBUTES),
        )
    _check_attributes(fields, kind, where, problems)
    if "id" in fields:
        check_id(fields["id"], f"{where}.id", problems)
    weight, priority, on_error = fields.get("weight", 1.0), fields.get("priority"), fields.get("on_error", "raise")
    range = fields.get("range", UNIT)
    check_on_error(on_error, f"{where}.on_error", problems)
    intent = (
        _read_intent(fields.get("intent"), f"{where}.intent", problems, allow_python) if "intent" in fields else None
    )
    if kind == HEURISTIC:
        check_weight(weight, f"{where}.weight", problems)
        check_priority(priority, f"{where}.priority", problems)
        check_range(range, intent, f"{where}.range", problems)
        if isinstance(intent, Scores) and len(problems) == before:
            intent.check_within(range, f"{where}.intent.scores", problems)
    if intent is not None and kind in _ATTRIBUTES:
        check_kind(kind, intent, next(iter(fields["intent"])), f"{where}.intent", problems)
    if intent is None or len(problems) > before:
        return None
    if kind == CONSTRAINT:
        return Constraint(fields["id"], intent, on_error=on_error)
    return Heuristic(fields["id"], intent, weight=weight, priority=priority, range=range, on_error=on_error)


def _check_attributes(attributes: Mapping[Any, Any], kind: Any, where: str, problems: Problems) -> None:
    needed = ("id", "kind", "intent")
    known = (*needed, *_ATTRIBUTES.get(kind, _ATTRIBUTES[HEURISTIC]))
    for key in needed:
        if key not in attributes:
            problems.add(f"{key!r} is missing", where=where, expected="id, kind and intent", remedy=f"add {key!r}")
    expected = "only " + ", ".join(known)
    for key in explained_keys([key for key in attributes if key not in known], where, expected, problems):
        only = "a constraint forbids or allows, so it has no weight, priority or range"
        similar = did_you_mean(str(key), known)
        problems.add(
            f"{format_value(key)} is not an attribute of a {kind if kind in _ATTRIBUTES else 'constraint or heuristic'}",
            where=where,
            expected=expected,
            remedy=only if key in ("weight", "priority", "range") else similar,
        )


def _read_intent(data: Any, where: str, problems: Problems, allow_python: bool, depth: int = 0) -> Intent | None:
    fields = mapping(data, where, problems)
    if fields is None:
        return None
    known = [*INTENTS, LOOKAHEAD, PYTHON]
    names = [key for key in fields if key in known]
    if len(names) != 1:
        unknown = next((str(key) for key in fields if key not in known), "")
        problems.add(
            f"the intent names {', '.join(map(repr, names)) if names else 'nothing that is known'}",
            where=where,
            expected="exactly one of " + ", ".join(known),
            remedy="split it into two intentions" if names else did_you_mean(unknown, known),
        )
        return None
    if names == [PYTHON]:
        return _read_python(fields, where, problems, allow_python)
    if names == [LOOKAHEAD]:
        return _read_lookahead(fields, where, problems, allow_python, depth)
    return INTENTS[names[0]].from_data(fields, where, problems)  # type: ignore[no-any-return]


def _read_lookahead(
    document: Mapping[Any, Any], where: str, problems: Problems, allow_python: bool, depth: int
) -> Intent | None:
    outer = record(document, where, problems, required=(LOOKAHEAD,))
    where = f"{where}.{LOOKAHEAD}"
    if depth >= DEEPEST:
        problems.add(
            f"{depth} look-aheads are nested",
            where=where,
            expected=f"at most {DEEPEST}",
            remedy="look less far ahead",
        )
        return None
    inner = outer and record(outer[LOOKAHEAD], where, problems, required=("successors", "then"), optional=("discount",))
    if inner is None:
        return None
    successors = _read_intent(inner["successors"], f"{where}.successors", problems, allow_python)
    then = _read_intent(inner["then"], f"{where}.then", problems, allow_python, depth + 1)
    if isinstance(then, Scores) and not then.check_within(UNIT, f"{where}.then.scores", problems):
        return None
    if successors is None or then is None:
        return None
    return problems.attempt(lambda: lookahead(successors, then, discount=inner.get("discount", 0.5)))


def _read_python(document: Mapping[Any, Any], where: str, problems: Problems, allow_python: bool) -> Intent | None:
    data = record(document, where, problems, required=(PYTHON,), optional=("batch", "curve"))
    if data is None or text(data[PYTHON], f"{where}.python", problems) is None:
        return None
    if not allow_python:
        problems.add(
            f"the intent names Python code, {data[PYTHON]!r}",
            where=f"{where}.python",
            expected="data; code named in a file runs only when it is allowed",
            remedy="allow it if you trust the file: --allow-python, or allow_python=True",
        )
        return None
    curve = curve_from_data(data["curve"], f"{where}.curve", problems) if "curve" in data else None

    def make() -> Intent:
        named = find(data[PYTHON], f"{where}.python")
        if isinstance(named, (Constraint, Heuristic)):
            return named.intent
        return Function(named, bool(data.get("batch", False)), curve, data[PYTHON])

    return problems.attempt(make)

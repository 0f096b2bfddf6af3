"""Stored documents compared with a fresh evaluation of the same plans: which fields differ, and the expected values.

A checksum only shows that a document is consistent with itself. Only the evaluator can tell whether it is right.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.core.canonical import json_path
from volition.core.errors import format_value
from volition.governance.gates.folder import set_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Data = dict[str, Any]

NAMED: Final = 12
"""How many fields of a document are named; the others are counted."""
_IDS: Final = ("conflict_id", "op_id", "question_id", "option_id", "intent_id", "command_id")
_ABSENT: Final = object()


class Fresh(Struct, frozen=True):
    """A fresh evaluation: the id of its result, and a function that returns its documents by kind for a given date."""

    set_id: str
    result_id: str
    documents: Callable[[str], Mapping[str, Data]]


def differences(stored: Any, expected: Any, path: str = "$") -> Iterator[tuple[str, Any, Any]]:
    """Every field in which plain data differs: its path, the stored and the expected value, or `_ABSENT`.

    >>> [path for path, _, _ in differences({"a": [1, 2], "b": 3}, {"a": [1], "c": 3})]
    ['$.a[1]', '$.c', '$.b']
    """
    if stored == expected:
        return
    if isinstance(stored, dict) and isinstance(expected, dict):
        for name in dict.fromkeys((*expected, *stored)):
            yield from differences(stored.get(name, _ABSENT), expected.get(name, _ABSENT), path + json_path([name])[1:])
    elif isinstance(stored, list) and isinstance(expected, list) and stored and expected:
        mine, yours = _by_id(stored), _by_id(expected)
        for name in dict.fromkeys((*yours, *mine)):
            yield from differences(mine.get(name, _ABSENT), yours.get(name, _ABSENT), f"{path}[{name}]")
        if mine.keys() == yours.keys() and [*mine] != [*yours]:
            yield f"{path}, the order", [*mine], [*yours]
    else:
        yield path, stored, expected


def _by_id(items: list[Any]) -> dict[str | int, Any]:
    """The items by their ids if all are different, else by their indices."""
    for name in _IDS:
        ids = [item.get(name) if isinstance(item, dict) else None for item in items]
        if items and all(isinstance(id, str) for id in ids) and len(set(ids)) == len(ids):
            return dict(zip(ids, items, strict=True))  # type: ignore[arg-type]
    return dict(enumerate(items))


def result_reasons(
    results: Mapping[str, Data], others: Mapping[str, Mapping[str, Data]], fresh: Sequence[Fresh]
) -> list[str]:
    """The reasons against the stored results and the documents that belong to them, `others` by kind and file name."""
    reasons = []
    plans = {str(plan.get("id")): plan for plan in others.get("merge_plan", {}).values()}
    for name, result in results.items():
        against = [_compare(result, evaluated, plans) for evaluated in _candidates(result, fresh)]
        if not against:
            what = (
                f"no evaluation of the sets here can be compared with it: {format_value(set_of(result))} is not there"
            )
            reasons.append(f"{name}: {what}, or not with all its intents")
            continue
        evaluated, differing = min(against, key=lambda pair: len(pair[1]))
        reasons += _describe(name, differing)
        documents = evaluated.documents(_evaluated_at(evaluated, result, plans))
        for kind in ("merge_plan", "question_pack", "merged_intent"):
            reasons += _reasons_beside(name, kind, documents.get(kind), others.get(kind, {}))
    return reasons


def _candidates(result: Data, fresh: Sequence[Fresh]) -> list[Fresh]:
    """The evaluations that a result may come from: that of its id, else those of its set, else any."""
    same = [candidate for candidate in fresh if candidate.result_id == result.get("id")]
    of_set = [candidate for candidate in fresh if candidate.set_id == set_of(result)]
    return same or of_set or list(fresh)


def _evaluated_at(evaluated: Fresh, result: Data, plans: Mapping[str, Data]) -> str:
    """When the evaluation took place: no input says so, but its merge plan does, if there is one."""
    plan = plans.get(f"merge_plan_{evaluated.result_id.removeprefix('eval_result_')}", result)
    return str(plan.get("created_at"))


def _compare(result: Data, evaluated: Fresh, plans: Mapping[str, Data]) -> tuple[Fresh, list[tuple[str, Any, Any]]]:
    expected = evaluated.documents(_evaluated_at(evaluated, result, plans))["evaluation_result"]
    return evaluated, list(differences(result, expected))


def _reasons_beside(result: str, kind: str, expected: Data | None, stored: Mapping[str, Data]) -> Iterable[str]:
    """The reasons against the documents of one kind next to a result."""
    here = {name: data for name, data in stored.items() if Path(name).parent == Path(result).parent}
    for name, data in here.items():
        if expected is None:
            yield f"{name}: the evaluation of {result} gives no {kind.replace('_', ' ')}"
        else:
            yield from _describe(name, list(differences(data, expected)))


def _describe(name: str, differing: Sequence[tuple[str, Any, Any]]) -> Iterator[str]:
    # Fields nearer to the root say more, so they come first and are not among those that are only counted.
    for path, stored, expected in sorted(
        differing, key=lambda difference: difference[0].count(".") + difference[0].count("[")
    )[:NAMED]:
        yield f"{name}: {path}: stored {_format_value(stored)}, expected {_format_value(expected)}"
    if len(differing) > NAMED:
        yield f"{name}: and {len(differing) - NAMED} more fields"


def _format_value(value: Any) -> str:
    return "nothing" if value is _ABSENT else format_value(value)

"""Stored documents against a fresh evaluation of the same plans: which field says something else, and what belongs there.

A checksum only says that a document agrees with itself. Whether it is what the evaluator says, only the evaluator knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from volition.core.canonical import json_path
from volition.core.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Data = dict[str, Any]

NAMED: Final = 12
"""So many fields of a document are named; the rest are counted."""
_IDS: Final = ("conflict_id", "op_id", "question_id", "option_id", "intent_id", "command_id")
_NOTHING: Final = object()


@dataclass(frozen=True, slots=True)
class Fresh:
    """What a fresh evaluation comes to: the id of its result, and all its documents by kind, dated as one asks for."""

    set_id: str
    result_id: str
    documents: Callable[[str], Mapping[str, Data]]


def differences(stored: Any, expected: Any, path: str = "$") -> Iterator[tuple[str, Any, Any]]:
    """Every field in which plain data differs: its path, what was stored and what was expected; nothing is `_NOTHING`.

    >>> [path for path, _, _ in differences({"a": [1, 2], "b": 3}, {"a": [1], "c": 3})]
    ['$.a[1]', '$.c', '$.b']
    """
    if isinstance(stored, dict) and isinstance(expected, dict):
        for name in dict.fromkeys((*expected, *stored)):
            yield from differences(
                stored.get(name, _NOTHING), expected.get(name, _NOTHING), path + json_path([name])[1:]
            )
    elif isinstance(stored, list) and isinstance(expected, list) and stored and expected:
        mine, yours = _by_id(stored), _by_id(expected)
        for name in dict.fromkeys((*yours, *mine)):
            yield from differences(mine.get(name, _NOTHING), yours.get(name, _NOTHING), f"{path}[{name}]")
        if mine.keys() == yours.keys() and [*mine] != [*yours]:
            yield f"{path}, the order", [*mine], [*yours]
    elif stored is _NOTHING or expected is _NOTHING or stored != expected:
        yield path, stored, expected


def _by_id(items: list[Any]) -> dict[str | int, Any]:
    """The items by their ids where all have different ones, else by their places."""
    for name in _IDS:
        ids = [item.get(name) if isinstance(item, dict) else None for item in items]
        if items and all(isinstance(id, str) for id in ids) and len(set(ids)) == len(ids):
            return dict(zip(ids, items, strict=True))  # type: ignore[arg-type]
    return dict(enumerate(items))


def result_reasons(
    results: Mapping[str, Data], others: Mapping[str, Mapping[str, Data]], fresh: Sequence[Fresh]
) -> list[str]:
    """What speaks against the stored results and the documents that belong to them, `others` by kind and file name."""
    reasons = []
    plans = {str(plan.get("id")): plan for plan in others.get("merge_plan", {}).values()}
    for name, result in results.items():
        against = [_compared(result, one, plans) for one in _candidates(result, fresh)]
        if not against:
            what = f"no evaluation of the sets here can be compared with it: {shown(set_of(result))} is not there"
            reasons.append(f"{name}: {what}, or not with all its intents")
            continue
        one, found = min(against, key=lambda pair: len(pair[1]))
        reasons += _told(name, found)
        documents = one.documents(_moment(one, result, plans))
        for kind in ("merge_plan", "question_pack", "merged_intent"):
            reasons += _beside(name, kind, documents.get(kind), others.get(kind, {}))
    return reasons


def _candidates(result: Data, fresh: Sequence[Fresh]) -> list[Fresh]:
    """The evaluations that a result may come from: that of its id, else those of its set, else any."""
    same = [one for one in fresh if one.result_id == result.get("id")]
    of_set = [one for one in fresh if one.set_id == set_of(result)]
    return same or of_set or list(fresh)


def set_of(result: Data) -> object:
    """The id of the set that a result says it is of."""
    given = result.get("input")
    return given.get("intent_set_id") if isinstance(given, dict) else None


def _moment(one: Fresh, result: Data, plans: Mapping[str, Data]) -> str:
    """When the evaluation took place: no input says so, but its merge plan does, where there is one."""
    plan = plans.get(f"merge_plan_{one.result_id.removeprefix('eval_result_')}", result)
    return str(plan.get("created_at"))


def _compared(result: Data, one: Fresh, plans: Mapping[str, Data]) -> tuple[Fresh, list[tuple[str, Any, Any]]]:
    expected = one.documents(_moment(one, result, plans))["evaluation_result"]
    return one, list(differences(result, expected))


def _beside(result: str, kind: str, expected: Data | None, stored: Mapping[str, Data]) -> Iterable[str]:
    """What speaks against the documents of one kind that lie beside a result."""
    here = {name: data for name, data in stored.items() if Path(name).parent == Path(result).parent}
    for name, data in here.items():
        if expected is None:
            yield f"{name}: the evaluation of {result} gives no {kind.replace('_', ' ')}"
        else:
            yield from _told(name, list(differences(data, expected)))


def _told(name: str, found: Sequence[tuple[str, Any, Any]]) -> Iterator[str]:
    # What lies nearer to the root says more, and is never among the fields that are only counted.
    for path, stored, expected in sorted(found, key=lambda one: one[0].count(".") + one[0].count("["))[:NAMED]:
        yield f"{name}: {path}: stored {_shown(stored)}, expected {_shown(expected)}"
    if len(found) > NAMED:
        yield f"{name}: and {len(found) - NAMED} more fields"


def _shown(value: Any) -> str:
    return "nothing" if value is _NOTHING else shown(value)

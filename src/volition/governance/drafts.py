"""Drafts: valid documents from the little that their author has to say, with the checksums set.

What is not said is filled in so that nothing looks safer than it is: a draft that changes something asks for review, and
its risk follows from its effects.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, get_args

from volition.core.errors import InvalidInput, Problem, shown
from volition.governance.checklist import checklist_findings
from volition.governance.checksums import sealed
from volition.governance.documents.intent import CHANGING, Effect
from volition.governance.inspection import inspect

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SEAL: Final = "0" * 64
"""What stands in the place of a checksum until the document is sealed."""

_COMMAND = re.compile(r"\s*([a-z][a-z0-9_]{2,120})\s*:\s*([a-z]+(?:\s*\+\s*[a-z]+)*)\s*:\s*(\S.*)", re.DOTALL)
_REVIEWS: Final = {"deploy": "release", "rollback": "release", "security": "security", "data": "data"}
_GRAVE: Final = frozenset({"deploy", "rollback", "delete", "security", "data"})
_TYPES: Final = {
    "execution_intent": "intent",
    "intent_set": "intent_set",
    "intent_evaluation_result": "evaluation_result",
    "intent_merge_plan": "merge_plan",
}


def new_intent(
    title: str,
    *,
    project: str,
    created_at: str,
    commands: Iterable[str] = (),
    files: Sequence[str] = (),
    modules: Sequence[str] = (),
    areas: Sequence[str] = (),
    evidence: Sequence[str] = (),
    id: str | None = None,
    goal: str | None = None,
    status: str = "draft",
    created_by: str = "author",
    mode: str = "interactive",
    risk: str | None = None,
    reviews: Sequence[str] | None = None,
    priority: int | None = None,
    depends_on: Sequence[str] = (),
    lock: Sequence[str] | None = None,
    budgets: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """A valid, sealed intent as plain data; a command is `"command_id: effect+effect: what it does"`.

    >>> made = new_intent("Refactor the routes", project="shop", created_at="2026-01-25T10:00:00Z",
    ...                   files=["src/api/routes.py"], commands=["refactor_routes: write: split routes.py by topic"])
    >>> made["id"], made["risk"]["overall"], made["risk"]["requires_review"]
    ('intent_refactor_the_routes', 'medium', ['architecture'])
    """
    refs = list(evidence) or [f"file://{path}"[:256] for path in files] or [f"module://{name}" for name in modules]
    planned = [_command(text, refs[:30]) for text in commands]
    effects = sorted({effect for command in planned for effect in command["effects"]})
    changes = bool(CHANGING.intersection(effects))
    if reviews is None:
        reviews = sorted(
            {_REVIEWS.get(effect, "architecture") for effect in effects if effect not in {"read", "network"}}
        )
    overall = risk or _risk(effects)
    for command in planned:
        command["risk_level"] = _risk(command["effects"])
    data = {
        "id": id or f"intent_{_slug(title)}",
        "type": "execution_intent",
        "title": title,
        "version": "0.1.0",
        "status": status,
        "created_at": created_at,
        "lineage": {"introduced_in": "0.9.1", "derived_from": [], "supersedes": []},
        "scope": {
            "project_id": project,
            "repo_root": ".",
            "targets": {"files": list(files), "modules": list(modules), "areas": list(areas)},
        },
        "objective": {"goal": goal or title, "success_criteria": [f"done: {title}"[:300]], "non_goals": []},
        "selected_workflows": [
            {
                "workflow_id": "change" if changes else "analysis",
                "phases": ["analysis", *(["implementation"] * changes)],
            }
        ],
        "selected_agents": [{"agent_id": "author", "role": "author", "responsibilities": ["carry the plan through"]}],
        "planned_commands": planned,
        "interaction": {
            "mode": mode,
            "question_budget": 0 if mode == "full_auto" else 10,
            "question_policy": "never" if mode == "full_auto" else "blockers_only",
        },
        "risk": {
            "overall": overall,
            "drivers": [f"effects: {', '.join(effects) or 'none'}"],
            "requires_review": list(reviews),
        },
        "budgets": {
            "max_files": min(500, len(files)),
            "max_commits": 5 if changes else 0,
            "max_tokens": 50_000,
            "max_cost_usd": 5,
            **(budgets or {}),
        },
        "evidence_refs": refs,
        "constraints": {
            "execution": "forbidden",
            "no_fabrication": True,
            "registry_only": True,
            "lock_scope": {"mode": "none" if lock is None else "files", "paths": list(lock or ())},
        },
        "audit": {"created_by": created_by, "source": "human", "checksum": SEAL},
    }
    metadata = {"priority": priority, "depends_on": list(depends_on) or None}
    if any(value is not None for value in metadata.values()):
        data["metadata"] = {name: value for name, value in metadata.items() if value is not None}
    return _finished("intent", data)


def new_set(
    name: str,
    intent_ids: Sequence[str],
    *,
    project: str,
    created_at: str,
    env: str = "local",
    tags: Sequence[str] = (),
    window: tuple[str, str] | None = None,
    purpose: str | None = None,
    complementary: Sequence[tuple[str, str]] = (),
) -> dict[str, Any]:
    """A valid, sealed intent set as plain data.

    >>> made = new_set("api batch", ["intent_refactor", "intent_logging"], project="shop",
    ...                created_at="2026-01-25T10:00:00Z")
    >>> made["id"]
    'intent_set_api_batch'
    """
    context: dict[str, Any] = {"project_id": project, "env": env}
    if window:
        context["time_window"] = {"start": window[0], "end": window[1]}
    if tags:
        context["tags"] = list(tags)
    data = {
        "id": f"intent_set_{_slug(name)}",
        "type": "intent_set",
        "schema_version": "0.9.3",
        "created_at": created_at,
        "intent_ids": list(intent_ids),
        "context": context,
        "lineage": {"introduced_in": "0.9.3", "derived_from": []},
        "checksum": SEAL,
    }
    metadata: dict[str, Any] = {"purpose": purpose} if purpose else {}
    if complementary:
        metadata["merge_hints"] = {"complementary": [list(pair) for pair in complementary]}
    return _finished("intent_set", {**data, "metadata": metadata} if metadata else data)


def seal(data: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a document with the right checksums; its kind is told by its type or pack id."""
    kind = kind_of(data)
    try:
        return sealed(kind, data)
    except (AttributeError, KeyError, TypeError):
        raise InvalidInput(*(finding.problem(kind) for finding in inspect(kind, data))) from None


def kind_of(data: Any) -> str:
    """Which kind of document plain data is.

    >>> kind_of({"type": "intent_set"}), kind_of({"pack_id": "apack_example"})
    ('intent_set', 'answer_pack')
    """
    if isinstance(data, dict):
        name, pack = data.get("type"), data.get("pack_id")
        if isinstance(name, str) and name in _TYPES:
            return _TYPES[name]
        if isinstance(pack, str) and pack.startswith(("qpack_", "apack_")):
            return "question_pack" if pack.startswith("qpack_") else "answer_pack"
    known = f"a type ({', '.join(_TYPES)}) or a pack_id (qpack_..., apack_...)"
    raise InvalidInput(Problem("this is no document of governance", "$.type", known, "say what it is"))


def _finished(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    data = sealed(kind, data)
    if found := inspect(kind, data) or checklist_findings(kind, data):
        raise InvalidInput(*(finding.problem(f"new {kind.replace('_', ' ')}") for finding in found))
    return data


def _command(text: str, refs: list[str]) -> dict[str, Any]:
    found = _COMMAND.fullmatch(text)
    if not found:
        known = ", ".join(get_args(Effect))
        problem = Problem(
            f"{shown(text)} is no command",
            "commands",
            f"COMMAND_ID: EFFECT+EFFECT: WHAT IT DOES, with effects of {known}",
            "write it like 'refactor_routes: write: split routes.py by topic'",
        )
        raise InvalidInput(problem)
    effects = list(dict.fromkeys(re.split(r"\s*\+\s*", found[2])))
    return {
        "command_id": found[1],
        "intent": found[3].strip(),
        "effects": effects,
        "risk_level": "",
        "evidence_refs": refs,
    }


def _risk(effects: Iterable[str]) -> str:
    """The least that a plan with these effects is rated: only one that reads alone is low."""
    chosen = set(effects)
    if chosen & _GRAVE:
        return "high"
    return "medium" if chosen - {"read"} else "low"


def _slug(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:64].rstrip("_")
    return words.ljust(6, "0")

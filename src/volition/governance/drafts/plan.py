"""A plan from a few arguments: a valid, sealed intent, ready to be evaluated.

Defaults never make a plan look safer than it is: a plan that changes something asks for review, and
its risk follows from its effects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, get_args

import msgspec

from volition.core.errors import InvalidInput, Problem, Problems, format_value
from volition.governance.documents.checklist import checklist_findings
from volition.governance.documents.checksums import seal
from volition.governance.documents.intent import CHANGING, UNSEALED, Effect, IntentDocument
from volition.governance.documents.reading import from_data, inspect
from volition.governance.paths.names import split_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

UNDATED: Final = "1970-01-01T00:00:00Z"
"""The date of a plan without one: the same for all, so that it decides nothing between them."""

_COMMAND = re.compile(r"\s*([a-z][a-z0-9_]{2,120})\s*:\s*([a-z]+(?:\s*\+\s*[a-z]+)*)\s*:\s*(\S.*)", re.DOTALL)
_REVIEWS: Final = {"deploy": "release", "rollback": "release", "security": "security", "data": "data"}
_GRAVE: Final = frozenset({"deploy", "rollback", "delete", "security", "data"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What somebody intends to do, in a few arguments; `intent` is the whole document.

    A command is `"command_id: effect+effect: what it does"`; an agent is `"agent_id"` or `"agent_id: role"`. A plan
    whose author is one of its agents comes from `agentos`, any other from a `human`, unless `source` says otherwise.
    `files` are what it changes: files, folders, patterns and parts of files; `reads` is what its result relies on,
    `removes` what it takes away, and `renames` old names with their new ones. Everything that is wrong is reported at once.

    >>> plan = Plan("Refactor the routes", files=["src/api/routes.py"],
    ...             commands=["refactor_routes: write: split routes.py by topic"])
    >>> plan.id, plan.intent.risk.overall, plan.intent.risk.requires_review
    ('intent_refactor_the_routes', 'medium', ('architecture',))
    """

    title: str = field(kw_only=False)
    commands: Sequence[str] = ()
    files: Sequence[str] = ()
    modules: Sequence[str] = ()
    areas: Sequence[str] = ()
    reads: Sequence[str] = ()
    removes: Sequence[str] = ()
    renames: Mapping[str, str] = field(default_factory=dict)
    root: str = "."
    evidence: Sequence[str] = ()
    project: str = "project"
    created_at: str = UNDATED
    id: str = ""
    goal: str = ""
    description: str = ""
    status: str = "draft"
    agents: Sequence[str] = ()
    created_by: str = ""
    source: str = ""
    phases: Sequence[str] = ()
    mode: str = "interactive"
    risk: str = ""
    reviews: Sequence[str] | None = None
    priority: int | None = None
    depends_on: Sequence[str] = ()
    lock: Sequence[str] | None = None
    budgets: Mapping[str, float] | None = None
    intent: IntentDocument = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        data = seal_and_check("intent", _build_document(self))
        object.__setattr__(self, "id", data["id"])
        object.__setattr__(self, "intent", from_data(data, IntentDocument))

    def to_data(self) -> dict[str, Any]:
        """The document as plain data, as it is written to a file."""
        data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.intent))
        return data


def _build_document(plan: Plan) -> dict[str, Any]:
    """The whole intent, not yet sealed."""
    files, modules = (*plan.files, *plan.removes, *plan.renames), plan.modules
    named = [f"file://{path}"[:256] for path in files] or [f"module://{name}" for name in modules]
    refs = list(plan.evidence) or named or [f"file://{path}"[:256] for path in (*plan.reads, *(plan.lock or ()))]
    commands = _parse_commands(plan.commands, refs[:30])
    effects = sorted({effect for command in commands for effect in command["effects"]})
    changes = bool(CHANGING.intersection(effects))
    agents = [_parse_agent(text) for text in plan.agents]
    author = plan.created_by or (agents[0]["agent_id"] if agents else "author")
    by_agent = any(agent["agent_id"] == author for agent in agents)
    asks_nothing = plan.mode == "full_auto"
    metadata = {"priority": plan.priority, "depends_on": list(plan.depends_on) or None}
    data: dict[str, Any] = {
        "id": plan.id or f"intent_{slug(plan.title, 'plan')}",
        "type": "execution_intent",
        "title": plan.title,
        "version": "0.1.0",
        "status": plan.status,
        "created_at": plan.created_at,
        "lineage": {"introduced_in": "0.9.1", "derived_from": [], "supersedes": []},
        "scope": {
            "project_id": plan.project,
            "repo_root": plan.root,
            "targets": _targets(plan),
        },
        "objective": {
            "goal": plan.goal or plan.title,
            "success_criteria": [f"done: {plan.title}"[:300]],
            "non_goals": [],
        },
        "selected_workflows": [
            {
                "workflow_id": "change" if changes else "analysis",
                "phases": list(plan.phases) or ["analysis", *(["implementation"] * changes)],
            }
        ],
        "selected_agents": agents or [_parse_agent("author")],
        "planned_commands": commands,
        "interaction": {
            "mode": plan.mode,
            "question_budget": 0 if asks_nothing else 10,
            "question_policy": "never" if asks_nothing else "blockers_only",
        },
        "risk": {
            "overall": plan.risk or default_risk(effects),
            "drivers": [f"effects: {', '.join(effects) or 'none'}"],
            "requires_review": default_reviews(effects) if plan.reviews is None else list(plan.reviews),
        },
        "budgets": {
            "max_files": min(500, len({split_part(path)[0] for path in files})),
            "max_commits": 5 if changes else 0,
            "max_tokens": 50_000,
            "max_cost_usd": 5,
            **(plan.budgets or {}),
        },
        "evidence_refs": refs,
        "constraints": {
            "execution": "forbidden",
            "no_fabrication": True,
            "registry_only": True,
            "lock_scope": {"mode": "none" if plan.lock is None else "files", "paths": list(plan.lock or ())},
        },
        "audit": {
            "created_by": author,
            "source": plan.source or ("agentos" if by_agent else "human"),
            "checksum": UNSEALED,
        },
    }
    if plan.description:
        data["description"] = plan.description
    if any(value is not None for value in metadata.values()):
        data["metadata"] = {name: value for name, value in metadata.items() if value is not None}
    return data


def _targets(plan: Plan) -> dict[str, Any]:
    """What a plan affects; what it does not say is left out of the document."""
    about = {"reads": list(plan.reads), "removes": list(plan.removes), "renames": dict(plan.renames)}
    return {
        "files": list(plan.files),
        "modules": list(plan.modules),
        "areas": list(plan.areas),
        **{name: names for name, names in about.items() if names},
    }


def _parse_commands(texts: Iterable[str], refs: list[str]) -> list[dict[str, Any]]:
    problems, commands = Problems(), []
    for text in texts:
        match = _COMMAND.fullmatch(text)
        if not match:
            problems.include(InvalidInput(_command_problem(text)))
            continue
        effects = list(dict.fromkeys(re.split(r"\s*\+\s*", match[2])))
        commands.append(
            {
                "command_id": match[1],
                "intent": match[3].strip(),
                "effects": effects,
                "risk_level": default_risk(effects),
                "evidence_refs": refs,
            }
        )
    problems.raise_if_any(InvalidInput)
    return commands


def _command_problem(text: str) -> Problem:
    id = text.partition(":")[0].strip()
    if re.fullmatch(r"[a-z][a-z0-9_]?", id) and _COMMAND.fullmatch(text.replace(id, f"{id}__", 1)):
        return Problem(
            f"{format_value(id)} is too short for the id of a command",
            "commands",
            "3 to 121 of a-z, 0-9 and _",
            f"write it like '{id}_the_imports', in two words",
        )
    return Problem(
        f"{format_value(text)} is not a command",
        "commands",
        f"COMMAND_ID: EFFECT+EFFECT: WHAT IT DOES, with effects of {', '.join(get_args(Effect))}",
        "write it like 'add_tests: create+write: cover the routes'",
    )


def _parse_agent(text: str) -> dict[str, Any]:
    id, _, role = (part.strip() for part in text.partition(":"))
    return {"agent_id": id, "role": role or "author", "responsibilities": ["carry the plan through"]}


def default_reviews(effects: Iterable[str]) -> list[str]:
    """The reviews that a plan with these effects asks for."""
    return sorted({_REVIEWS.get(effect, "architecture") for effect in effects if effect not in {"read", "network"}})


def default_risk(effects: Iterable[str]) -> str:
    """The default risk of a plan with these effects: only one that just reads is low."""
    chosen = set(effects)
    if chosen & _GRAVE:
        return "high"
    return "medium" if chosen - {"read"} else "low"


def seal_and_check(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """A sealed draft; InvalidInput lists everything that is wrong with it."""
    data = seal(kind, data)
    if findings := inspect(kind, data) or checklist_findings(kind, data):
        raise InvalidInput(*(finding.problem(f"new {kind.replace('_', ' ')}") for finding in findings))
    return data


def slug(text: str, kind: str) -> str:
    """A text as the part of an id, which is longer than some texts: then it says what it is the id of.

    >>> slug("Fix the routes", "plan"), slug("Docs", "plan")
    ('fix_the_routes', 'docs_plan')
    """
    words = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:64].rstrip("_")
    return words if len(words) >= 6 else "_".join(filter(None, (words, kind))).ljust(6, "_")

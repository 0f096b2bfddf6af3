"""From a few arguments to a plan: the document is drafted, dated and sealed for the agent. Pure, so repeatable."""

from __future__ import annotations

import re
from collections.abc import Sequence  # noqa: TC003  msgspec reads the annotations
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.core.document import dump_json, parse_json
from volition.core.errors import InvalidInput, Problems, refuse
from volition.governance import Plan
from volition.governance.documents.intent import LEVELS
from volition.governance.documents.reading import seal_document
from volition.governance.drafts.plan import default_reviews, default_risk, slug

if TYPE_CHECKING:
    from collections.abc import Iterable

_ODD: Final = re.compile(r"[\x00-\x1f\x7f\\]")
"""Characters that no path of a plan may have: it would be another file to everybody else."""
_NAME_LENGTH: Final = 48
"""How much of a title goes into an id."""


class Proposal(Struct, frozen=True):
    """What an agent says about a plan. In a revision, None keeps what there is."""

    title: str | None = None
    files: Sequence[str] | None = None
    modules: Sequence[str] | None = None
    effects: Sequence[str] | None = None
    goal: str | None = None
    depends_on: Sequence[str] | None = None
    priority: int | None = None


def plan_id_of(title: str, holder: str) -> str:
    """The id of a holder's plan: the same for the same title, and never that of another holder.

    >>> plan_id_of("Add rate limits", "ann@01a1")
    'intent_add_rate_limits_70651bc8'
    """
    return f"intent_{slug(title, 'plan')[:_NAME_LENGTH].strip('_')}_{sha256(holder.encode()).hexdigest()[:8]}"


def draft_plan(proposal: Proposal, *, project: str, holder: str, created_at: str) -> bytes:
    """The document of a new plan; InvalidInput lists everything that is wrong with it."""
    files, modules = check_paths(proposal.files or ()), list(proposal.modules or ())
    if not files and not modules:
        refuse(
            "the plan names nothing that it touches",
            where="files",
            expected="at least one file, folder, pattern or module",
            remedy="name what you will read or write, relative to the root of the repository",
        )
    title = proposal.title or ""
    what = " ".join((proposal.goal or title).split())
    effects = "+".join(proposal.effects or ("write",))
    plan = Plan(
        title,
        id=plan_id_of(title, holder),
        project=project,
        files=files,
        modules=modules,
        commands=[f"do_{slug(title, 'plan')[:_NAME_LENGTH]}: {effects}: {what[:800] or title}"],
        goal=proposal.goal or "",
        agents=["agent: engineer"],
        created_by=holder[:128],
        source="agentos",
        status="proposed",
        created_at=created_at,
        depends_on=list(proposal.depends_on or ()),
        priority=proposal.priority,
    )
    return dump_json(plan.to_data()).encode()


def redraft_plan(document: str, changes: Proposal) -> bytes:
    """Another version of a plan: what is named is replaced, everything else is kept, and its version is raised."""
    data: dict[str, Any] = parse_json(document)
    targets = data["scope"]["targets"]
    before = list(targets["files"])
    if changes.title is not None:
        data["title"] = changes.title
    if changes.goal is not None:
        data["objective"]["goal"] = changes.goal
    if changes.files is not None:
        targets["files"] = check_paths(changes.files)
        data["budgets"]["max_files"] = min(500, max(len(targets["files"]), 1))
    if changes.modules is not None:
        targets["modules"] = list(changes.modules)
    if changes.effects is not None:
        _change_effects(data, list(changes.effects))
    _change_evidence(data, before, targets["files"] or [f"module://{name}" for name in targets["modules"]])
    about = data.get("metadata", {})
    if changes.depends_on is not None:
        about["depends_on"] = list(changes.depends_on)
    if changes.priority is not None:
        about["priority"] = changes.priority
    if about:
        data["metadata"] = about
    data["version"] = _next_version(data["version"])
    return dump_json(seal_document(data)).encode()


def check_paths(paths: Iterable[str]) -> list[str]:
    """The paths of a plan, each once; InvalidInput names every one that others would read as another file."""
    problems, kept = Problems(), list(dict.fromkeys(paths))
    for path in kept:
        if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
            problems.add(
                f"{path[:200]!r} is absolute",
                where="files",
                expected="a path relative to the root of the repository: worktrees have the same files elsewhere",
                remedy="leave out the folder of the repository",
            )
        elif path != path.strip() or _ODD.search(path):
            problems.add(
                f"{path[:200]!r} has blanks around it, a backslash or a control character",
                where="files",
                expected="a path as git writes it, with / between folders",
                remedy="correct it",
            )
    problems.raise_if_any(InvalidInput)
    return kept


def _change_effects(data: dict[str, Any], effects: list[str]) -> None:
    """Set the effects of the only command; the risk follows, and never falls below what was declared."""
    commands = data["planned_commands"]
    if len(commands) != 1:
        refuse(
            f"the plan has {len(commands)} commands, each with its effects",
            where="effects",
            expected="a plan with one command, as propose_plan drafts it",
            remedy="leave effects out; or withdraw the plan and propose another",
        )
    commands[0]["effects"] = effects
    for where, name in ((commands[0], "risk_level"), (data["risk"], "overall")):
        where[name] = max(where[name], default_risk(effects), key=LEVELS.index)
    data["risk"]["requires_review"] = sorted({*data["risk"]["requires_review"], *default_reviews(effects)})


def _change_evidence(data: dict[str, Any], before: Sequence[str], after: Sequence[str]) -> None:
    """Let references to files that are no longer touched give way to the new ones; other evidence is kept."""
    gone = {f"file://{path}"[:256] for path in before} - {f"file://{path}"[:256] for path in after}
    new = [path if "://" in path else f"file://{path}"[:256] for path in after]
    for holder, most in [(data, 200), *((command, 30) for command in data["planned_commands"])]:
        kept = [ref for ref in holder["evidence_refs"] if ref not in gone]
        holder["evidence_refs"] = (kept or new)[:most]


def _next_version(version: str) -> str:
    major, minor, patch = version.split(".")
    return f"{major}.{minor}.{int(patch) + 1}"

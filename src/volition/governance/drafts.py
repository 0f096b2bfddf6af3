"""Drafts: documents from the little that their authors have to say, with the checksums set."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import InvalidInput, Problem, refuse, shown
from volition.governance.checksums import sealed
from volition.governance.documents.intent import Intent
from volition.governance.documents.intent_set import IntentSet
from volition.governance.inspection import inspect
from volition.governance.loading import Loaded
from volition.governance.plan import SEAL, UNDATED, Plan, finish, slug
from volition.governance.reading import from_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.governance.documents.intent_set import Env

_TYPES: Final = {
    "execution_intent": "intent",
    "intent_set": "intent_set",
    "intent_evaluation_result": "evaluation_result",
    "intent_merge_plan": "merge_plan",
}


def new_intent(title: str, **about: Any) -> dict[str, Any]:
    """A valid, sealed intent as plain data; what may be said of it is what `Plan` takes.

    >>> made = new_intent("Read the routes", project="shop", files=["src/api/routes.py"])
    >>> made["id"], made["risk"]["overall"]
    ('intent_read_the_routes', 'low')
    """
    return Plan(title, **about).to_data()


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
        "id": f"intent_set_{slug(name)}",
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
    return finish("intent_set", {**data, "metadata": metadata} if metadata else data)


def gather(
    plans: Iterable[Plan | Intent],
    *,
    env: Env = "local",
    name: str | None = None,
    complementary: Sequence[tuple[str, str]] = (),
) -> Loaded:
    """Plans as one set, to be judged together; it is dated as the newest of them, and named after all of them.

    >>> batch = gather([Plan("Read the cart", files=["cart.py"]), Plan("Read the shop", files=["shop.py"])], env="dev")
    >>> batch.intent_set.context.env, batch.intent_set.intent_ids
    ('dev', ('intent_read_the_cart', 'intent_read_the_shop'))
    """
    intents = tuple(sorted((_intent(plan) for plan in plans), key=lambda intent: intent.id))
    projects = sorted({intent.scope.project_id for intent in intents})
    if len(projects) > 1:
        refuse(
            f"the plans are of {len(projects)} projects: {', '.join(projects)}",
            where="plans",
            expected="plans of one project",
            remedy="judge each project by itself, or correct `project`",
        )
    seals = "".join(intent.audit.checksum for intent in intents)
    data = new_set(
        name or f"plans_{sha256(seals.encode()).hexdigest()[:12]}",
        [intent.id for intent in intents],
        project=projects[0] if projects else "project",
        created_at=max((intent.created_at for intent in intents), default=UNDATED),
        env=env,
        complementary=complementary,
    )
    return Loaded(from_data(data, IntentSet), intents)


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


def _intent(plan: Any) -> Intent:
    if isinstance(plan, Plan):
        return plan.intent
    if isinstance(plan, Intent):
        return plan
    return refuse(
        f"{shown(plan)} is no plan",
        where="plans",
        expected="Plan(...) or Intent",
        remedy="write Plan('Add logging', files=['routes.py'], commands=['add_logging: write: log every route'])",
    )

"""Random sets of intents that collide often: few resources, spelled in many ways, and words that say what a command does.

One generator serves Hypothesis and long searches with plain seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import strategies as st
from msgspec.structs import replace

from tests.governance.lines import in_line
from tests.governance.sample_names import (
    ABSENT,
    ARTIFACTS,
    CALM,
    COMMANDS,
    EFFECTS,
    GROUPS,
    IDS,
    LEVELS,
    LOCKS,
    MODES,
    MODULES,
    MOMENTS,
    PHASES,
    PIECES,
    ROOTS,
    SAID,
    VERBS,
)
from volition.governance.documents.intent import (
    Agent,
    Audit,
    Budgets,
    Command,
    Constraints,
    IntentDocument,
    IntentMetadata,
    Interaction,
    Lineage,
    LockScope,
    Objective,
    Part,
    Risk,
    Scope,
    Targets,
    Workflow,
)
from volition.governance.documents.intent_set import Context, IntentSet, MergeHints, SetLineage, SetMetadata
from volition.governance.documents.policy import BUILT_IN, DEFAULT_ORDER, EXCLUSIVE_FOLDERS, RULES, Policy, Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from volition.governance.documents.intent import LockMode

SHA = "0" * 64
AUTHORS = ("somebody", "somebody", "another", "author")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Case:
    """A set with its intents and the policy that judges them."""

    intent_set: IntentSet
    intents: tuple[IntentDocument, ...]
    policy: Policy


def cases() -> st.SearchStrategy[Case]:
    """Sets of two to six intents, seldom of twenty; a failing one is named by its seed: `draw_case(Random(7))`."""
    return st.randoms(use_true_random=True).map(draw_case)


def draw_case(chance: Random) -> Case:
    """One set of intents, its policy and its hints."""
    size = chance.choice((2, 2, 3, 3, 4, 6)) if chance.random() < 0.99 else 20
    ids = sorted(IDS[:size])
    policy = draw_policy(chance) if chance.random() < 0.5 else BUILT_IN
    manner = {name: chance.random() < share for name, share in (("calm", 0.3), ("wide", 0.08))}
    intents = tuple(draw_intent(chance, name, ids, policy, **manner) for name in ids)
    if chance.random() < 0.08:
        intents = crowded(chance, intents)
    if chance.random() < 0.25:
        intents = in_line(chance, intents)
    intents = tuple(in_parts(chance, intent) if chance.random() < 0.06 else intent for intent in intents)
    chance.shuffle(ids)
    pairs: Any = tuple(tuple(chance.sample(ids, 2)) for _ in range(chance.choice((0, 0, 1, 2))))
    done = some(chance, ABSENT, 2) if chance.random() < 0.5 else ()
    hints = MergeHints(complementary=pairs, done=done) if pairs or done else None
    return Case(
        IntentSet(
            id="intent_set_random_one",
            type="intent_set",
            schema_version="0.9.3",
            created_at="2026-01-25T10:00:00Z",
            intent_ids=tuple(ids),
            context=Context(project_id="shop", env=chance.choice(("local", "dev", "staging", "prod"))),
            lineage=SetLineage(introduced_in="0.9.3", derived_from=()),
            checksum=SHA,
            metadata=SetMetadata(merge_hints=hints) if hints else None,
        ),
        intents,
        policy,
    )


def draw_policy(chance: Random) -> Policy:
    """A policy that says something about everything a policy can speak of."""
    few: Any = {name: chance.choice(LEVELS) for name in some(chance, tuple(RULES), 3)}
    requires, produces = ({name: some(chance, ARTIFACTS, 2) for name in some(chance, COMMANDS, 3)} for _ in range(2))
    for place, name in enumerate(COMMANDS):
        later = {artifact for other in COMMANDS[place:] for artifact in produces.get(other, ())}
        if name in requires:
            requires[name] = tuple(artifact for artifact in requires[name] if artifact not in later)
    return Policy(
        max_files=chance.choice((20, 500)),
        max_commits=chance.choice((4, 50)),
        max_tokens=chance.choice((1_000, 2_000_000)),
        max_cost_usd=chance.choice((0.3, 10_000)),
        priority_order=tuple(chance.sample((*DEFAULT_ORDER, "newer"), chance.choice((1, 3, 4)))),
        severities=few if chance.random() < 0.6 else {},
        criticality=chance.choice(({}, {"docs": 0.5}, {"backend": 1.5, "docs": 0.25})),
        exclusive_folders=chance.choice((EXCLUSIVE_FOLDERS, EXCLUSIVE_FOLDERS, (), ("db/Migrations/*", "src/[ab].py"))),
        exclusive_resources=some(
            chance, ("src", "./src2/", "service:billing", "module:shop", "shop.cart", "src/*.py"), 1
        ),
        exclusive_envs=chance.choice(((), (), ("staging",), ("prod", "local"))),
        ignore_case=chance.random() < 0.2,
        modules=chance.choice(
            (
                {},
                {},
                {"pay": "./lib/pay.py"},
                {"shop": "src", "shop.cart": "gen"},
                {"shop": "."},
                {"api": "lib/shop.ts"},
            )
        ),
        bindings=chance.choice(
            (
                {},
                {},
                {"service:api": ("deploy/api.yaml", "src2", "db/*/*")},
                {"module:shop": ("service:billing", "src/a.py#Cart"), "src": ("x",)},
            )
        ),
        registry=Registry(commands=COMMANDS, requires=requires, produces=produces) if chance.random() < 0.7 else None,
    )


def draw_intent(
    chance: Random,
    name: str,
    ids: Sequence[str],
    policy: Policy,
    *,
    calm: bool = False,
    bulky: bool = False,
    wide: bool = False,
) -> IntentDocument:
    """An intent that its schema and rules accept; calm ones seldom write, wide ones share ten files or a few more."""
    root = chance.choice(ROOTS)
    targets = draw_targets(chance, root)
    commands = tuple(draw_command(chance, ids, calm=calm) for _ in range(chance.choice((0, 1, 1, 2, 3))))
    if wide:
        many = tuple(f"gen/f{n}.py" for n in range(chance.choice((10, 11, 12))))
        if commands and chance.random() < 0.3:
            commands = (replace(commands[0], intent=f"change {', '.join(many)}"), *commands[1:])
        else:
            targets = replace(targets, files=many)
    mode, overall = chance.choice(MODES), chance.choice(LEVELS)
    if overall in {"high", "critical"} and mode == "full_auto":
        overall = "medium"
    changes = any(set(command.effects) - {"read", "network"} for command in commands)
    lock = chance.choice(LOCKS)
    paths = (
        (".",) if chance.random() < 0.05 else tuple(draw_path(chance, root) for _ in range(chance.choice((0, 1, 1, 2))))
    )
    most = len(ids)
    return IntentDocument(
        id=name,
        type="execution_intent",
        title="A random plan",
        version="1.0.0",
        status=chance.choice(("draft", "proposed", "approved")),
        created_at=chance.choice(MOMENTS),
        lineage=Lineage(
            introduced_in="0.9.1",
            derived_from=some(chance, (*ids, "intent_elsewhere"), 1) if chance.random() < 0.2 else (),
            supersedes=("intent_before_it",) if chance.random() < 0.1 else (),
        ),
        scope=Scope(
            project_id="shop",
            repo_root=root,
            targets=replace(targets, areas=some(chance, ("backend", "docs", "data"), 2)),
        ),
        objective=Objective(goal="Reach it", success_criteria=("It works",), non_goals=()),
        selected_workflows=draw_workflows(chance),
        selected_agents=(draw_agent(chance),),
        planned_commands=commands,
        interaction=Interaction(
            mode=mode,
            question_budget=0 if mode == "full_auto" else chance.choice((0, 3, 5)),
            question_policy="never"
            if mode == "full_auto"
            else chance.choice(("conceptual_only", "blockers_only", "never")),
        ),
        risk=Risk(
            overall=overall,
            drivers=("It is new",),
            requires_review=some(chance, ("security", "data", "cost"), 2) or (("release",) if changes else ()),
        ),
        budgets=Budgets(
            max_files=chance.choice((0, policy.max_files // most)),
            max_commits=chance.choice((0, 1, policy.max_commits // most, policy.max_commits // most + 1)),
            max_tokens=chance.choice((0, policy.max_tokens // most)),
            max_cost_usd=chance.choice((0, 0.1, 0.2, min(10_000, policy.max_cost_usd / most))),
        ),
        evidence_refs=tuple(draw_evidence(chance, ids) for _ in range(chance.choice((1, 2, 6)))),
        constraints=Constraints(
            execution="forbidden",
            no_fabrication=True,
            registry_only=True,
            lock_scope=LockScope(mode=lock, paths=paths),
        ),
        audit=Audit(created_by=chance.choice(AUTHORS), source="human", checksum=SHA),
        metadata=draw_metadata(chance, ids),
    )


def draw_path(chance: Random, root: str) -> str:
    """A path, pattern or part of a file; from a folder of the project it may go up."""
    path = chance.choice(chance.choice(GROUPS))
    up = root.startswith(("services", "./services")) and chance.random() < 0.2 and not set(path) & set("*?[{")
    return f"../{path}" if up and not path.startswith("/") else path


def draw_targets(chance: Random, root: str) -> Targets:
    """Files and modules; seldom also what is read, removed and renamed."""
    paths = [draw_path(chance, root) for _ in range(9)]
    names = [*paths[:4], f"module:{chance.choice(MODULES[:4])}", "service:api"]
    reads, removes, renames = (chance.random() < share for share in (0.25, 0.12, 0.08))
    return Targets(
        files=tuple(paths[4 : 4 + chance.choice((0, 0, 1, 1, 2))]),
        modules=some(chance, MODULES, 1),
        areas=(),
        reads=some(chance, sorted(set(names)), 2) if reads else (),
        removes=some(chance, sorted(set(names)), 2) if removes else (),
        renames={chance.choice(names): chance.choice(paths[6:])} if renames else {},
    )


def in_parts(chance: Random, intent: IntentDocument) -> IntentDocument:
    """The intent as one that was merged before, of plans with different scopes, and perhaps touched up by hand."""
    names = ("intent_part_one", "intent_part_two")
    roots = [chance.choice(ROOTS) for _ in names]
    parts = tuple(
        Part(
            intent_id=name,
            repo_root=root,
            targets=draw_targets(chance, root),
            phases=some(chance, PHASES, 2) or ("review",),
            agents=("writer",),
        )
        for name, root in zip(names, roots, strict=True)
    )
    sources = (*names, *names, None, "intent_elsewhere")
    commands = tuple(replace(one, source=chance.choice(sources)) for one in intent.planned_commands)
    metadata = replace(intent.metadata or IntentMetadata(), parts=parts)
    return replace(intent, planned_commands=commands, metadata=metadata)


def crowded(chance: Random, intents: tuple[IntentDocument, ...]) -> tuple[IntentDocument, ...]:
    """The intents with so much of one thing that together they fill one intent to the brim, or hold one thing more."""
    fill, most = chance.choice(FILLS)
    total = most + chance.choice((0, 1))
    shares = [range(place, total, len(intents)) for place in range(len(intents))]
    return tuple(fill(intent, share) for intent, share in zip(intents, shares, strict=True))


def _commands(intent: IntentDocument, numbers: range) -> IntentDocument:
    ids = (f"look_{n}" for n in numbers)
    made = (
        Command(command_id=i, intent="look", effects=("read",), risk_level="low", evidence_refs=("note",)) for i in ids
    )
    return replace(intent, planned_commands=tuple(made))


def _targets(intent: IntentDocument, **changes: Any) -> IntentDocument:
    return replace(intent, scope=replace(intent.scope, targets=replace(intent.scope.targets, **changes)))


def _rooted(intent: IntentDocument, numbers: range) -> IntentDocument:
    """The same names of modules in the roots of different plans are different modules."""
    scope = replace(intent.scope, repo_root=f"services/s{numbers.start}")
    return replace(intent, scope=replace(scope, targets=Targets((), tuple(f"m{n}" for n in range(len(numbers))), ())))


def _locks(intent: IntentDocument, mode: LockMode, numbers: range) -> IntentDocument:
    lock = LockScope(mode, tuple(f"lock/{n}" for n in numbers))
    return replace(intent, constraints=replace(intent.constraints, lock_scope=lock))


FILLS: tuple[tuple[Callable[[IntentDocument, range], IntentDocument], int], ...] = (
    (_commands, 80),
    (lambda i, ns: replace(i, selected_workflows=tuple(Workflow(f"flow_{n}", ("review",)) for n in ns)), 18),
    (lambda i, ns: replace(i, selected_agents=tuple(Agent(f"agent_{n}", "helper", ("help",)) for n in ns)), 13),
    (lambda i, ns: replace(i, evidence_refs=tuple(f"note://{n}" for n in ns)), 200),
    (lambda i, ns: _targets(i, files=tuple(f"many/{n}" for n in ns)), 200),
    (lambda i, ns: _targets(i, modules=tuple(f"many.m{n}" for n in ns)), 100),
    (lambda i, ns: _targets(i, reads=tuple(f"many/{n}" for n in ns)), 200),
    (lambda i, ns: _targets(i, removes=tuple(f"many/{n}" for n in ns)), 200),
    (lambda i, ns: _targets(i, renames={f"many/{n}": f"few/{n}" for n in ns}), 200),
    (_rooted, 100),
    (lambda i, ns: _locks(i, "files", ns), 200),
    (lambda i, ns: _locks(i, "none", ns), 200),
)
"""How an intent is given things by number, and how many an intent can hold."""


def draw_command(chance: Random, ids: Sequence[str], *, calm: bool) -> Command:
    """A command that may name targets, in its words or its evidence, and do what its words say."""
    verb = chance.choice(("analyze", "look at") if calm else VERBS)
    about = draw_name(chance)
    tail = chance.choice(
        ("", ".", "...", "/", "/..", "/.", ".bak", "2", "_old", " and nothing else", ", then rest", " (roll back)")
    )
    return Command(
        command_id=chance.choice(("check_all", "make_client") if calm else COMMANDS),
        intent=f"{verb} {about}{tail}{draw_source(chance)}",
        effects=tuple(sorted({chance.choice(CALM if calm else EFFECTS) for _ in range(chance.choice((1, 2)))})),
        risk_level=chance.choice(("low", "high")),
        evidence_refs=tuple(draw_evidence(chance, ids) for _ in range(chance.choice((1, 2)))),
    )


def draw_name(chance: Random) -> str:
    """What a text may name: nothing in particular, a file, a module, a service, a part, or anything."""
    vague = chance.choice(("it", "everything", "it", scrawl(chance)))
    named = chance.choice((*chance.choice(GROUPS), *chance.choice((MODULES, SAID)))).removeprefix("service:")
    return chance.choice((vague, named, named, f"service:{chance.choice(('api', 'billing'))}"))


def draw_source(chance: Random) -> str:
    """What the text of a command says that something is made from, or taken away from; mostly nothing."""
    if chance.random() < 0.7:
        return ""
    one, other = draw_name(chance), draw_name(chance)
    return chance.choice(
        (
            f" from {one}",
            f" from the file {one}, and {other}",
            f" using {one} and {other}",
            f". Remove unused imports from {one}",
            f" out of {one}; see {other}",
            f" based on an {one}.",
            f", which is moved from {one}. Read from {other}",
        )
    )


def draw_evidence(chance: Random, ids: Sequence[str]) -> str:
    """A reference to nothing in particular, to a resource, or to another intent."""
    place = chance.choice((chance.choice(chance.choice(GROUPS)), chance.choice(MODULES)))
    return chance.choice(
        (
            *("note://meeting",) * 9,
            f"note://{chance.choice(('one', 'two', 'three'))}",
            f"factpack://file_scan/{place}",
            f"file:{place}#L3",
            f"file://{place}",
            f"module://{place}",
            f"see {place}:12, and shop.cart.Item.",
            f"see {scrawl(chance)}",
            f"{place}/{scrawl(chance)}./",
            f"intent://{chance.choice(ids)}",
            f"scan of {chance.choice(ids)}/report",
        )
    )


def scrawl(chance: Random) -> str:
    """A few pieces in a row, which may spell anything."""
    return "".join(chance.choice(PIECES) for _ in range(chance.choice((2, 3, 5))))


def draw_workflows(chance: Random) -> tuple[Workflow, ...]:
    """One or two workflows with some phases."""
    return tuple(
        Workflow(workflow_id=name, phases=some(chance, PHASES, 2) or ("review",))
        for name in some(chance, ("api_review", "api_change"), 2) or ("general",)
    )


def draw_agent(chance: Random) -> Agent:
    """An agent that others may have too, with the same duties or others."""
    return Agent(
        agent_id=chance.choice(("writer", "reviewer")),
        role=chance.choice(("author", "editor")),
        responsibilities=some(chance, ("write", "review"), 2) or ("write",),
    )


def draw_metadata(chance: Random, ids: Sequence[str]) -> IntentMetadata | None:
    """A priority, dependencies, both or nothing."""
    if chance.random() < 0.4:
        return None
    needed = (
        some(chance, ids, 1) if chance.random() < 0.2 else some(chance, ABSENT, 1) if chance.random() < 0.08 else ()
    )
    return IntentMetadata(priority=chance.choice((None, 1, 5, 5, 10)), depends_on=needed)


def some(chance: Random, choices: Sequence[T], most: int) -> tuple[T, ...]:
    """Up to `most` of the choices, in the order in which they were drawn."""
    return tuple(chance.sample(choices, min(len(choices), chance.randint(0, most))))

"""The naive evaluator's rules one by one, on plans written by hand."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.governance.reference_merge import Group, Verdict, evaluate
from tests.governance.strategies import SHA, draw_intent
from volition.governance.documents.intent import (
    Command,
    Constraints,
    IntentDocument,
    IntentMetadata,
    LockScope,
    Targets,
    Workflow,
)
from volition.governance.documents.intent_set import Context, IntentSet, MergeHints, SetLineage, SetMetadata
from volition.governance.documents.policy import BUILT_IN, Policy, Registry

DRAWN = draw_intent(Random(0), "intent_base_one", ["intent_base_one", "intent_base_two"], BUILT_IN)
BASE = replace(DRAWN, scope=replace(DRAWN.scope, repo_root=".", targets=Targets(files=(), modules=(), areas=())))


def plan(
    name: str, *commands: tuple[str, str], files: tuple[str, ...] = (), modules: tuple[str, ...] = (), **more: Any
) -> IntentDocument:
    """An intent with commands given as (text, effects parted by blanks), touching these files and modules."""
    targets = replace(BASE.scope.targets, files=files, modules=modules, areas=("backend",))
    lock = LockScope(mode=more.pop("lock", "task"), paths=more.pop("locked", ()))
    mode = more.pop("mode", "semi_auto")
    interaction = {"mode": mode, "question_budget": 0, "question_policy": "never"}
    metadata = IntentMetadata(priority=more.pop("priority", None), depends_on=more.pop("after", ()))
    phases = more.pop("phases", ("review",))
    fields: dict[str, Any] = {
        "status": "proposed",
        "created_at": "2026-01-25T10:00:00Z",
        "audit": replace(BASE.audit, created_by="ann"),
        "evidence_refs": ("note://meeting",),
        "lineage": replace(BASE.lineage, derived_from=(), supersedes=()),
        "selected_workflows": (Workflow(workflow_id="general", phases=phases),),
        "planned_commands": tuple(
            Command(
                command_id=more.get("command_id", "step_one"),
                intent=text,
                effects=tuple(effects.split()),  # type: ignore[arg-type]
                risk_level="low",
                evidence_refs=("note://meeting",),
            )
            for text, effects in commands
        ),
        "risk": replace(BASE.risk, overall=more.pop("risk", "low"), requires_review=("release",)),
        "budgets": replace(BASE.budgets, max_files=1, max_commits=1, max_tokens=1, max_cost_usd=more.pop("cost", 1)),
    }
    more.pop("command_id", None)
    return replace(
        BASE,
        id=f"intent_plan_{name}",
        scope=replace(BASE.scope, targets=targets),
        interaction=replace(BASE.interaction, **interaction),
        constraints=Constraints(execution="forbidden", no_fabrication=True, registry_only=True, lock_scope=lock),
        metadata=metadata,
        **{**fields, **more},
    )


def judge(
    *intents: IntentDocument,
    policy: Policy = BUILT_IN,
    env: Any = "local",
    together: tuple[str, str] | None = None,
    done: tuple[str, ...] = (),
) -> Verdict:
    """The verdict on these plans; `together` names two whose writes complement each other, `done` plans of the past."""
    pairs = ((f"intent_plan_{together[0]}", f"intent_plan_{together[1]}"),) if together else ()
    hints = MergeHints(complementary=pairs, done=done) if pairs or done else None
    return evaluate(
        IntentSet(
            id="intent_set_by_hand",
            type="intent_set",
            schema_version="0.9.3",
            created_at="2026-01-25T10:00:00Z",
            intent_ids=tuple(intent.id for intent in intents),
            context=Context(project_id="shop", env=env),
            lineage=SetLineage(introduced_in="0.9.3", derived_from=()),
            checksum=SHA,
            metadata=SetMetadata(merge_hints=hints) if hints else None,
        ),
        intents,
        policy,
    )


def summarize(verdict: Verdict) -> set[tuple[str, str, str | None, str]]:
    """The conflicts as (kind, severity, resource, members), short enough to read."""

    def brief(group: Group) -> tuple[str, str, str | None, str]:
        members = "".join(sorted(member.removeprefix("intent_plan_") for member in group.intent_ids))
        return group.type.removesuffix("_conflict"), group.severity, group.resource_ref, members

    return {brief(group) for group in verdict.conflicts}


@pytest.mark.parametrize(
    ("mine", "yours", "severity"),
    [
        ("read", "read", None),
        ("read", "network", None),
        ("read", "write", "medium"),
        ("network", "data", "medium"),
        ("write", "write", "high"),
        ("data", "security", "high"),
        ("delete", "delete", "high"),
        ("write", "delete", "critical"),
        ("deploy", "delete", "critical"),
    ],
)
@pytest.mark.req("GV-03")
def test_severity_follows_what_both_do(mine: str, yours: str, severity: str | None) -> None:
    """Readers never conflict; a writer and a reader do, two writers more, a writer and a deleter most."""
    one = plan("a", ("work", mine), files=("src/a.py",))
    other = plan("b", ("work", yours), files=("src/a.py",))
    expected = {("resource", severity, "src/a.py", "ab")} if severity else set()
    assert {row for row in summarize(judge(one, other)) if row[0] == "resource"} == expected


@pytest.mark.parametrize(
    ("mine", "yours", "shared"),
    [
        ({"files": ("./src//a.py",)}, {"files": ("src/x/../a.py",)}, "src/a.py"),
        ({"files": ("src/",)}, {"files": ("src/a.py",)}, "src"),
        ({"files": ("src",)}, {"files": ("src2/a.py",)}, None),
        ({"modules": ("shop",)}, {"modules": ("shop.cart",)}, "module:shop"),
        ({"modules": ("shop",)}, {"modules": ("shopping",)}, None),
        ({"modules": ("service:api",)}, {"modules": ("service:api",)}, "service:api"),
        ({"modules": ("service:api",)}, {"modules": ("service:api.v2",)}, None),
        ({"modules": ("shop",)}, {"files": ("shop",)}, "module:shop"),
        ({"modules": ("shop.cart",)}, {"files": ("shop/cart.py",)}, "module:shop.cart"),
        ({"modules": ("shop.cart",)}, {"files": ("src\\shop\\cart\\__init__.py",)}, "module:shop.cart"),
        ({"modules": ("shop.cart",)}, {"files": ("shop",)}, "shop"),
        ({"modules": ("shop.cart",)}, {"files": ("shop/carts.py",)}, None),
    ],
)
@pytest.mark.req("GV-03")
def test_what_is_shared_is_found_by_segments(mine: dict[str, Any], yours: dict[str, Any], shared: str | None) -> None:
    """The same thing under two spellings is shared, and so is what lies in a folder; a common prefix or area is not."""
    found = summarize(judge(plan("a", ("work", "write"), **mine), plan("b", ("work", "write"), **yours)))
    assert found == ({("resource", "high", shared, "ab")} if shared else set())


@pytest.mark.req("GV-03")
def test_words_have_no_effects() -> None:
    """A command does what it declares, whatever its words speak of, and its risk is that of what it declares."""
    reports = [plan(name, (f"Create a {what} report", "read network"), files=("src/a.py",)) for name, what in zip("ab", ("security", "cost"), strict=True)]  # fmt: skip
    verdict = judge(*reports)
    assert summarize(verdict) == set()
    assert [row[2][0] for row in verdict.matrix] == [40, 40]
    risks = judge(plan("a", ("remove it", "write")), plan("b", ("roll back", "deploy"))).matrix
    assert [row[2][0] for row in risks] == [30, 70]


@pytest.mark.parametrize(
    ("mine", "yours", "shared"),
    [
        ("src/*.py", "src/a.py", "src/*.py"),
        ("src/*.py", "src/x/a.py", None),
        ("*.md", "docs/a.md", None),
        ("**", "docs/a.md", "."),
        ("src/{a,b}.py", "src/b.py", "src/{a,b}.py"),
        ("src/[ab].py", "src/c.py", None),
        ("src/?.py", "src/ab.py", None),
        ("src/a*", "src/*.py", "src/*.py"),
        ("packages/*/package.json", "packages/cart", "packages/*/package.json"),
        ("src/a.py#Cart", "src/a.py", "src/a.py"),
        ("src/a.py#Cart", "src/a.py#Cart.add", "src/a.py#Cart"),
        ("src/a.py#Cart", "src/a.py#L1-L9", "src/a.py#Cart"),
        ("src/a.py#L1-L9", "src/a.py#L9-L12", "src/a.py#L1-L9"),
    ],
)
@pytest.mark.req("GV-03", "GV-25")
def test_patterns_and_parts_meet_exactly(mine: str, yours: str, shared: str | None) -> None:
    """Two claims meet if they have a path and a part of it in common; the one that covers the other names it."""
    for one, other in ((mine, yours), (yours, mine)):
        verdict = judge(plan("a", ("work", "write"), files=(one,)), plan("b", ("work", "write"), files=(other,)))
        found = {row for row in summarize(verdict) if row[0] == "resource"}
        assert found == ({("resource", "high", shared, "ab")} if shared else set())


@pytest.mark.req("GV-03")
def test_parts_of_one_file_are_worth_a_word() -> None:
    """Two who write different parts of one file do not clash, which is said at low severity."""
    one = plan("a", ("work", "write"), files=("src/a.py#Cart",))
    other = plan("b", ("work", "write"), files=("src/a.py#Order",))
    assert summarize(judge(one, other)) == {("resource", "low", "file:src/a.py", "ab")}


@pytest.mark.req("GV-03")
def test_paths_are_from_the_root_of_their_plan() -> None:
    """A relative root stands before every path and module of its plan; an absolute path is from the project's root."""
    one = rooted(plan("a", ("work", "write"), files=("a.py",), modules=("shop.cart",)), "services/x")
    for path, shared in (
        ("a.py", None),
        ("services/x/a.py", "services/x/a.py"),
        ("services/x/src/shop/cart.py", "module:services/x/shop.cart"),
        ("src/shop/cart.py", None),
    ):
        found = summarize(judge(one, plan("b", ("work", "write"), files=(path,))))
        assert found == ({("resource", "high", shared, "ab")} if shared else set())
    absolute = rooted(plan("b", ("work", "write"), files=("/a.py",)), "services/x")
    assert summarize(judge(plan("a", ("work", "write"), files=("a.py",)), absolute)) == {
        ("resource", "high", "a.py", "ab")
    }


def rooted(intent: IntentDocument, root: str, **targets: Any) -> IntentDocument:
    """The plan in another root, and with more in its scope."""
    scope = replace(intent.scope, repo_root=root, targets=replace(intent.scope.targets, **targets))
    return replace(intent, scope=scope)


@pytest.mark.parametrize(
    ("text", "effects", "level"),
    [
        ("generate src/b.py from src/a.py", "write", "medium"),
        ("generate src/b.py using the file src/a.py", "write", "medium"),
        ("remove unused imports from src/a.py", "write", "high"),
        ("generate it from src/a.py", "write", "high"),
        ("look at src/b.py", "read", None),
    ],
)
@pytest.mark.req("GV-03")
def test_what_something_is_made_from_is_only_read(text: str, effects: str, level: str | None) -> None:
    """What a text makes something from is read, unless something is taken away from it, or nothing else could be meant."""
    files = ("src/a.py",) if text.startswith("generate it") else ("src/a.py", "src/b.py")
    one = plan("a", (text, effects), files=files)
    found = summarize(judge(one, plan("b", ("work", "write"), files=("src/a.py",))))
    expected = {("resource", level, "src/a.py", "ab")} if level else set()
    unnamed = {("resource", "medium", "src/a.py", "ab")} if not level else set()
    assert found == expected | unnamed


@pytest.mark.req("GV-03")
def test_what_is_declared_is_claimed() -> None:
    """Removing or renaming what a plan relies on breaks its contract; without a plan's result nothing is relied on."""
    gone = rooted(plan("a", ("work", "write"), files=("b.py",)), ".", removes=("src/a.py",))
    renamed = rooted(plan("a", ("work", "write"), files=("b.py",)), ".", renames={"src/a.py": "src/c.py"})
    uses = rooted(plan("b", ("work", "write"), files=("d.py",)), ".", reads=("src",))
    looks = rooted(plan("b", ("look", "read"), files=("d.py",)), ".", reads=("src",))
    assert summarize(judge(gone, uses)) == {("resource", "high", "src", "ab")}
    assert summarize(judge(renamed, uses)) == {("resource", "high", "src", "ab")}
    assert summarize(judge(gone, looks)) == {("resource", "medium", "src", "ab")}


@pytest.mark.req("GV-05")
def test_a_missing_prerequisite_asks() -> None:
    """Who depends on a plan that is not there, or that lost, is asked about, unless a hint calls that one done."""
    alone = plan("a", ("look", "read"), after=("intent_elsewhere",))
    verdict = judge(alone, plan("b", ("look", "read")))
    assert verdict.strategy == "reject"
    assert verdict.asked == {(alone.id,)}
    assert judge(alone, plan("b", ("look", "read")), done=("intent_elsewhere",)).strategy == "merge_union"
    loser = plan("b", ("work", "write"), files=("src/a.py",), priority=1)
    winner = plan("c", ("work", "write"), files=("src/a.py",), priority=2)
    waiting = plan("a", ("look", "read"), after=(loser.id,))
    assert judge(waiting, loser, winner).asked == {(waiting.id,)}
    needing = plan("a", ("work", "write"), files=("b.py",), evidence_refs=("file://src/a.py",))
    assert judge(needing, loser, winner).strategy == "override_by_priority"


@pytest.mark.req("GV-03")
def test_a_command_claims_what_it_names() -> None:
    """Two readers of one file do not conflict because one of them writes elsewhere."""
    one = plan("a", ("look at src/a.py", "read"), ("change src/b.py", "write"), files=("src/a.py", "src/b.py"))
    other = plan("b", ("look", "read"), files=("src/a.py",))
    assert summarize(judge(one, other)) == set()
    vague = plan("a", ("look at it", "read"), ("change it", "write"), files=("src/a.py", "src/b.py"))
    assert summarize(judge(vague, other)) == {("resource", "medium", "src/a.py", "ab")}


@pytest.mark.req("GV-03")
def test_more_than_ten_shared_is_critical() -> None:
    """Ten shared files are ten conflicts; from eleven on each is critical."""
    for count, severity in ((10, "high"), (11, "critical")):
        files = tuple(f"src/{n}.py" for n in range(count))
        one, other = plan("a", ("work", "write"), files=files), plan("b", ("work", "write"), files=files)
        assert summarize(judge(one, other)) == {("resource", severity, name, "ab") for name in files}


@pytest.mark.req("GV-03", "GV-07")
def test_a_reader_beside_two_writers_is_not_superseded() -> None:
    """A contested resource is one conflict of all who contest it, but only those in high clashes compete."""
    one = plan("a", ("work", "write"), files=("src/a.py",), priority=2)
    other = plan("b", ("work", "write"), files=("src/a.py",), priority=1)
    reader = plan("c", ("look", "read"), files=("src/a.py",))
    verdict = judge(one, other, reader)
    assert summarize(verdict) == {("resource", "high", "src/a.py", "abc")}
    assert verdict.strategy == "override_by_priority"
    assert verdict.merged
    assert verdict.merged.lineage == ((one.id, reader.id), (other.id,))


@pytest.mark.req("GV-07")
def test_complementary_writers_are_united() -> None:
    """Two writers of one file are united where somebody vouches for them, and asked about otherwise."""
    one = plan("a", ("work", "write"), files=("src/a.py",), priority=1)
    other = plan("b", ("work", "write"), files=("src/a.py",), priority=1)
    assert judge(one, other).strategy == "reject"
    verdict = judge(one, other, together=("b", "a"))
    assert summarize(verdict) == {("resource", "medium", "src/a.py", "ab")}
    assert verdict.strategy == "merge_union"


@pytest.mark.parametrize(
    ("mine", "yours", "env", "severity"),
    [
        (("ship", "deploy"), ("undo", "rollback"), "local", "critical"),
        (("ship", "deploy"), ("rollback to 1.8", "write"), "local", None),
        (("ship", "deploy"), ("review the rollback plan", "read"), "local", None),
        (("ship", "deploy"), ("watch the rollback", "network"), "prod", None),
        (("ship", "create"), ("undo", "delete"), "local", "high"),
        (("create it", "write"), ("delete it", "write"), "prod", None),
        (("ship", "create"), ("undo", "delete"), "prod", "critical"),
        (("ship", "deploy"), ("ship", "deploy"), "staging", "high"),
        (("ship", "deploy"), ("ship", "deploy"), "prod", "critical"),
        (("ship", "deploy"), ("work", "write"), "prod", None),
    ],
)
@pytest.mark.req("GV-04")
def test_effects_that_undo_each_other(mine: tuple[str, str], yours: tuple[str, str], env: str, severity: str) -> None:
    """Declared effects clash on one target, and in production or when a deploy is undone the most; words do not."""
    one, other = plan("a", mine, modules=("service:api",)), plan("b", yours, modules=("service:api",))
    expected = {("effect", severity, "service:api", "ab")} if severity else set()
    assert {row for row in summarize(judge(one, other, env=env)) if row[0] == "effect"} == expected
    apart = plan("b", yours, modules=("service:billing",))
    assert summarize(judge(one, apart, env=env)) == set()


@pytest.mark.req("GV-04")
def test_exclusive_state() -> None:
    """Where a policy calls an environment exclusive any two deploys clash; in an exclusive place any two writers do."""
    one, other = (
        plan("a", ("ship", "deploy"), modules=("service:x",)),
        plan("b", ("ship", "deploy"), modules=("service:y",)),
    )
    policy = Policy(exclusive_envs=("staging",), exclusive_resources=("db",))
    assert summarize(judge(one, other, policy=policy)) == set()
    assert summarize(judge(one, other, policy=policy, env="staging")) == {("effect", "high", "env:staging", "ab")}
    one, other = plan("a", ("work", "data"), files=("db/x",)), plan("b", ("work", "data"), files=("db/y",))
    assert summarize(judge(one, other, policy=policy)) == {("effect", "high", "db", "ab")}


@pytest.mark.req("GV-05")
def test_order_is_found_whatever_the_list() -> None:
    """Evidence that points at what another makes is an order conflict, unless the dependency is declared."""
    maker = plan("b", ("make", "write"), files=("gen/schema.json",))
    taker = plan("a", ("work", "write"), files=("src/a.py",), evidence_refs=("factpack://scan/gen/schema.json",))
    verdict = judge(taker, maker)
    assert summarize(verdict) == {("order", "medium", "gen/schema.json", "ab")}
    assert verdict.strategy == "merge_union"
    assert verdict.merged
    assert [command.intent for command in verdict.merged.commands] == ["make", "work"]
    declared = plan("a", ("work", "write"), files=("src/a.py",), evidence_refs=taker.evidence_refs, after=(maker.id,))
    assert summarize(judge(declared, maker)) == set()


@pytest.mark.req("GV-05")
def test_order_by_registry_and_phases() -> None:
    """What a registered command requires comes after what produces it; analysis comes after what it reads is written."""
    policy = Policy(
        registry=Registry(commands=("make_it", "take_it"), requires={"take_it": ("x",)}, produces={"make_it": ("x",)})
    )
    maker = plan("b", ("work", "write"), command_id="make_it", files=("src/a.py",), phases=("implementation",))
    taker = plan("a", ("work", "write"), command_id="take_it", files=("src/b.py",))
    assert summarize(judge(taker, maker, policy=policy)) == {("order", "medium", "artifact:x", "ab")}
    reader = plan("a", ("look", "read"), files=("src",), phases=("analysis",))
    assert ("order", "medium", "src", "ab") in summarize(judge(reader, maker))


@pytest.mark.req("GV-05")
def test_a_circle_asks_whatever_the_priorities() -> None:
    """Plans that wait for each other are never merged, not even by a clear priority."""
    one = plan("a", ("look", "read"), after=("intent_plan_b",), priority=9)
    other = plan("b", ("look", "read"), evidence_refs=("intent://intent_plan_a",), priority=1)
    verdict = judge(one, other)
    assert ("order", "high", None, "ab") in summarize(verdict)
    assert verdict.asked == {(one.id, other.id)}
    assert verdict.strategy == "reject"


@pytest.mark.req("GV-06")
def test_budgets_are_summed_over_the_whole_set() -> None:
    """No pair is over the limit, but all three together are; that asks and joins nobody."""
    plans = [plan(name, ("look", "read"), cost=40) for name in "abc"]
    verdict = judge(*plans, policy=Policy(max_cost_usd=100))
    assert summarize(verdict) == {("constraint", "high", "budgets.max_cost_usd", "abc")}
    assert verdict.asked == {tuple(p.id for p in plans)}
    assert summarize(judge(*plans[:2], policy=Policy(max_cost_usd=100))) == set()


@pytest.mark.req("GV-06")
def test_locks_overlap_by_path() -> None:
    """A lock clashes with a lock on the same path and with whoever writes there without one, never by string prefix."""
    holder = plan("a", ("look", "read"), files=("src/api/y.py",), lock="files", locked=("/src/api",))
    visitor = plan("b", ("work", "write"), lock="none", files=("src/api/x.py",))
    assert summarize(judge(holder, visitor)) == {("constraint", "medium", "src/api", "ab")}
    assert summarize(judge(holder, plan("b", ("work", "write"), lock="none", files=("src/api2/x.py",)))) == set()
    assert summarize(judge(holder, plan("b", ("look", "read"), lock="files", locked=("src",)))) == {
        ("constraint", "medium", "src", "ab")
    }
    frozen = plan("a", lock="files", locked=("/src/api",))
    assert summarize(judge(frozen, visitor)) == {("constraint", "high", "src/api", "ab")}


@pytest.mark.req("GV-06")
def test_modes_clash_in_either_order() -> None:
    """One that never asks beside one that wants to be asked is a low conflict, whoever comes first."""
    for modes in (("full_auto", "interactive"), ("interactive", "full_auto")):
        verdict = judge(plan("a", ("look", "read"), mode=modes[0]), plan("b", ("look", "read"), mode=modes[1]))
        assert summarize(verdict) == {("constraint", "low", "interaction.mode", "ab")}
        assert verdict.merged
        assert verdict.merged.mode == "interactive"


@pytest.mark.parametrize(
    ("mine", "yours", "key"),
    [
        ({"priority": 2}, {"priority": 1, "status": "approved"}, "explicit"),
        ({"priority": 1}, {"priority": 1, "risk": "high"}, None),
        ({"priority": 1}, {"risk": "high"}, "risk"),
        ({"created_at": "2026-01-25T11:00:00Z"}, {"status": "approved"}, "newer_same_author"),
        ({"created_at": "2026-01-25T12:00:00+02:00"}, {}, None),
        ({"status": "proposed"}, {"status": "draft"}, "status"),
    ],
)
@pytest.mark.req("GV-08")
def test_priority(mine: dict[str, Any], yours: dict[str, Any], key: str | None) -> None:
    """Explicit, lower risk, newer, status: an explicit tie is final, and missing is never held against given."""
    one, other = (
        plan(name, ("work", "write"), files=("src/a.py",), **more) for name, more in (("a", mine), ("b", yours))
    )
    verdict = judge(one, other)
    assert verdict.lost == ({(other.id, one.id, key)} if key else set())
    deploys = [plan(p.id[-1], ("ship", "deploy"), files=("src/a.py",), **m) for p, m in ((one, mine), (other, yours))]
    assert bool(judge(*deploys).lost) == (key in {"explicit", "risk"})


@pytest.mark.req("GV-11")
def test_risk_by_the_tables() -> None:
    """Effects by the worst, scope by environment and breadth, blast by count and criticality, unknowns by evidence."""
    one = plan("a", ("work", "write network"), files=("a", "b", "./a"), modules=("m",))
    other = plan("b", evidence_refs=tuple(f"note://{n}" for n in range(11)))
    matrix = judge(one, other, env="dev", policy=Policy(criticality={"backend": 1.5})).matrix
    assert [row[2] for row in matrix] == [(40, 80, 15, 90), (0, 20, 15, 30)]

"""Effect conflicts: things that cannot both be had, on one target or in one exclusive state."""

from __future__ import annotations

import pytest

from tests.governance.plans import command, contested, judged, plan
from volition.governance.documents.policy import Policy

A, B, C = "aaaaaa", "bbbbbb", "cccccc"
DEPLOY, ROLLBACK = command("ship_it", "deploy", text="Ship it"), command("undo_it", "rollback", text="Undo it")
CREATE, DELETE = command("make_it", "create", text="Make it"), command("drop_it", "delete", text="Drop it")
API, WEB = ["service:api"], ["service:web"]


@pytest.mark.req("GV-04")
def test_deploy_and_rollback_of_one_target() -> None:
    """Deploying what another rolls back is critical, and is reported as a resource conflict too."""
    found = contested(plan(A, modules=API, commands=[DEPLOY]), plan(B, modules=API, commands=[ROLLBACK]))
    assert found == {("critical", "service:api", (A, B)), ("high", "service:api", (A, B))}


@pytest.mark.req("GV-04")
def test_words_of_commands_that_change_something_clash() -> None:
    """Deploying against rolling back counts where words say so, with the word as evidence, if both change something."""
    ship = command("ship_it", "write", text="Deploy the new version")
    undo = command("undo_it", "deploy", text="Revert to the old version")
    found = judged(plan(A, modules=API, commands=[ship]), plan(B, modules=API, commands=[undo])).conflicts
    effect = next(c for c in found if c.type == "effect_conflict")
    assert (effect.severity, effect.resource_ref) == ("critical", "service:api")
    assert any("'deploy'" in ref for ref in effect.evidence_refs)
    assert any("'revert'" in ref for ref in effect.evidence_refs)


@pytest.mark.req("GV-03", "GV-04")
def test_who_only_looks_never_clashes_by_words() -> None:
    """Two reports about one file do not clash, and to review a rollback plan is no rollback."""
    reports = [
        plan(name, ["src/a.py"], commands=[command("report_on_it", "read", text=f"Create a {what} report")])
        for name, what in ((A, "performance"), (B, "security"))
    ]
    assert contested(*reports) == set()
    ship = plan(A, modules=API, commands=[DEPLOY])
    review = plan(B, modules=API, commands=[command("look_at_it", "read", text="Review the rollback plan")])
    assert contested(ship, review) == {("medium", "service:api", (A, B))}
    assert contested(ship, review, kind="effect", env="prod", policy=Policy(exclusive_envs=("prod",))) == set()


@pytest.mark.req("GV-04")
def test_create_and_delete_of_one_thing() -> None:
    """Creating what another deletes is an effect conflict of high severity."""
    found = contested(plan(A, ["x"], commands=[CREATE]), plan(B, ["x"], commands=[DELETE]), kind="effect")
    assert found == {("high", "x", (A, B))}


@pytest.mark.req("GV-04")
def test_two_deploys_of_one_target() -> None:
    """Two deploys of one target claim one exclusive state."""
    found = contested(plan(A, modules=API, commands=[DEPLOY]), plan(B, modules=API, commands=[DEPLOY]), kind="effect")
    assert found == {("high", "service:api", (A, B))}


@pytest.mark.req("GV-04")
def test_production_is_critical() -> None:
    """In production every effect conflict is critical."""
    two = plan(A, modules=API, commands=[DEPLOY]), plan(B, modules=API, commands=[DEPLOY])
    assert contested(*two, kind="effect", env="prod") == {("critical", "service:api", (A, B))}


@pytest.mark.req("GV-04")
def test_different_targets_have_no_effect_conflict() -> None:
    """What happens to different targets does not clash by its effects."""
    assert contested(plan(A, modules=API, commands=[DEPLOY]), plan(B, modules=WEB, commands=[ROLLBACK])) == set()


@pytest.mark.req("GV-04")
def test_an_exclusive_environment_takes_one_deploy() -> None:
    """Where the policy calls the environment exclusive, any two deploys clash, whatever their targets."""
    two = plan(A, modules=API, commands=[DEPLOY]), plan(B, modules=WEB, commands=[DEPLOY])
    policy = Policy(exclusive_envs=("staging",))
    assert contested(*two, policy=policy, env="staging") == {("high", "env:staging", (A, B))}
    assert contested(*two, policy=policy, env="dev") == set()


@pytest.mark.req("GV-04", "GV-17")
def test_two_services_into_one_environment_ask_where_a_policy_says_so() -> None:
    """Scenario C: two services deployed to one environment are merged, unless the policy calls it exclusive; then it asks."""
    two = (
        plan(A, modules=API, commands=[DEPLOY]),
        plan(B, modules=WEB, commands=[DEPLOY], created="2026-01-26T10:00:00Z"),
    )
    assert judged(*two, env="staging").strategy == "merge_union"
    asked = judged(*two, env="staging", policy=Policy(exclusive_envs=("staging",)))
    assert (asked.strategy, len(asked.questions)) == ("reject", 1)


@pytest.mark.req("GV-04")
def test_an_exclusive_resource_takes_one_writer() -> None:
    """Two writers inside a resource that the policy calls exclusive clash, though they write different files."""
    two = plan(A, ["infra/a.tf"]), plan(B, ["infra/b.tf"])
    assert contested(*two, policy=Policy(exclusive_resources=("./infra/",))) == {("high", "infra", (A, B))}


@pytest.mark.req("GV-04")
def test_a_verb_is_evidence() -> None:
    """An effect that only a command's words say is a conflict whose evidence is the matched word."""
    deploying = plan(A, modules=API, commands=[command("ship_two", "write", text="Deploy version 2")])
    undoing = plan(B, modules=API, commands=[command("go_back", "write", text="Roll back to version 1.8")])
    (conflict,) = [c for c in judged(deploying, undoing).conflicts if c.type == "effect_conflict"]
    assert conflict.severity == "critical"
    assert conflict.evidence_refs == (
        "intent_aaaaaa#ship_two: deploy (it says 'deploy')",
        "intent_bbbbbb#go_back: rollback (it says 'roll back')",
    )


def test_a_third_who_only_deploys_joins_the_group() -> None:
    """All who deploy or roll back one target are in one effect conflict."""
    deploys = [plan(name, modules=API, commands=[DEPLOY]) for name in (A, B)]
    found = contested(*deploys, plan(C, modules=API, commands=[ROLLBACK]), kind="effect")
    assert found == {("critical", "service:api", (A, B, C))}

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
def test_words_have_no_effects() -> None:
    """A command does what it declares: what its words say beyond that clashes with nothing, and is quoted as evidence."""
    ship = command("ship_it", "write", text="Deploy the new version")
    undo = command("undo_it", "write", text="Revert to the old version")
    two = plan(A, modules=API, commands=[ship]), plan(B, modules=API, commands=[undo])
    (found,) = judged(*two, env="prod").conflicts
    assert (found.type, found.severity) == ("resource_conflict", "high")
    assert found.evidence_refs == (
        "intent_aaaaaa#ship_it: write (its text says 'deploy')",
        "intent_bbbbbb#undo_it: write (its text says 'revert')",
    )


@pytest.mark.req("GV-04")
def test_what_only_a_text_names_is_never_critical() -> None:
    """Deleting what a text names outside of the targets is high at most, in production, too, unless the policy says
    otherwise; deleting a target is critical."""
    writes = plan(A, ["src/a.py"])
    for scope, level in ((["docs"], "high"), (["src/a.py"], "critical")):
        gone = plan(B, scope, commands=[command("drop_it", "delete", text="drop src/a.py")])
        assert ("docs" in scope) == ("critical" not in {found[0] for found in contested(writes, gone, env="prod")})
        assert (level, "src/a.py", (A, B)) in contested(writes, gone, kind="resource", env="prod")
    by_words = plan(B, ["docs"], commands=[command("drop_it", "delete", text="drop src/a.py")])
    strict = Policy(severities={"resource_write_delete": "critical"})
    assert ("critical", "src/a.py", (A, B)) in contested(writes, by_words, kind="resource", policy=strict)


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
    two = plan(A, ["infra/a.sh"]), plan(B, ["infra/b.sh"])
    assert contested(*two, policy=Policy(exclusive_resources=("./infra/",))) == {("high", "infra", (A, B))}


@pytest.mark.req("GV-04")
@pytest.mark.parametrize(
    ("mine", "yours", "folder"),
    [
        ("infra/a.tf", "infra/b.tf", "infra"),
        ("infra/a.tf", "infra/*.tf", "infra"),
        ("infra/a.tf#aws", "infra/b.tf", "infra"),
        ("main.tf", "vars.tfvars", "."),
        ("db/migrations/0001.sql", "db/migrations/0002.sql", "db/migrations"),
        ("infra/a.tf", "infra/prod/b.tf", None),
        ("infra/a.tf", "infra/readme.md", None),
        ("db/migrations/0001.sql", "db/seeds/0001.sql", None),
    ],
)
def test_some_folders_are_one_state(mine: str, yours: str, folder: str | None) -> None:
    """Files of Terraform and migrations in one folder are one exclusive state, though they are different files."""
    for some in ((plan(A, [mine]), plan(B, [yours])), (plan(A, [yours]), plan(B, [mine]))):
        assert contested(*some, kind="effect") == ({("high", folder, (A, B))} if folder else set())
        assert contested(*some, kind="effect", policy=Policy(exclusive_folders=())) == set()


@pytest.mark.req("GV-04")
def test_who_may_write_anything_may_write_a_folder_that_is_one_state() -> None:
    """A writer that names nothing clashes over a folder that somebody else writes, and over none that nobody does."""
    assert ("high", "infra", (A, B)) in contested(plan(A), plan(B, ["infra/a.tf"]), kind="effect")
    assert contested(plan(A), plan(B), kind="effect") == set()


@pytest.mark.req("GV-04")
def test_folders_that_are_one_state_ignore_case_where_the_project_does() -> None:
    """`DB/Migrations` is the folder that the policy calls `db/migrations`, in a project that ignores case."""
    two = plan(A, ["DB/Migrations/1.sql"]), plan(B, ["db/migrations/2.sql"])
    for patterns in (("**/migrations/*",), ("**/Migrations/*",)):
        policy = Policy(ignore_case=True, exclusive_folders=patterns)
        assert contested(*two, policy=policy, kind="effect") == {("high", "db/migrations", (A, B))}


def test_a_third_who_only_deploys_joins_the_group() -> None:
    """All who deploy or roll back one target are in one effect conflict."""
    deploys = [plan(name, modules=API, commands=[DEPLOY]) for name in (A, B)]
    found = contested(*deploys, plan(C, modules=API, commands=[ROLLBACK]), kind="effect")
    assert found == {("critical", "service:api", (A, B, C))}

"""Footprints: what a plan names, and which file a bare name in its text means."""

from __future__ import annotations

import pytest

from tests.governance.plans import claimed, command, contested, plan, reader
from volition.governance.claims.footprint import footprint_of
from volition.governance.documents.effects import WRITES
from volition.governance.documents.policy import BUILT_IN, Policy

ROUTES = "src/api/routes.py"


def written(files: list[str], *texts: str, policy: Policy = BUILT_IN) -> set[str]:
    """What a plan writes by these texts, if another command names each of its targets, so that none is left over."""
    commands = [command(f"write_{n}", text=text) for n, text in enumerate(texts)]
    intent = plan("the_plan", files, commands=[*commands, *([reader(f"look at {' '.join(files)}")] if files else [])])
    return {resource for resource, claim in claimed(intent, policy).items() if claim & WRITES}


def split(text: str = "split routes.py") -> list[str]:
    """What a plan with two targets writes by this text."""
    return sorted(written([ROUTES, "src/api/models.py"], text))


@pytest.mark.req("GV-04")
@pytest.mark.parametrize("text", ["split routes.py", "split routes.py.", "split `routes.py`", f"split {ROUTES}"])
def test_a_bare_name_means_the_path_of_the_plan_that_ends_in_it(text: str) -> None:
    """A file name without a folder that ends exactly one path of the plan means that file, and no other one."""
    assert split(text) == [ROUTES]


def test_a_bare_name_means_every_path_that_ends_in_it() -> None:
    """Where several paths of the plan end in the name, it means all of them."""
    files = [ROUTES, "src/admin/routes.py", "src/api/models.py"]
    assert written(files, "split routes.py") == set(files[:2])


def test_a_bare_name_that_ends_no_path_is_a_file_at_the_root() -> None:
    """Where no path of the plan ends in the name, by whole segments, it means a file of the project's root."""
    assert split("adapt setup.py") == ["setup.py", "src/api/models.py", ROUTES]
    assert "outes.py" in split("adapt outes.py")


def test_a_bare_name_that_is_a_target_means_that_target() -> None:
    """A target at the root is named by its own name, whatever other paths end in it."""
    assert written([ROUTES, "routes.py"], "split routes.py") == {"routes.py"}


def test_a_bare_name_may_end_a_path_that_another_text_names() -> None:
    """The paths of a plan are its targets and what the texts of all its commands name."""
    assert written([], f"move {ROUTES}", "split routes.py") == {ROUTES}
    assert written(["src/api", "docs"], f"move {ROUTES}", "split routes.py") == {"src/api"}


def test_a_bare_name_ignores_case_where_the_project_does() -> None:
    """`Routes.py` ends `src/api/routes.py` only in a project that ignores case."""
    intent = plan("the_plan", [ROUTES], commands=[command(text="split Routes.py")])
    assert set(claimed(intent)) == {ROUTES, "Routes.py"}
    assert set(claimed(intent, Policy(ignore_case=True))) == {ROUTES}


@pytest.mark.req("GV-04")
def test_a_bare_name_makes_no_second_claim() -> None:
    """Two plans that split one file by its bare name meet there alone, and its risk counts one file."""
    first, second = (
        plan(name, [ROUTES], commands=[command(text="split routes.py")]) for name in ("one_plan", "two_plan")
    )
    assert {resource for _, resource, _ in contested(first, second)} == {ROUTES}
    assert footprint_of(first, BUILT_IN).reach() == {ROUTES}

"""The policy: documented defaults, strict reading, and a hash of what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import pytest

from volition.core.errors import InvalidInput
from volition.governance.documents.findings import schema
from volition.governance.documents.intent import Area, Level, LossRule
from volition.governance.documents.intent_set import Env
from volition.governance.documents.policy import (
    BUILT_IN,
    DEFAULT_ORDER,
    RULES,
    Policy,
    Registry,
    chosen_policy,
    parse_policy,
    read_policy,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

FULL = """
priority_order = ["risk", "explicit"]
exclusive_resources = ["service:billing"]
exclusive_envs = ["prod"]
[limits]
max_files = 10
max_cost_usd = 12.5
[severities]
constraint_mode = "high"
[criticality]
docs = 0.5
[registry]
workflows = ["change"]
agents = ["author"]
commands = ["make_schema", "make_client"]
[registry.produces]
make_schema = ["schema"]
[registry.requires]
make_client = ["schema"]
"""


def test_the_defaults() -> None:
    """Without a policy the documented defaults hold, and an empty file says the same."""
    assert (BUILT_IN.max_files, BUILT_IN.max_commits, BUILT_IN.max_tokens, BUILT_IN.max_cost_usd) == (
        500,
        50,
        2_000_000,
        10_000,
    )
    assert BUILT_IN.priority_order == DEFAULT_ORDER == ("explicit", "risk", "newer_same_author", "status")
    assert parse_policy("") == BUILT_IN == chosen_policy(None)
    assert parse_policy("").hash == BUILT_IN.hash


def test_everything_is_read() -> None:
    """A policy file sets all that a policy has."""
    assert parse_policy(FULL) == Policy(
        max_files=10,
        max_cost_usd=12.5,
        priority_order=("risk", "explicit"),
        severities={"constraint_mode": "high"},
        criticality={"docs": 0.5},
        exclusive_resources=("service:billing",),
        exclusive_envs=("prod",),
        registry=Registry(
            workflows=("change",),
            agents=("author",),
            commands=("make_schema", "make_client"),
            requires={"make_client": ("schema",)},
            produces={"make_schema": ("schema",)},
        ),
    )


def test_the_schema_knows_what_the_code_knows() -> None:
    """Rules, areas, environments, levels and keys of the schema are those of the code."""
    known = schema("policy")["properties"]
    assert set(known["severities"]["propertyNames"]["enum"]) == set(RULES)
    assert set(known["severities"]["additionalProperties"]["enum"]) == set(get_args(Level))
    assert set(known["criticality"]["propertyNames"]["enum"]) == set(get_args(Area))
    assert set(known["exclusive_envs"]["items"]["enum"]) == set(get_args(Env))
    assert {*known["priority_order"]["items"]["enum"], "answer"} == set(get_args(LossRule))


@pytest.mark.req("GV-21")
def test_the_hash_is_of_what_is_said() -> None:
    """Equal policies have equal hashes, in whatever order they are written; any difference shows."""
    text = "[severities]\norder_cycle = 'critical'\nconstraint_mode = 'high'"
    turned = "[severities]\nconstraint_mode = 'high'\norder_cycle = 'critical'"
    assert parse_policy(text).hash == parse_policy(turned).hash
    assert (
        len({BUILT_IN.hash, parse_policy(text).hash, Policy(exclusive_envs=("prod",)).hash, parse_policy(FULL).hash})
        == 4
    )


def test_all_errors_at_once() -> None:
    """Every fault of a policy is told, with its path, the registry's included."""
    text = """
    exclusive_envs = ["prd"]
    priority_order = ["explicit", "explicit"]
    limit = 1
    [limits]
    max_files = -1
    [severities]
    resource_writes = "low"
    order_cycle = "none"
    [criticality]
    docs = 0
    [registry]
    commands = ["make_it"]
    requires = {make_its = ["x"]}
    """
    with pytest.raises(InvalidInput) as caught:
        parse_policy(text)
    places = sorted(problem.where for problem in caught.value.problems)
    assert places == sorted(
        f"policy, $.{path}"
        for path in (
            "exclusive_envs[0]",
            "priority_order",
            "limit",
            "limits.max_files",
            "severities",
            "severities.order_cycle",
            "criticality.docs",
            "registry.requires",
        )
    )


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"max_files": 501}, "limits.max_files"),
        ({"max_commits": -1}, "limits.max_commits"),
        ({"max_tokens": 2_000_001}, "limits.max_tokens"),
        ({"max_cost_usd": 10_000.5}, "limits.max_cost_usd"),
        ({"max_cost_usd": float("nan")}, "limits.max_cost_usd"),
        ({"priority_order": ("age",)}, "priority_order[0]"),
        ({"severities": {"resource_writes": "low"}}, "severities"),
        ({"severities": {"order_cycle": "none"}}, "severities.order_cycle"),
        ({"criticality": {"docs": 0.0}}, "criticality.docs"),
        ({"exclusive_envs": ("prd",)}, "exclusive_envs[0]"),
    ],
)
def test_a_policy_made_in_python_is_held_to_the_same(said: dict[str, Any], place: str) -> None:
    """What no file could state cannot be built either: nothing merged would be a valid intent, or a rule be ignored."""
    with pytest.raises(InvalidInput) as caught:
        Policy(**said)
    assert [problem.where for problem in caught.value.problems] == [f"policy, $.{place}"]


@pytest.mark.parametrize(
    ("requires", "produces", "cycle"),
    [
        ("{one = ['a']}", "{one = ['a']}", True),
        ("{one = ['b'], two = ['a']}", "{one = ['a'], two = ['b']}", True),
        ("{one = ['c'], two = ['a'], six = ['b']}", "{one = ['a'], two = ['b'], six = ['c']}", True),
        ("{two = ['a'], six = ['b', 'a']}", "{one = ['a'], two = ['b']}", False),
        ("{one = ['from elsewhere']}", "{}", False),
    ],
)
def test_a_cyclic_registry_is_an_error(requires: str, produces: str, cycle: bool, told: Told) -> None:
    """A registry whose commands need each other in a circle is refused; any other is not."""
    text = f"[registry]\ncommands = ['one', 'two', 'six']\nrequires = {requires}\nproduces = {produces}"
    if cycle:
        with told.raises(InvalidInput):
            parse_policy(text)
    else:
        assert parse_policy(text).registry is not None


def test_a_policy_that_was_named_is_never_ignored(tmp_path: Path) -> None:
    """A policy that is named but missing, no TOML, or a folder is a refusal."""
    broken = tmp_path / "broken.toml"
    broken.write_text("[limits", encoding="utf-8")
    for path in (tmp_path / "missing.toml", broken, tmp_path, ""):
        with pytest.raises(InvalidInput):
            chosen_policy(path)
    broken.write_text(FULL, encoding="utf-8")
    assert read_policy(broken) == parse_policy(FULL) == chosen_policy(broken)


def test_unknown_is_never_low() -> None:
    """An area without a weight counts in full beside one with less, and a rule without an override keeps its severity."""
    policy = Policy(criticality={"docs": 0.1, "security": 3.0}, severities={"constraint_mode": "high"})
    assert policy.weight(["docs"]) == 0.1
    assert policy.weight(["docs", "data"]) == 1.0
    assert policy.weight([]) == 1.0
    assert policy.weight(["docs", "security"]) == 3.0
    assert policy.severity("constraint_mode") == "high"
    assert {rule: policy.severity(rule) for rule in RULES} == {**RULES, "constraint_mode": "high"}

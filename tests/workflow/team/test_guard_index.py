"""The index that a guard reads says what the registry says, however it was changed and whatever the clock does."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workflow.plans import PROJECT, document
from volition.agents.guard import index as guard_index
from volition.agents.guard.index import is_claimed, make_index, read_index
from volition.agents.guard.setting import GuardFailure, GuardSetting
from volition.governance import ConflictIndex, Plan
from volition.governance.claims.algebra import meets
from volition.workflow import Store, Team, parse_store_address
from volition.workflow.team.guard_index import extent_of, index_file, write_index
from volition.workflow.team.registration import grave_collisions

if TYPE_CHECKING:
    from tests.sentences import Told


@pytest.fixture
def setting(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GuardSetting:
    """A guard's setting for a registry that has the project, on each kind of database."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with Store(parse_store_address(place)) as store:
        Team(store, PROJECT).register(document("first_1", "a.py"), "ann")
    return GuardSetting(str(tmp_path), place, PROJECT, str(index_file(parse_store_address(place))), strict=False)


def writes(setting: GuardSetting) -> dict[str, tuple[str, ...]]:
    """The active plans of the index with what each may write."""
    found = read_index(setting)
    return {name: plan.writes for name in found.plans if (plan := found.active(name))}


def test_the_index_follows_every_transition(setting: GuardSetting, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registering, revising and ending a plan, and the end of its lease, show at once, without making the index again."""
    assert writes(setting) == {"intent_first_1": ("a.py",)}
    monkeypatch.setattr(guard_index, "make_index", lambda setting: pytest.fail("it was kept"))
    with Store(parse_store_address(setting.registry)) as store:
        team = Team(store, PROJECT)
        made = team.register(document("second", "b.py"), "bob")
        assert writes(setting) == {"intent_first_1": ("a.py",), "intent_second": ("b.py",)}
        assert made.grant
        revised = team.revise(document("second", "c.py"), made.grant.token)
        assert writes(setting)["intent_second"] == ("c.py",)
        assert revised.grant
        over = read_index(setting)._replace(now=revised.grant.lease_until)
        assert over.active("intent_second") is None
        team.finish("intent_second", revised.grant.token)
        assert list(writes(setting)) == ["intent_first_1"]


def test_a_registry_that_was_changed_behind_the_index_is_noticed(setting: GuardSetting) -> None:
    """A transition whose process died before it wrote the index shows: at once in a file, and within the time that a
    copy is used for a server."""
    assert writes(setting)
    index = Path(setting.index_file)
    kept, stat = index.read_bytes(), index.stat()
    with Store(parse_store_address(setting.registry)) as store:
        Team(store, PROJECT).register(document("second", "b.py"), "bob")
    data = json.loads(kept)
    if "://" in setting.registry:
        data["made"] -= int(guard_index.OLDEST * 1000)
    index.write_text(json.dumps(data))
    os.utime(index, ns=(stat.st_mtime_ns, stat.st_mtime_ns))
    assert "intent_second" in writes(setting)


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"format": 9}', '{"format": 1, "projects": {}}'])
def test_a_broken_index_is_made_again(setting: GuardSetting, broken: str) -> None:
    """A file that is empty, torn or of another version is replaced."""
    writes(setting)
    Path(setting.index_file).write_text(broken)
    assert writes(setting) == {"intent_first_1": ("a.py",)}


def test_a_clock_that_jumps(setting: GuardSetting, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the clock jumps ahead, leases are over; if it goes back, the index is made again, and no lease is prolonged."""
    assert writes(setting)
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 86400)
    assert writes(setting) == {} or "://" in setting.registry
    monkeypatch.setattr(time, "time", lambda: real() - 86400)
    assert writes(setting)


def test_a_registry_that_is_gone_is_no_verdict(
    setting: GuardSetting, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Without the registry nothing is judged, however good the index is; nor for a project that is not there."""
    assert writes(setting)
    gone = setting._replace(registry=setting.registry.replace("/test_1", "/gone").replace("team.db", "gone.db"))
    with pytest.raises(GuardFailure):
        make_index(gone)
    if "://" not in setting.registry:
        Path(setting.registry).unlink()
        with told.raises(GuardFailure):
            read_index(setting)
    with pytest.raises(GuardFailure):
        read_index(setting._replace(project="nobody"))


FILES = ["a.md", "docs/a.md", "src/a.py", "src/b/c.py", "a.py", "shop/cart.py", "shop/cart/x.md"]


@pytest.mark.parametrize(
    ("about", "written", "kept"),
    [
        ({"files": ["src/**/*.py"]}, ["src/a.py", "src/b/c.py"], []),
        ({"files": ["*.md"]}, ["a.md"], []),
        ({"files": ["a.py"], "root": "src"}, ["src/a.py"], []),
        ({"files": ["src/{a,b}.py"]}, ["src/a.py"], []),
        ({"files": ["src/a.py#Cart"]}, ["src/a.py"], []),
        ({"modules": ["shop.cart"]}, ["shop/cart/x.md", "shop/cart.py", "src/shop/cart/a.ts", "src/shop/cart.go"], []),
        ({"modules": ["service:api"]}, [], []),
        ({"files": [], "evidence": ["note://x"]}, FILES, []),
        ({"files": ["a.md"], "lock": ["src/b"]}, ["a.md"], ["src/b/c.py"]),
        ({"files": [], "removes": ["a.md"]}, ["a.md"], []),
    ],
)
def test_what_a_plan_may_write(about: dict[str, Any], written: list[str], kept: list[str]) -> None:
    """A plan may write what it claims to write, by the rules by which plans are compared; a lock is no claim to write."""
    plan = Plan("Some plan", project=PROJECT, **{"commands": ["do_it: write: change it"], **about})
    writes, locks = extent_of(plan.intent)
    assert {path for path in (*FILES, *written) if is_claimed(writes, path)} == set(written)
    assert {path for path in FILES if is_claimed(locks, path)} == set(kept)


def test_the_index_is_kept_only_where_a_guard_made_it(tmp_path: Path) -> None:
    """A registry that no guard reads has no index beside it."""
    with Store(parse_store_address(tmp_path / "team.db")) as store:
        Team(store, PROJECT).register(document("first_1", "a.py"), "ann")
        assert not index_file(store.address).exists()
        write_index(store, "nobody")
        assert json.loads(index_file(store.address).read_bytes())["projects"] == {}


PARTS = st.lists(st.sampled_from(["a", "b", "ab", "a.py"]), min_size=1, max_size=3).map("/".join)
PATTERNS = PARTS | st.sampled_from(["*.py", "a/*", "**/a.py", "{a,b}/a.py", "a?", "[ab]/b", "a.py#Cart", "a/**/b"])


@given(st.lists(PATTERNS, min_size=1, max_size=3), PARTS)
def test_the_guard_and_the_registry_agree(files: list[str], path: str) -> None:
    """Another plan for a path collides with a plan exactly if that plan may write the path, or something below it."""
    plan = Plan("Some plan", id="intent_some_plan", project=PROJECT, files=files, commands=["do_it: write: change it"])
    other = Plan(
        "Other plan", id="intent_other_plan", project=PROJECT, files=[path], commands=["do_it: write: change it"]
    )
    writes, _ = extent_of(plan.intent)
    index = ConflictIndex()
    index.add(plan.intent)
    below = any(meets(path, claim) for claim in writes)
    assert bool(grave_collisions(index.check(other.intent))) == (is_claimed(writes, path) or below)

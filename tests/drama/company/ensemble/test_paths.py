"""Paths: which is taken and why, and that nothing but the column `path` tells one from the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.company.ensemble.plays import SHORT, SIGMA, TALK, plan
from tests.drama.company.records import PARTY
from volition.core.errors import InvalidInput
from volition.drama.company.ensemble import Plan, ensemble, paths, sweep
from volition.drama.company.ensemble.paths import KERNEL, SCALAR, way_of
from volition.drama.company.ensemble.work import Player, Span
from volition.drama.company.kernel import engine

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.req("DE-21")
RECENCY = "rules.departures.recency_ticks"


def seeds(count: int, **more: Any) -> Plan:
    return Plan(PARTY, tuple(range(1, count + 1)), **more)


@pytest.fixture
def cached(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the compiled loop is on the disk; the first entry says so."""
    there = [True]
    monkeypatch.setattr(engine, "kept", lambda: there[0])
    return there


def test_the_same_table(tmp_path: Path) -> None:
    """Evenings, table, figures and the doctor's report are the same on both paths, here and in processes."""
    scalar = sweep(plan(), tmp_path / "scalar", engine="here", path="scalar", format="csv")
    rows = [{**row, "path": KERNEL} for row in scalar.rows()]
    for number, how in enumerate(({"engine": "here"}, {"engine": "process", "workers": 2, "task": 0.0})):
        kernel = sweep(plan(), tmp_path / f"kernel-{number}", path="kernel", format="csv", **how)  # type: ignore[arg-type]
        assert list(kernel.rows()) == rows
        assert kernel.examine(1) == scalar.examine(1)
        assert kernel.figures(SIGMA) == tuple(
            replace(group, paths={KERNEL: group.evenings}) for group in scalar.figures(SIGMA)
        )
        assert kernel.evening(3).seed == rows[3]["seed"]  # played again by minds, and checked against the row
    assert kernel.decided == "decided on the kernel path: asked for"
    text = (tmp_path / "kernel-0" / "evenings.jsonl").read_bytes()
    assert text.replace(b'"path":"kernel"', b'"path":"scalar"') == (tmp_path / "scalar" / "evenings.jsonl").read_bytes()


def test_in_memory() -> None:
    """Measures are equal, whichever path they came by."""
    assert ensemble(SHORT, range(1, 6), workers=1, path="kernel") == ensemble(
        SHORT, range(1, 6), workers=1, path="scalar"
    )


def test_where_it_is_sooner(cached: list[bool]) -> None:
    """A handful of evenings is not worth loading for, some dozens are not worth compiling for, and more are both."""
    assert [way_of(seeds(count)).path for count in (1, 5, 60, 1_000)] == [SCALAR, SCALAR, KERNEL, KERNEL]
    cached[0] = False
    assert [way_of(seeds(count)).path for count in (1, 5, 60, 1_000)] == [SCALAR, SCALAR, SCALAR, KERNEL]
    assert "too few evenings to compile" in way_of(seeds(60)).why
    assert way_of(seeds(5)).plain


def test_where_it_cannot_be(cached: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Own terms, a scenario that does not fit and a missing Numba lead to the scalar path, each with its reason."""
    many = seeds(1_000)
    loud = replace(PARTY, rules={**PARTY.rules, "noise": {"sigma": 1e6}})
    for hindered, said in (
        (replace(many, terms=(TALK,)), "terms of one's own"),
        (replace(many, scenario=loud), "scores may reach"),
    ):
        way = way_of(hindered)
        assert (way.path, way.plain) == (SCALAR, False)
        assert said in way.why
        with pytest.raises(InvalidInput, match=said):
            way_of(hindered, "kernel")
    assert way_of(many, "scalar").path == SCALAR
    monkeypatch.setattr(paths, "can_compile", lambda: False)
    assert "volition[fast]" in way_of(many).why
    with pytest.raises(InvalidInput, match="kernel"):
        way_of(many, "kernle")  # type: ignore[arg-type]


def test_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path and its reason are told before anything is played, once, and kept; few evenings are not worth a word."""
    told: list[str] = []
    few = sweep(Plan.of(SHORT, [1]), tmp_path / "few", engine="here", format="csv", notice=told.append)
    assert told == []
    assert few.decided.startswith("decided on the scalar path: there are too few evenings")
    monkeypatch.setattr(paths, "LOADING", 0.0)
    monkeypatch.setattr(paths, "COMPILING", 0.0)
    many = sweep(plan(), tmp_path / "many", engine="here", task=0.0, format="csv", notice=told.append)
    assert told == [many.decided] == ["decided on the kernel path: the same evenings, sooner"]
    assert {row["path"] for row in many.rows()} == {KERNEL}
    sweep(plan(), tmp_path / "many", engine="here", format="csv", notice=told.append)
    assert len(told) == 1


def test_points_that_do_not_fit(tmp_path: Path) -> None:
    """Points of a sweep that do not fit the kernel are played all the same, and their rows say by which path."""
    mixed = Plan.of(SHORT, [1, 2], grid={RECENCY: [3, 6]})
    done = sweep(mixed, tmp_path, engine="here", path="kernel", format="csv")
    assert [row["path"] for row in done.rows()] == [KERNEL, KERNEL, SCALAR, SCALAR]
    assert done.figures()[0].paths == {KERNEL: 2, SCALAR: 2}


def test_a_worker_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that has no Numba plays by minds, and says so."""
    monkeypatch.setattr("volition.drama.company.ensemble.work.can_compile", lambda: False)
    assert b'"path":"scalar"' in Player(plan(), KERNEL).play(Span(0, 1), 0.0).lines


def test_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop counts as kept once it was compiled, and in an empty cache it does not."""
    engine.load()
    assert engine.kept()
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path))
    assert not engine.kept()

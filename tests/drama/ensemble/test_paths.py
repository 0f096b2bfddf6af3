"""Paths: which one is taken and why; only the column `path` differs."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from tests.drama.doctor.records import PARTY
from tests.drama.ensemble.own_terms import CALM, TALK
from tests.drama.ensemble.plays import SHORT, SIGMA, plan
from volition.core.errors import InvalidInput
from volition.drama.ensemble import EnsemblePlan, ensemble, paths, sweep
from volition.drama.ensemble.frames import Span, read_frames
from volition.drama.ensemble.paths import COMPILED, INTERPRETED, PATHS, choose_path
from volition.drama.ensemble.work import Player
from volition.drama.evening import compiled as kept
from volition.drama.evening.play_many import play_many
from volition.drama.world.scenario import scenario_from_data, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-21")
RECENCY = "rules.departures.recency_ticks"


def seeds(count: int, **more: Any) -> EnsemblePlan:
    return EnsemblePlan(PARTY, tuple(range(1, count + 1)), **more)


@pytest.fixture
def cached(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the compiled loop is on the disk; the first entry says so."""
    there = [True]
    monkeypatch.setattr(paths, "is_kept", lambda size: there[0])
    return there


def test_the_same_table(tmp_path: Path, told: Told) -> None:
    """Evenings, table, figures and the doctor's report are the same on both paths, here and in processes."""
    scalar = sweep(plan(), tmp_path / "interpreted", engine="here", path="interpreted", format="csv")
    rows = [{**row, "path": COMPILED} for row in scalar.rows()]
    for number, how in enumerate(({"engine": "here"}, {"engine": "process", "workers": 2, "task": 0.0})):
        kernel = sweep(plan(), tmp_path / f"compiled-{number}", path="compiled", format="csv", **how)  # type: ignore[arg-type]
        assert list(kernel.rows()) == rows
        assert kernel.examine(1) == scalar.examine(1)
        assert kernel.figures(SIGMA) == tuple(
            structs.replace(group, paths={COMPILED: group.evenings}) for group in scalar.figures(SIGMA)
        )
        assert kernel.evening(3).seed == rows[3]["seed"]  # played again by minds, and checked against the row
    told(kernel.decided)
    by = [tmp_path / name / "evenings.rows" for name in ("compiled-0", "interpreted")]
    bodies = [[frame.body for frame in read_frames(BytesIO(file.read_bytes()))] for file in by]
    assert bodies[0] == bodies[1]


def test_in_memory() -> None:
    """Measures are equal, whichever path they came by."""
    assert ensemble(SHORT, range(1, 6), workers=1, path="compiled") == ensemble(
        SHORT, range(1, 6), workers=1, path="interpreted"
    )


def test_where_it_is_faster(cached: list[bool], told: Told) -> None:
    """A handful of evenings are not worth loading what is compiled, some hundreds not compiling it, more are worth both."""
    counts, few, many = (1, 4, 60, 2_000), INTERPRETED, COMPILED
    assert [choose_path(seeds(count)).path for count in counts] == [few, few, many, many]
    cached[0] = False
    assert [choose_path(seeds(count)).path for count in counts] == [few, few, few, many]
    told(choose_path(seeds(60)).why)
    assert choose_path(seeds(4)).expected


def test_comparing_costs(cached: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing the forms of a term takes evenings, so a few more are needed than without a term; where it is not worth
    it, nothing is compared."""
    compared: list[int] = []
    monkeypatch.setattr(paths, "check_forms", lambda plan: compared.append(plan.size))
    assert [choose_path(seeds(count, terms=(CALM,))).path for count in (8, 14)] == [INTERPRETED, COMPILED]
    assert choose_path(seeds(8)).path == COMPILED
    assert compared == [14]


def test_points_cost(cached: list[bool]) -> None:
    """Every point needs its own tables: with very short evenings, many points with one seed each are not worth it."""
    tiny = apply_settings(PARTY, [Setting("evening.ticks", None, 20)])
    grid = ((SIGMA, tuple(number / 1_000 for number in range(400))),)
    assert choose_path(EnsemblePlan(tiny, tuple(range(400)))).path == COMPILED
    assert choose_path(EnsemblePlan(tiny, (1,), grid)).path == INTERPRETED


def test_where_it_cannot_be(cached: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Custom terms, a scenario that does not fit and a missing Numba lead to the interpreted path, each with its reason."""
    many = seeds(2_000)
    loud = replace(PARTY, rules={**PARTY.rules, "noise": {"sigma": 1e6}})
    for hindered, said in (
        (replace(many, terms=(TALK,)), "custom terms"),
        (replace(many, scenario=loud, terms=(CALM,)), "scores may reach"),
    ):
        choice = choose_path(hindered)
        assert (choice.path, choice.expected) == (INTERPRETED, False)
        assert said in choice.why
        with pytest.raises(InvalidInput, match=said):
            choose_path(hindered, "compiled")
    assert choose_path(many, "interpreted").path == INTERPRETED
    monkeypatch.setattr(paths, "can_compile", lambda: False)
    assert "`fast`" in choose_path(many).why
    with pytest.raises(InvalidInput, match="compiled"):
        choose_path(many, "compield")  # type: ignore[arg-type]


def test_too_large_for_the_slots(cached: list[bool], tmp_path: Path, told: Told) -> None:
    """A scenario that does not fit the kernel's slots is played by minds, and what is too large is reported with its place."""
    data, notices = scenario_to_data(SHORT), list[str]()
    attics = [f"attic_{number}" for number in range(12)]
    data["rooms"] |= {id: {**data["rooms"]["bathroom"], "name": id, "adjacent": ["kitchen"]} for id in attics}
    data["rooms"]["kitchen"]["adjacent"] += attics
    large = scenario_from_data(data)
    many = EnsemblePlan(large, tuple(range(1, 100_001)))
    assert choose_path(many).path == INTERPRETED
    with told.raises(InvalidInput):
        choose_path(many, "compiled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "WORTH", 0.0)
        done = sweep(EnsemblePlan.of(large, range(1, 6)), tmp_path, engine="here", format="csv", notice=notices.append)
    assert notices == [done.decided]
    told(done.decided)
    assert done.paths == {INTERPRETED: 5}


def test_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """The path and its reason are reported once, before anything is played, and stored; for few evenings nothing is reported."""
    heard: list[str] = []
    few = sweep(EnsemblePlan.of(SHORT, [1]), tmp_path / "few", engine="here", format="csv", notice=heard.append)
    assert (heard, few.paths) == ([], {INTERPRETED: 1})
    told(few.decided)
    monkeypatch.setattr(paths, "WORTH", 0.0)
    many = sweep(plan(), tmp_path / "many", engine="here", task=0.0, format="csv", notice=heard.append)
    assert heard == [many.decided]
    told(many.decided)
    assert {row["path"] for row in many.rows()} == {COMPILED}
    sweep(plan(), tmp_path / "many", engine="here", format="csv", notice=heard.append)
    assert len(heard) == 1


def test_points_that_do_not_fit(tmp_path: Path) -> None:
    """Points of a sweep that do not fit the kernel are played anyway, and their rows say on which path."""
    mixed = EnsemblePlan.of(SHORT, [1, 2], grid={RECENCY: [3, 17]})
    done = sweep(mixed, tmp_path, engine="here", path="compiled", format="csv")
    assert [row["path"] for row in done.rows()] == [COMPILED, COMPILED, INTERPRETED, INTERPRETED]
    assert done.figures()[0].paths == {COMPILED: 2, INTERPRETED: 2}


def test_a_worker_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker without Numba interprets, and its rows say so."""
    monkeypatch.setattr("volition.drama.ensemble.work.fits", lambda scenario: False)
    (frame,) = read_frames(BytesIO(Player(plan(), COMPILED).play(Span(0, 1), 0.0).frames))
    assert PATHS[frame.path] == INTERPRETED


def test_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop counts as cached once it was compiled; with an empty cache it does not."""
    play_many(SHORT, [1], engine="compiled")
    assert kept.is_kept()
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path))
    assert not kept.is_kept()

"""docs/ensembles.md and docs/batches.md are right: their Python runs, on shorter evenings than a reader's."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

import volition.drama
from tests.drama.doctor.records import PARTY
from volition.drama.ensemble.plan import EnsemblePlan
from volition.drama.ensemble.table import columns
from volition.drama.world.settings import Setting, apply_settings

DOCS = Path(__file__).parents[3] / "docs"
PYTHON = partial(re.findall, r"^```python\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
PAGE = (DOCS / "ensembles.md").read_text(encoding="utf-8")


@pytest.fixture
def main(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """A module to run examples in, where the shipped scenarios are short, and an empty folder to write to."""
    short = apply_settings(PARTY, [Setting("evening.ticks", None, 6)])
    monkeypatch.setattr(volition.drama, "scenario", lambda name: short)
    monkeypatch.chdir(tmp_path)
    return ModuleType("__main__")


def test_sweeping(main: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sweep of the page is played, compared, opened, queried and examined."""
    (code,) = (code for code in PYTHON(PAGE) if "Ensemble, EnsemblePlan" in code)
    exec(code, vars(main))
    assert capsys.readouterr().out.count("rules.noise.sigma = ") == 3
    assert (tmp_path / "noise" / "table.parquet").is_file()


def test_the_array_term(main: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """The term of the page has two equal forms, and decides as an array."""
    (code,) = (code for code in PYTHON(PAGE) if "array_term" in code)
    exec(code, vars(main))
    assert capsys.readouterr().out == "played on the compiled path: asked for; calm asked as arrays\n"


def test_many_evenings(main: ModuleType) -> None:
    """The evenings of the page are played and measured, though fewer of them here."""
    (code,) = (code for code in PYTHON(PAGE) if "play_many" in code and "measures=True" in code)
    exec(code.replace("range(1, 1001)", "range(1, 4)"), vars(main))
    assert len(vars(main)["rows"]) == 3


def test_the_law_term(main: ModuleType) -> None:
    """The law of the page takes part in evenings, and changes some: they are not those that are played without it."""
    (code,) = (code for code in PYTHON(PAGE) if "law_term(" in code)
    exec(code.replace("range(100)", "range(3)"), vars(main))
    there = vars(main)
    without = there["play_many"](there["scenario"]("dinner-party"), range(3))
    assert [there["played"].digest(seed) for seed in range(3)] != [without.digest(seed) for seed in range(3)]


def test_the_company(main: ModuleType) -> None:
    """The company's page runs from its first line to its last, and the first act is the one it says."""
    code = "\n".join(PYTHON((DOCS / "batches.md").read_text(encoding="utf-8")))
    (act,) = re.findall(r"# '(.*)'$", code, re.MULTILINE)
    exec(code, vars(main))
    there = vars(main)
    assert there["decider"].action(there["states"][0], 0, there["acts"][0, 0]).id == act


def test_the_columns() -> None:
    """Every column of a table is on the page, by its name or by that of its family."""
    told = {name.partition(".")[0] for name in re.findall(r"`([a-z_.A-Z]+)`", PAGE.partition("The columns:")[2])}
    there = {column.name.partition(".")[0] for column in columns(EnsemblePlan(PARTY, (1,)))}
    assert there <= told

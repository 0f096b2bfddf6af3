"""Every column of an ensemble's table has one sentence that says what it means, in one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from volition.drama import scenario
from volition.drama.ensemble import EnsemblePlan
from volition.drama.ensemble.meanings import MEANINGS, SETTING, meaning_of
from volition.drama.ensemble.table import columns

DOCS = Path(__file__).parents[3] / "docs" / "ensembles.md"
SIGMA = "rules.noise.sigma"


@pytest.mark.parametrize("name", ["dinner-party", "winter-station"])
def test_every_column_has_a_sentence(name: str) -> None:
    """No column is without a meaning, and none but a swept setting is called one."""
    plan = EnsemblePlan.of(scenario(name), (1,), grid={SIGMA: (0.1, 0.2)})
    said = {column.name: meaning_of(column.name) for column in columns(plan)}
    assert [column for column, text in said.items() if text == SETTING] == [SIGMA]


def test_a_meaning_is_one_sentence() -> None:
    """Each is one sentence, and no two columns share one."""
    assert all(text[0].isupper() and text.endswith(".") and text.count(". ") == 0 for text in MEANINGS.values())
    assert len(set(MEANINGS.values())) == len(MEANINGS)


def test_every_sentence_is_about_a_column() -> None:
    """No sentence is left over for a column that there is not."""
    names = {column.name for column in columns(EnsemblePlan.of(scenario("dinner-party"), (1,)))}
    prefixes = {name.partition(".")[0] for name in names if "." in name}
    general = {name for name in MEANINGS if name.split(".")[-1].isupper()}
    assert {name for name in MEANINGS if name not in general} <= names
    assert {name.partition(".")[0] for name in general} <= prefixes


def test_the_documents_have_the_same_sentences() -> None:
    """The table of columns in the documents is this one."""
    text = DOCS.read_text(encoding="utf-8")
    assert [name for name, meaning in MEANINGS.items() if f"| `{name}` | {meaning} |\n" not in text] == []

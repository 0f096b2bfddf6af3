"""Ensemble: many evenings in figures, two settings compared, the doctor, and one evening opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.processes import typed
from tests.studio.browser.looks import kept, opened, until, usable

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page


@pytest.fixture
def swept(played: Path) -> None:
    """A small ensemble in the folder: two settings, two seeds each."""
    settings = ["--seeds", "1-2", "--grid", "rules.noise.sigma=0.05,0.15", "--engine", "here", "--format", "jsonl"]
    code, _, told = typed(played, "ensemble", "run", "dinner-party", *settings, "--out", "noise")
    assert code == 0, told


@pytest.mark.usefixtures("swept")
def test_two_settings_are_compared(page: Page) -> None:
    """Endings and breakdowns with intervals, a heat map, a distribution, the doctor's findings; an evening can be opened."""
    opened(page, "/ensemble")
    until(page, "document.querySelectorAll('.distribution rect').length > 1")
    until(page, "document.querySelectorAll('.ensemble table').length >= 3")
    assert "4 evenings, 2 seeds, 2 combinations" in page.locator(".sub").inner_text()
    assert page.locator(".heat tbody tr").count() == 2
    assert page.locator(".whiskers").nth(1).locator("li").count() == 6
    assert "holds" in page.get_by_role("region", name="The doctor").inner_text()
    usable(page)
    kept(page, "ensemble-compared", whole=True)
    page.get_by_label("against").select_option("")
    until(page, "document.querySelectorAll('.share.second').length === 0")
    page.get_by_label("Number").select_option("events")
    until(page, "document.querySelector('.distribution').getAttribute('aria-label').includes('events')")
    page.get_by_role("button", name="See it on the stage").click()
    page.wait_for_selector("main[data-shown=stage]")
    assert page.locator(".guest-card").count() == 6

"""Team: what several agents work on, and a question that a person answers on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.studio.browser.looks import assert_usable, leave_at_the_end, open_page, save_picture
from tests.studio.served import serving
from tests.studio.test_team import registry

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from playwright.sync_api import Page

__all__ = ["registry"]


def test_a_person_answers_on_the_page(
    page: Page, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question is there with its options and with what every command is bound to; answering it moves the flow on, and the page says what comes next."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    with serving(tmp_path, registry=str(registry)) as studio, leave_at_the_end(page):
        open_page(page, f"http://127.0.0.1:{studio.port}/team", fresh=True)
        assert page.locator("tr[data-plan]").count() == 2
        assert page.get_by_text("left to the holder of the plan").count() == 2
        assert "null" not in page.locator("main").inner_text()
        page.locator(".option").last.click()
        page.set_viewport_size({"width": 320, "height": 800})
        assert_usable(page)
        save_picture(page, "team-question")
        page.get_by_role("button", name="Answer, and evaluate again").click()
        page.get_by_text("There are no open questions.").wait_for()
        assert "volition flow approve flow_" in page.locator("tr[data-flow]").inner_text()

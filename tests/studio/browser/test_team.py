"""Team: who works on what, who waits behind whom, what was refused, and how a change appears by itself."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING

from tests.studio.browser.looks import assert_usable, open_page, save_picture, wait_until
from tests.studio.test_team import registry
from tests.workflow.plans import PROJECT, document
from volition.agents.guard.journal import append
from volition.workflow import Store, Team, parse_store_address

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.studio.browser.conftest import Showing

__all__ = ["registry"]


def test_a_team_is_seen_at_work(
    showing: Showing, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People are listed with their plans and claims, the line with what is waited for, and refusals with file and reason; a plan that
    is registered elsewhere, and a new refusal, appear without a reload."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    home = tmp_path / ".git" / "volition"
    home.mkdir(parents=True)
    entry = {"what": "deny", "client": "codex", "session": "7f3c", "tool": "shell", "reasons": ["bob has it"]}
    append(str(home), {**entry, "at": int(time() * 1000), "targets": ["src/<b>routes.py"]})
    with showing(tmp_path, registry) as (studio, page):
        open_page(page, f"http://127.0.0.1:{studio.port}/team")
        assert page.locator("[data-person]").evaluate_all("(all) => all.map((one) => one.dataset.person)") == [
            "ann",
            "bob",
        ]
        assert "a.py write" in page.locator("[data-plan=intent_aaaaaa]").inner_text()
        assert "waits behind Plan of aaaaaa of ann for a.py" in page.locator("[data-waits]").inner_text()
        refused = page.get_by_role("region", name="Refused by the guard today", exact=True)
        assert "src/<b>routes.py" in refused.inner_text()
        assert "bob has it" in refused.inner_text()
        assert page.get_by_role("link", name="Question in the inbox").count() == 1
        assert "null" not in page.locator("main").inner_text()
        with Store(parse_store_address(registry)) as store:
            Team(store, PROJECT).register(document("cccccc", "src/cart.py#Cart.total"), "cat@7f3c")
        append(str(home), {**entry, "at": int(time() * 1000), "targets": ["second.py"]})
        page.locator("[data-person=cat]").wait_for()
        assert "agent 7f3c" in page.locator("[data-person=cat]").inner_text()
        assert "Cart.total" in page.locator("[data-person=cat]").inner_text()
        wait_until(page, "document.querySelector('main').textContent.includes('second.py')")
        page.set_viewport_size({"width": 320, "height": 800})
        assert_usable(page)
        save_picture(page, "team")

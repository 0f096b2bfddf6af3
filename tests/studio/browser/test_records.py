"""Records: what is on disk, whether it is intact, and an evening as one file."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

from tests.studio.browser.conftest import RUN
from tests.studio.browser.looks import (
    LAYERS,
    LEGEND,
    LOOKS,
    assert_in_place,
    assert_usable,
    open_page,
    save_picture,
    wait_until,
)
from tests.studio.browser.moments import without_choice

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from playwright.sync_api import Page, Request

    from tests.studio.browser.conftest import Showing
    from volition.drama import Evening


def test_a_run_is_verified(page: Page, evening: Evening) -> None:
    """A run is verified by being played again, and the page says so."""
    open_page(page, "/records?kind=run")
    row = page.locator(f"tr[data-record={RUN}]")
    assert evening.ending is not None
    ending = evening.ending.kind.replace("_", " ")
    assert f"seed {evening.seed}, {evening.last} ticks, {ending}" in row.inner_text()
    if row.get_by_role("button", name="Verify").count():
        row.get_by_role("button", name="Verify").click()
    row.get_by_text("verified").wait_for()
    save_picture(page, "records-verified")


def test_a_broken_run_says_so(page: Page, played: Path) -> None:
    """A record with one changed letter is shown as broken, with the fault, and without links to open it."""
    whole, broken = played / "volition-runs" / RUN, played / "volition-runs" / "changed"
    broken.mkdir(exist_ok=True)
    lines = (whole / "000001.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    lines[40] = (
        lines[40].replace("chat", "chap", 1)
        if "chat" in lines[40]
        else re.sub(r'"score":0', '"score":1', lines[40], count=1)
    )
    (broken / "000001.jsonl").write_text("".join(lines), encoding="utf-8")
    open_page(page, "/records?kind=run")
    row = page.locator("tr[data-record=changed]")
    assert "broken" in row.inner_text()
    assert row.get_by_role("link", name="Stage").count() == 0
    assert len(row.locator(".fault").inner_text()) > 10
    assert_usable(page, within="tr[data-record=changed]")


def test_a_record_is_removed_restored_and_erased(showing: Showing, played: Path, tmp_path: Path) -> None:
    """A removed record leaves the list and is in the bin below it; from there it comes back, or is erased after a question that a
    slip of the hand does not answer. Each step is announced."""
    shutil.copytree(played / "volition-runs" / RUN, tmp_path / "volition-runs" / "spare")
    with showing(tmp_path) as (studio, page):
        open_page(page, f"http://127.0.0.1:{studio.port}/records", fresh=True)
        assert page.locator(".removed").is_hidden()
        page.get_by_role("button", name="Remove spare").click()
        page.get_by_text("In the bin (1)").click()
        assert page.locator("tr[data-record=spare]").count() == 0
        assert page.locator("#said").inner_text() == "spare is in the bin"
        for scheme, width in LOOKS:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            assert_usable(page, within=".removed")
            save_picture(page, f"records-bin-{scheme}-{width}", whole=True)
        page.get_by_role("button", name="Restore spare").click()
        page.locator("tr[data-record=spare]").wait_for()
        page.locator(".removed").wait_for(state="hidden")
        page.get_by_role("button", name="Remove spare").click()
        page.get_by_role("button", name="Erase spare").click()
        page.get_by_role("button", name="Keep it").click()
        assert len(studio.get("/removed")["removed"]) == 1
        page.get_by_role("button", name="Erase spare").click()
        page.get_by_role("button", name="Erase it").click()
        page.locator(".removed").wait_for(state="hidden")
        assert studio.get("/removed")["removed"] == []


def test_older_records_come_page_by_page(
    showing: Showing, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complaints: list[str]
) -> None:
    """The list says how many there are; older ones come when they are asked for, each once, and the focus is on the first of them.
    While the studio does not answer, the page says so, whatever is asked of it."""
    for number in range(5):
        shutil.copytree(played / "volition-runs" / RUN, tmp_path / "volition-runs" / f"copy-{number}")
    with showing(tmp_path) as (studio, page):
        shown = studio.studio.records
        monkeypatch.setattr(studio.studio, "records", lambda kind, limit, offset: shown(kind, min(limit, 3), offset))
        open_page(page, f"http://127.0.0.1:{studio.port}/records?kind=run", fresh=True)
        assert page.get_by_text("3 records of 5").count() == 1
        page.route("**/records?*", lambda route: route.abort())
        for asked in ("Show older records (2)", "Refresh"):
            page.get_by_role("button", name=asked).click()
            page.wait_for_selector("[role=alert]")
            page.evaluate("document.querySelector('[role=alert]').remove()")
        page.get_by_role("radio", name="runs").click()
        page.wait_for_selector("[role=alert]")
        page.unroute_all()
        complaints.clear()
        page.get_by_role("button", name="Show older records (2)").click()
        wait_until(page, "document.querySelectorAll('tr[data-record]').length === 5")
        assert page.get_by_role("button", name="Show older records").is_hidden()
        assert page.locator("[role=alert]").count() == 0
        assert page.evaluate("document.activeElement.closest('tr').rowIndex") == 4


def test_a_record_is_opened_on_a_phone(page: Page) -> None:
    """At 320 and 800 pixels every link and button of a record is in the window: nobody has to scroll sideways to open one."""
    for width in (320, 800):
        page.set_viewport_size({"width": width, "height": 800})
        open_page(page, "/records")
        right = page.locator("tr[data-record] :is(a, button)").evaluate_all(
            "(all) => all.map((one) => one.getBoundingClientRect().right)"
        )
        assert max(right) <= width
        assert_in_place(page)


def test_an_exported_run_opens_without_a_server(page: Page, evening: Evening, tmp_path: Path) -> None:
    """The file contains everything: it opens from disk, makes no request, plays, shows threads and explains decisions."""
    open_page(page, "/records?kind=run")
    with page.expect_download() as waiting:
        page.locator(f"tr[data-record={RUN}]").get_by_role("link", name="Export").click()
    file = tmp_path / "evening.html"
    waiting.value.save_as(file)
    asked: list[str] = []

    def heard(request: Request) -> None:
        if not request.url.startswith(("blob:", "data:")):
            asked.append(request.url)

    page.on("request", heard)
    page.goto(file.as_uri())
    page.wait_for_selector("main[data-shown=stage]")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, "/tick [1-9]/.test(document.querySelector('.time').textContent)")
    page.get_by_role("button", name="Pause").click()
    page.keyboard.press("End")
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {evening.last}/')")
    save_picture(page, "export-stage")
    page.get_by_role("link", name="Threads").click()
    page.wait_for_selector("main[data-shown=threads]")
    assert page.locator(".event").count() == len(evening.events)
    assert page.evaluate(LEGEND) == page.evaluate(LAYERS)
    page.get_by_role("link", name="Decision").click()
    page.wait_for_selector("main[data-shown=decision]")
    wait_until(page, f"location.hash.includes('tick={evening.last - 1}')")
    page.goto(f"{file.as_uri()}#/decision?tick={evening.last - 1}&agent={without_choice(evening).agent}")
    page.get_by_role("link", name="chose in tick").first.click()
    page.wait_for_selector(".ranking")
    assert page.locator("input[type=range]").count() == 0
    assert_usable(page)
    assert asked == [file.as_uri()]
    bundle = json.loads(page.locator("#bundle").text_content() or "")
    assert bundle["evening"]["id"] == RUN

"""Drive: the arena live, intents and their results, and why."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.processes import typed
from tests.studio.browser.looks import assert_usable, open_page, save_picture, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

PICKED = "document.querySelector('select[aria-label=\"Drive or journal\"]')"
STEPS = """
(drive) => new Promise((done) => {
  let results = 0;
  const stream = new EventSource(`/api/v1/drives/${drive}/live`);
  stream.addEventListener("step", (event) => { results += JSON.parse(event.data).outcome?.answered ? 1 : 0; });
  stream.addEventListener("end", () => { stream.close(); done(results); });
})
"""


def start_drive(page: Page) -> str:
    """Start a drive, wait until the page shows it, and not the one before, and return its id."""
    before = page.evaluate(f"{PICKED}?.value ?? null")
    page.get_by_role("button", name="Drive").click()
    wait_until(page, f"{PICKED}.value.startsWith('drive/') && {PICKED}.value !== {json.dumps(before)}")
    return str(page.evaluate(f"{PICKED}.value")).removeprefix("drive/")


def test_a_drive_is_watched_and_asked(page: Page) -> None:
    """A drive shows bodies, intents with results and counts; each step links to its decision; the drive is recorded."""
    open_page(page, "/drive")
    page.get_by_label("Pace").select_option("fast")
    page.get_by_label("Steps").fill("120")
    page.get_by_label("Seed").fill("5")
    start_drive(page)
    page.wait_for_selector(".passed tbody tr")
    wait_until(page, "/^(met|missed|open|failed|lost)/i.test(document.querySelector('.verdict-text').textContent)")
    wait_until(page, "document.querySelector('.drive-arena button').hidden")
    wait_until(page, f"{PICKED}.selectedOptions[0].textContent.endsWith('seed 5, done')")
    assert [page.get_by_label(name).input_value() for name in ("Seed", "Steps", "Pace")] == [
        "5",
        "120",
        "fast",
    ]
    assert page.locator(".drive-state").inner_text() == "done"
    assert page.locator(".body").count() == 2
    assert page.locator(".tile-wall").count() > 20
    numbers = page.locator(".drive-counts").inner_text()
    assert all(word in numbers for word in ("Violations", "Retries refused", "Sent"))
    assert page.locator(".passed .chip.good").count() > 0
    assert_usable(page)
    save_picture(page, "drive-done", whole=True)
    page.locator(".passed tbody a").first.click()
    page.wait_for_selector("main[data-shown=decision]")
    assert page.locator(".ranking .candidate").count() > 1
    open_page(page, "/records?kind=journal")
    row = page.locator("tr[data-kind=journal]").first
    assert "courtyard, seed 5" in row.inner_text()
    row.get_by_role("link", name="Open").click()
    page.wait_for_selector("main[data-shown=drive] .body")
    assert page.get_by_label("Seed").input_value() == "5"


def test_a_drive_says_whether_it_runs(page: Page) -> None:
    """A running drive says "running"; its key asks before it stops the drive, which then says "stopped", in the list too."""
    open_page(page, "/drive")
    page.get_by_label("Seed").fill("6")
    page.get_by_label("Steps").fill("5000")
    page.get_by_label("Pace").select_option("real")
    start_drive(page)
    wait_until(page, "document.querySelector('.drive-state').textContent === 'running'")
    picked = page.get_by_label("Drive or journal").locator("option:checked")
    assert picked.inner_text().endswith("seed 6, running")
    page.keyboard.press("x")
    assert_usable(page)
    page.get_by_role("button", name="Keep going").click()
    assert page.locator(".drive-state").inner_text() == "running"
    page.keyboard.press("x")
    page.get_by_role("button", name="Stop it").click()
    wait_until(page, "document.querySelector('.drive-state').textContent === 'stopped'")
    assert picked.inner_text().endswith("seed 6, stopped")
    assert page.get_by_role("button", name="Stop", exact=True).count() == 0
    page.reload()
    wait_until(page, "document.querySelector('.drive-state')?.textContent === 'stopped'")
    assert page.get_by_label("Seed").input_value() == "6"


def test_a_journal_of_the_command_line_is_opened(page: Page, played: Path) -> None:
    """A journal of `volition drive --journal` opens on Drive: its arena, its moments to scrub through, and each intent."""
    code, _, told = typed(
        played, "drive", "--map", "foundry", "--seed", "7", "--steps", "20", "--journal", "runs/by-hand"
    )
    assert code == 0, told
    open_page(page, "/records?kind=journal")
    page.locator("tr", has_text="by-hand").get_by_role("link", name="Open").click()
    page.wait_for_selector("main[data-shown=drive] .body")
    assert "journal=" in page.url
    assert page.locator(".arena").get_attribute("aria-label") == "The arena foundry"
    slider = page.get_by_label("Place in the journal")
    last = int(slider.get_attribute("max") or 0)
    id = page.url.partition("journal=")[2].partition("&")[0]
    moments = page.request.get(f"/api/v1/journals/{id}/moments?most=1000").json()["moments"]
    assert last == len(moments) > 20
    page.keyboard.press("End")
    wait_until(page, f"document.querySelector('.time').textContent.startsWith('moment {last}/')")
    attempts = [one for one in moments if one["attempt"]]
    assert page.locator(".passed tbody tr").count() == min(60, len(attempts))
    place = [moments[-1]["state"]["actor"][axis] / 1000 * 30 for axis in "xy"]
    drawn = re.findall(r"translate\((\S+) (\S+)\)", page.locator(".body.hue-0").get_attribute("transform") or "")
    assert [float(part) for part in drawn[0]] == pytest.approx(place)
    assert_usable(page)
    wait_until(page, f"location.search.includes('moment={last}')")
    page.reload()
    wait_until(page, f"document.querySelector('.time')?.textContent.startsWith('moment {last}/')")
    page.keyboard.press("Home")
    wait_until(page, "document.querySelector('.time').textContent.startsWith('moment 1/')")
    page.keyboard.press(" ")
    wait_until(page, "/^moment ([3-9]|\\d\\d)/.test(document.querySelector('.time').textContent)")


def test_every_result_is_in_the_histogram(page: Page) -> None:
    """In real time the bars of the latency histogram add up to the results, each counted once."""
    open_page(page, "/drive")
    page.get_by_label("Steps").fill("40")
    page.get_by_label("Pace").select_option("real")
    drive = start_drive(page)
    wait_until(page, "document.querySelector('.drive-state').textContent === 'done'")
    told = page.evaluate(f"fetch('/api/v1/drives/{drive}').then((answer) => answer.json())")
    results = page.evaluate(STEPS, drive)
    bars = page.locator(".histogram [data-count]").evaluate_all("(all) => all.map((one) => Number(one.dataset.count))")
    heights = page.locator(".histogram .bin").evaluate_all(
        "(all) => all.map((one) => Number(one.getAttribute('height')) / Number(one.dataset.count))"
    )
    assert page.locator(".drive-counts dd").first.inner_text() == str(told["steps"])
    assert sum(bars) == results > 5
    assert page.locator(".drive-latency .figures dd").first.inner_text() == str(results)
    assert len({round(height, 3) for height in heights}) == 1
    save_picture(page, "drive-latency", whole=True)

"""Drive: the arena live, intents and results as they pass, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.studio.browser.looks import kept, opened, until, usable

if TYPE_CHECKING:
    from playwright.sync_api import Page

STEPS = """
(drive) => new Promise((done) => {
  let results = 0;
  const stream = new EventSource(`/api/v1/drives/${drive}/live`);
  stream.addEventListener("step", (event) => { results += JSON.parse(event.data).outcome?.answered ? 1 : 0; });
  stream.addEventListener("end", () => { stream.close(); done(results); });
})
"""


def test_a_drive_is_watched_and_asked(page: Page) -> None:
    """A drive started here shows bodies, intents with results and counts; each step leads to its decision; it is recorded."""
    opened(page, "/drive")
    page.get_by_label("Pace").select_option("fast")
    page.get_by_label("Steps").fill("120")
    page.get_by_role("button", name="Drive").click()
    page.wait_for_selector(".passed tbody tr")
    until(page, "/^(met|missed|open|failed|lost)/i.test(document.querySelector('.verdict-text').textContent)")
    until(page, "document.querySelector('.drive-arena button').hidden")
    assert page.locator(".body").count() == 2
    assert page.locator(".tile-wall").count() > 20
    numbers = page.locator(".drive-counts").inner_text()
    assert all(word in numbers for word in ("Violations", "Retries refused", "Sent"))
    assert page.locator(".passed .chip.good").count() > 0
    usable(page)
    kept(page, "drive-done", whole=True)
    page.locator(".passed tbody a").first.click()
    page.wait_for_selector("main[data-shown=decision]")
    assert page.locator(".ranking .candidate").count() > 1
    opened(page, "/records?kind=journal")
    assert page.locator("tr[data-kind=journal]").count() >= 1


def test_every_result_is_in_the_histogram(page: Page) -> None:
    """In real time the bars of the latency histogram add up to the results that were given, each counted once."""
    opened(page, "/drive")
    page.get_by_label("Steps").fill("40")
    page.get_by_role("button", name="Drive").click()
    until(page, "document.querySelector('.drive-counts dd')?.textContent === '40'")
    until(page, "document.querySelector('.drive-arena button').hidden")
    drive = page.url.partition("drive=")[2]
    told = page.evaluate(f"fetch('/api/v1/drives/{drive}').then((answer) => answer.json())")
    results = page.evaluate(STEPS, drive)
    bars = page.locator(".histogram [data-count]").evaluate_all("(all) => all.map((one) => Number(one.dataset.count))")
    heights = page.locator(".histogram .bin").evaluate_all(
        "(all) => all.map((one) => Number(one.getAttribute('height')) / Number(one.dataset.count))"
    )
    assert told["steps"] == 40
    assert sum(bars) == results > 5
    assert page.locator(".drive-latency .figures dd").first.inner_text() == str(results)
    assert len({round(height, 3) for height in heights}) == 1
    kept(page, "drive-latency", whole=True)
    usable(page)

"""Drive: the arena live, intents and their results, and why."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import PATIENCE, typed
from tests.studio.browser.looks import assert_in_place, assert_usable, open_page, save_picture, wait_until
from volition.core.ledger import Ledger
from volition.execution.journal.writer import KIND, LAYOUT
from volition.studio.drives import Drive

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.studio.browser.conftest import Showing

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


def recorded_journal(page: Page, played: Path) -> str:
    """The id of a journal of the command line: a whole drive through the foundry, recorded once."""
    if not (played / "runs" / "whole").exists():
        code, _, told = typed(played, "drive", "--map", "foundry", "--seed", "7", "--journal", "runs/whole")
        assert code == 0, told
    records = page.request.get("/api/v1/records?kind=journal").json()["records"]
    return next(str(one["id"]) for one in records if one["name"] == "whole")


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
    assert_in_place(page)
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


def test_a_drive_says_whether_it_runs(showing: Showing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A running drive says "running"; its key asks before it stops the drive, which then says "stopped", in the list too."""
    go_on = Drive.pause

    def stand_still(drive: Drive) -> None:
        if drive.course.steps == 5:
            drive.wait(PATIENCE)
        go_on(drive)

    monkeypatch.setattr(Drive, "pause", stand_still)
    with showing(tmp_path) as (studio, page):
        open_page(page, f"http://127.0.0.1:{studio.port}/drive")
        page.get_by_label("Seed").fill("6")
        start_drive(page)
        wait_until(page, "document.querySelector('.drive-state').textContent === 'running'")
        picked = page.get_by_label("Drive or journal").locator("option:checked")
        assert picked.inner_text().endswith("seed 6, running")
        page.keyboard.press("x")
        assert_usable(page, within="dialog")
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
    alone = [one for one in moments if one["attempt"] and one["attempt"]["step"] is None]
    steps = [step for one in moments for step in one["steps"]]
    assert page.locator(".passed tbody tr").count() == min(60, len(alone) + len(steps))
    place = [moments[-1]["state"]["actor"][axis] / 1000 * 30 for axis in "xy"]
    drawn = re.findall(r"translate\((\S+) (\S+)\)", page.locator(".body.hue-0").get_attribute("transform") or "")
    assert [float(part) for part in drawn[0]] == pytest.approx(place)
    assert_in_place(page)
    wait_until(page, f"location.search.includes('moment={last}')")
    page.reload()
    wait_until(page, f"document.querySelector('.time')?.textContent.startsWith('moment {last}/')")
    page.keyboard.press("Home")
    wait_until(page, "document.querySelector('.time').textContent.startsWith('moment 1/')")
    page.keyboard.press(" ")
    wait_until(page, "/^moment ([3-9]|\\d\\d)/.test(document.querySelector('.time').textContent)")


def test_a_saved_step_is_asked(page: Page, played: Path) -> None:
    """Every step of a saved journal links to its decision, which is asked what if; its neighbours are one key away."""
    id = recorded_journal(page, played)
    open_page(page, f"/drive?journal={id}")
    page.keyboard.press("End")
    page.wait_for_selector(".passed tbody a")
    steps = page.request.get(f"/api/v1/journals/{id}").json()["runs"][0]["steps"]
    assert page.locator(".passed tbody a").count() == steps
    link = page.locator(".passed tbody a").last
    chosen = link.inner_text()
    link.click()
    page.wait_for_selector("main[data-shown=decision] .ranking .candidate")
    assert "step=1" in page.url
    assert page.locator(".verdict strong").inner_text() == chosen
    page.get_by_label("Include reach").uncheck()
    wait_until(page, "document.querySelector('.decision').getAttribute('aria-busy') === 'false'")
    page.wait_for_selector(".verdict .chip.warn")
    assert_usable(page, within=".head, .verdict, .weights")
    page.keyboard.press("ArrowRight")
    wait_until(page, "location.search.includes('step=2')")
    page.wait_for_selector("main[data-shown=decision] .ranking .candidate")
    page.get_by_role("link", name="Back to the journal").click()
    page.wait_for_selector("main[data-shown=drive] .body")
    assert f"journal={id}" in page.url


def test_a_journal_opens_at_its_first_event(page: Page, played: Path) -> None:
    """Every kind of event has a shape over the slider and a line in the legend; a click, and a key, go there."""
    id = recorded_journal(page, played)
    shape = page.request.get(f"/api/v1/journals/{id}").json()
    marks = shape["runs"][0]["marks"]
    kinds = {mark["kind"] for mark in marks}
    numbers = sorted({mark["number"] for mark in marks})
    assert len(numbers) > 2
    open_page(page, f"/drive?journal={id}")
    page.wait_for_selector(".marks .moment")
    wait_until(page, f"document.querySelector('.time').textContent.startsWith('moment {numbers[0]}/')")
    legend = page.get_by_label("What the shapes mean").inner_text()
    assert all(shape["legend"][kind] in legend for kind in kinds)
    tiles = page.get_by_label("What the map shows").inner_text()
    assert all(word in tiles for word in ("actor", "opponent", "wall", "hazard", "beam"))
    page.keyboard.press("n")
    wait_until(page, f"document.querySelector('.time').textContent.startsWith('moment {numbers[1]}/')")
    mark = page.locator(".marks .moment").last
    mark.hover()
    assert page.locator(".moment-about").inner_text() == mark.get_attribute("aria-label")
    mark.click()
    wait_until(
        page, f"document.querySelector('.time').textContent.startsWith('moment {mark.get_attribute('data-moment')}/')"
    )
    assert page.locator(".moment.now").count() == 1
    assert_usable(page)
    save_picture(page, "drive-journal", whole=True)


def test_a_drive_has_marks_while_it_is_followed(page: Page) -> None:
    """Each event of a drive has a shape over its slider and a line in the legend; the view follows until it is moved."""
    open_page(page, "/drive")
    page.locator("#drive-map").select_option("foundry")
    page.get_by_label("Pace").select_option("fast")
    page.get_by_label("Steps").fill("90")
    page.get_by_label("Seed").fill("7")
    drive = start_drive(page)
    page.wait_for_selector(".marks .moment")
    wait_until(page, "document.querySelector('.drive-state').textContent === 'done'")
    told = page.request.get(f"/api/v1/drives/{drive}").json()
    numbers = sorted({mark["number"] for mark in told["marks"]})
    last = told["steps"]
    wait_until(page, f"document.querySelector('.time').textContent.startsWith('step {last}/{last}')")
    assert "moment=" not in page.url
    legend = page.get_by_label("What the shapes mean").inner_text()
    assert all(told["legend"][mark["kind"]] in legend for mark in told["marks"])
    page.get_by_label("Place in the drive").focus()
    page.keyboard.press("Home")
    wait_until(page, f"document.querySelector('.time').textContent.startsWith('step 1/{last}')")
    assert page.locator(".passed tbody tr").count() == 1
    page.get_by_role("button", name="Next event").click()
    after = next(number for number in numbers if number > 1)
    wait_until(page, f"document.querySelector('.time').textContent.startsWith('step {after}/')")
    mark = page.locator(".marks .moment").first
    mark.focus()
    page.keyboard.press("ArrowRight")
    chosen = page.locator(".marks .moment:focus")
    assert page.locator(".moment-about").inner_text() == chosen.get_attribute("aria-label")
    place = chosen.get_attribute("data-moment")
    page.keyboard.press("Enter")
    wait_until(page, f"document.querySelector('.time').textContent.startsWith('step {place}/')")
    assert page.locator(".passed tbody tr").first.locator("td").first.inner_text() == place
    assert_usable(page, within=".drive-arena, .drive-counts, .drive-latency")
    wait_until(page, f"location.search.includes('moment={place}')")
    page.reload()
    wait_until(page, f"document.querySelector('.time')?.textContent.startsWith('step {place}/{last}')")
    save_picture(page, "drive-live-marks", whole=True)


def test_a_journal_of_any_executor_opens(page: Page, played: Path) -> None:
    """States without a body, a map that is none, and an empty run are shown as far as they go, without an error."""
    states: list[Any] = [{"map": {"name": "x", "rows": ["#~#"]}}, {"actor": None}, [1], {"actor": {"x": 1, "y": "b"}}]
    with Ledger(played / "runs" / "odd", kind=KIND, meta={"layout": LAYOUT}) as ledger:
        ledger.append({"run": {"run": 1, "meta": {}}})
        for tick, data in enumerate(states):
            ledger.append({"state": {"key": [1, tick], "tick": tick, "episode": 1, "full": True, "data": data}})
        ledger.append({"run": {"run": 2, "meta": {}}})
    open_page(page, "/records?kind=journal")
    page.locator("tr", has_text="odd").get_by_role("link", name="Open").click()
    page.wait_for_selector("main[data-shown=drive] .scrub-plain")
    page.keyboard.press("End")
    wait_until(page, "document.querySelector('.time').textContent.startsWith('moment 4/4')")
    assert "only intents are shown" in page.locator(".drive-arena").inner_text()
    assert_usable(page, within=".drive-arena")
    page.get_by_role("radio", name="run 2").click()
    wait_until(page, "document.querySelector('.time')?.textContent.startsWith('moment 1/1')")


SCRUBBED = """
async () => {
  const { Scrubbing } = await import("/static/scrubbing.js");
  let touched = 0;
  const outcome = { intent: "MOVE", violations: [] };
  const all = Array.from({ length: 5000 }, (_, at) => ({
    number: at + 1, tick: at, steps: [{ step: at + 1, body: "", chosen: "move" }],
    attempt: at % 2 ? { step: at + 1, purpose: "policy", outcome } : null,
    state: at % 3 ? { actor: { x: at, y: at }, episode: 1, tick: at } : null,
  }));
  const moments = new Proxy(all, { get(list, name) {
    touched += typeof name === "string" && /^[0-9]+$/.test(name) ? 1 : 0;
    return Reflect.get(list, name);
  } });
  const scrubbing = new Scrubbing(moments, 60);
  const cost = (place) => {
    touched = 0;
    const shown = scrubbing.at(place);
    return [place, touched, shown.rows.length, shown.rows.at(-1)?.moment ?? null, shown.state?.tick ?? null];
  };
  return [1, 2, 61, 2500, 2501, 4999, 5000].map(cost);
}
"""


def test_a_scrub_touches_only_what_it_shows(page: Page) -> None:
    """In 5 000 moments a place asks for no more than the moments of its trail, wherever it is, and shows the newest."""
    open_page(page, "/drive")
    for place, touched, rows, newest, tick in page.evaluate(SCRUBBED):
        assert touched <= 60
        assert rows == min(60, place)
        assert newest == place
        seen = [at for at in range(place) if at % 3]
        assert tick == (seen[-1] if seen else None)


def test_one_moment_forward_draws_one_row(page: Page, played: Path) -> None:
    """Stepping draws the rows that are new, and keeps all others."""
    id = recorded_journal(page, played)
    open_page(page, f"/drive?journal={id}&moment=60")
    page.wait_for_selector(".passed tbody tr")
    page.evaluate("for (const row of document.querySelectorAll('.passed tbody tr')) row.dataset.old = '1'")
    before = page.locator(".passed tbody tr").count()
    for place in range(61, 67):
        page.keyboard.press("ArrowRight")
        wait_until(page, f"document.querySelector('.time').textContent.startsWith('moment {place}/')")
    rows = page.locator(".passed tbody tr")
    assert page.locator(".passed tbody tr[data-old]").count() == before < rows.count()
    numbers = [int(text) for text in rows.locator("td:first-child").all_inner_texts()]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] <= 66


def test_every_result_is_in_the_histogram(page: Page) -> None:
    """In real time the bars of the latency histogram add up to the results, each counted once."""
    open_page(page, "/drive")
    page.get_by_label("Steps").fill("20")
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

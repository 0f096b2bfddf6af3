"""Ensemble: many evenings in figures, two settings compared, the doctor, and one evening opened."""

from __future__ import annotations

import json
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import PATIENCE
from tests.studio.browser.looks import (
    LOOKS,
    assert_in_place,
    assert_usable,
    faults,
    open_page,
    save_picture,
    wait_for_drawing,
    wait_until,
)
from volition.drama import scenario
from volition.drama.ensemble import EnsemblePlan, sweep
from volition.studio import sweeps
from volition.studio.sweeps import Sweep

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page, Request, Route

    from tests.studio.browser.conftest import Showing

SIGMA, MASKING, TICKS = "rules.noise.sigma", "rules.pacing.masking", "evening.ticks"


@pytest.fixture(scope="module")
def swept(played: Path) -> None:
    """Four small ensembles of two seeds each: the newest with two settings of two values, one with a third setting, one with
    many combinations, and one with two settings that are drawn. They are interpreted: to compile takes longer than to play."""
    two = {SIGMA: (0.05, 0.15), MASKING: (0.1, 0.5)}
    many = EnsemblePlan.of(scenario("dinner-party"), (1, 2), grid={TICKS: (3,)}, random={SIGMA: (0.05, 0.5)}, draws=12)
    sweep(many, played / "many", engine="here", path="interpreted", format="jsonl")
    spans = {SIGMA: (0.05, 0.5), MASKING: (0.0, 0.6)}
    drawn = EnsemblePlan.of(scenario("dinner-party"), (1, 2), grid={TICKS: (3,)}, random=spans, draws=7)
    sweep(drawn, played / "drawn", engine="here", path="interpreted", format="jsonl")
    for name, ticks in {"three": (2, 10), "noise": (10,)}.items():
        plan = EnsemblePlan.of(scenario("dinner-party"), (1, 2), grid={**two, TICKS: ticks})
        sweep(plan, played / name, engine="here", path="interpreted", format="jsonl")


def ask_api(page: Page, name: str, what: str = "") -> Any:
    """The API's answer about an ensemble, or just its id."""
    records = page.request.get("/api/v1/records?kind=ensemble").json()["records"]
    (id,) = (one["id"] for one in records if one["name"] == name)
    return page.request.get(f"/api/v1/ensembles/{id}{what}").json() if what else id


@pytest.mark.usefixtures("swept")
def test_two_settings_are_compared(page: Page) -> None:
    """Endings and breakdowns with intervals, a heat map, a distribution, the doctor's findings; an evening can be opened."""
    open_page(page, "/ensemble")
    wait_until(page, "document.querySelectorAll('.distribution .share').length > 1")
    wait_until(page, "document.querySelectorAll('.ensemble table').length >= 3")
    assert "8 evenings, 2 seeds, 4 combinations" in page.locator(".sub").inner_text()
    assert page.locator("[aria-label='Breakdowns by setting'] .heat tbody tr").count() == 4
    assert page.locator(".whiskers").nth(1).locator("li").count() == 6
    assert "holds" in page.get_by_role("region", name="The doctor").inner_text()
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        assert_usable(page)
        save_picture(page, f"ensemble-{scheme}-{width}", whole=True)
    page.get_by_label("Compared with").select_option("")
    wait_until(page, "document.querySelectorAll('.share.second').length === 0")
    page.get_by_label("Number").select_option("events")
    wait_until(page, "document.querySelector('.distribution').getAttribute('aria-label').includes('events')")
    page.get_by_role("button", name="See it on the stage").click()
    page.wait_for_selector("main[data-shown=stage]")
    assert page.locator(".guest-card").count() == 6


SHOWN = "[...document.querySelectorAll('[aria-label=\"Over two settings\"] td .cell-button')].map((one) => Number(one.textContent.replace('\u2212', '-')))"


@pytest.mark.usefixtures("swept")
def test_a_number_over_two_settings(page: Page) -> None:
    """A heat map has a cell with the mean of each combination, and follows the selected number and settings."""
    open_page(page, "/ensemble")
    page.get_by_role("region", name="tension over noise.sigma and pacing.masking").wait_for()
    figures = ask_api(page, "noise", "/figures?by=point")
    means = sorted(round(point["means"]["tension"]["value"], 3) for point in figures)
    assert sorted(page.evaluate(SHOWN)) == means
    page.get_by_label("Across").select_option("rules.pacing.masking")
    page.get_by_label("Up").select_option("rules.noise.sigma")
    page.get_by_role("region", name="tension over pacing.masking and noise.sigma").wait_for()
    page.get_by_label("Number").select_option("events")
    page.get_by_role("region", name="events over pacing.masking and noise.sigma").wait_for()


@pytest.mark.usefixtures("swept")
def test_a_third_setting_is_averaged_over(page: Page) -> None:
    """With three settings swept, the table over two of them shows the API's means, number by number; a cell is empty where no
    evening has the number."""
    open_page(page, f"/ensemble?ensemble={ask_api(page, 'three')}")
    assert page.get_by_label("Across").locator("option").count() == 3
    for number, across in (("tension", "rules.pacing.masking"), ("first_drama", "evening.ticks")):
        page.get_by_label("Number").select_option(number)
        page.get_by_label("Across").select_option(across)
        page.get_by_label("Up").select_option("rules.noise.sigma")
        label = f"{number.replace('_', ' ')} over {across.removeprefix('rules.')} and noise.sigma"
        page.get_by_role("region", name=label).wait_for()
        cells = ask_api(page, "three", f"/means?columns={number}&by={across},rules.noise.sigma")["cells"]
        said = {tuple(cell["at"]): cell["means"][number] for cell in cells}
        xs, ys = (sorted({at[axis] for at in said}) for axis in (0, 1))
        expected = [round(value, 3) for y in ys for x in xs if (value := said[x, y]) is not None]
        wait_until(page, f"JSON.stringify({SHOWN}) === JSON.stringify({json.dumps(expected)})")
        assert (None in said.values()) == (number == "first_drama")
        assert {cell["evenings"] for cell in cells} == {4}


@pytest.mark.usefixtures("swept")
def test_bars_and_cells_open_their_evenings(page: Page) -> None:
    """A bar of an ending, a range of the distribution and a cell list the seeds behind them; a seed opens on the stage."""
    open_page(page, "/ensemble")
    page.get_by_label("Compared with").select_option("")
    wait_until(page, "document.querySelectorAll('.share.second').length === 0")
    columns = ask_api(page, "noise", "/cells?columns=row,seed,ending,tension&point=0")["columns"]
    seeds = [f"Seed {seed}" for seed in columns["seed"]]
    page.locator("[aria-label='How evenings end'] .bar-button").first.click()
    listed = page.get_by_role("dialog").locator(".seeds button")
    listed.first.wait_for()
    assert {text.split("\n")[0] for text in listed.all_inner_texts()} <= set(seeds)
    assert faults(page, within="dialog") == []
    page.keyboard.press("Escape")
    found = 0
    for bin in page.locator(".distribution .bin").all():
        bin.focus()
        page.keyboard.press("Enter")
        page.get_by_text("Each is played again").wait_for()
        found += page.get_by_role("dialog").locator(".seeds button").count()
        page.keyboard.press("Escape")
        wait_until(page, "document.querySelector('dialog') === null")
    assert found == len(seeds)
    page.locator("[aria-label='Breakdowns by setting'] .cell-button").first.click()
    page.get_by_role("dialog").locator(".seeds button").first.click()
    page.wait_for_selector("main[data-shown=stage]")
    assert "run=dinner-party-1" in page.url


@pytest.mark.usefixtures("swept")
def test_a_dot_opens_its_evenings(page: Page) -> None:
    """A dot of a scatter plot says which settings it has, and opens their evenings: by a click on it or near it, and by keys."""
    open_page(page, f"/ensemble?ensemble={ask_api(page, 'drawn')}")
    plot = page.get_by_role("group", name="tension over noise.sigma and pacing.masking")
    plot.wait_for()
    points = ask_api(page, "drawn", "?")["points"]
    dots = plot.locator(".dot")
    assert dots.count() == len(points) == 7
    assert plot.locator(".dot[tabindex='0']").count() == 1
    assert_usable(page, within="[aria-label='Over two settings']")
    save_picture(page, "ensemble-dots", whole=True)
    ordered = sorted(points, key=lambda point: point[SIGMA])
    which = f"noise.sigma {ordered[3][SIGMA]}, pacing.masking {ordered[3][MASKING]}"
    dot = plot.get_by_role("button", name=f"Evenings: {which}")
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] + 1, box["y"] + box["height"] / 2)
    page.locator("[aria-label='Over two settings']").get_by_text(f"{which}: tension").wait_for()
    page.mouse.down()
    page.mouse.up()
    listed = page.get_by_role("dialog").locator(".seeds button")
    listed.first.wait_for()
    assert [text.split("\n")[0] for text in listed.all_inner_texts()] == ["Seed 1", "Seed 2"]
    page.keyboard.press("Escape")
    wait_until(page, "document.querySelector('dialog') === null")
    dot.focus()
    page.keyboard.press("ArrowRight")
    after = plot.locator(".dot:focus")
    assert str(ordered[4][SIGMA]) in (after.get_attribute("aria-label") or "")
    assert plot.locator(".dot[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    page.get_by_role("dialog").locator(".seeds button").first.click()
    page.wait_for_selector("main[data-shown=stage]")
    run = page.evaluate("new URLSearchParams(location.search).get('run')")
    opened = page.request.get(f"/api/v1/runs/{run}").json()
    row = points.index(ordered[4]) * 2
    (hash,) = ask_api(page, "drawn", f"/cells?columns=scenario&point={row // 2}")["columns"]["scenario"][:1]
    assert (opened["seed"], opened["scenario"]["hash"]) == (1, hash)


@pytest.mark.usefixtures("swept")
def test_every_measure_says_what_it_means(page: Page) -> None:
    """The selected number and every compared one have their sentence beside them."""
    open_page(page, "/ensemble")
    about = {one["name"]: one["about"] for one in ask_api(page, "noise", "?")["columns"]}
    page.get_by_label("Number").select_option("irony")
    page.locator("[aria-label=Distribution]").get_by_text(about["irony"]).wait_for()
    rows = page.locator("[aria-label=Compared] tbody th").all()
    assert len(rows) >= 8
    assert all(row.locator(".meaning").inner_text() in about.values() for row in rows)


def test_an_ensemble_is_begun_watched_stopped_and_continued(showing: Showing, tmp_path: Path) -> None:
    """The form begins one; the page shows how far it is, stops it, keeps what was played, goes on, and shows the figures."""
    reached, go_on, report = Event(), Event(), Sweep._report

    def wait_after_one(self: Sweep, done: int, of: int) -> None:
        if done == 1:
            reached.set()
            go_on.wait()
        report(self, done, of)

    with pytest.MonkeyPatch.context() as patch, showing(tmp_path) as (studio, page):
        patch.setattr(sweeps, "TASK", 0.0)
        patch.setattr(Sweep, "_report", wait_after_one)
        open_page(page, f"http://127.0.0.1:{studio.port}/ensemble")
        page.get_by_role("button", name="Play many evenings").click()
        page.get_by_label("Scenario").locator("option[value=dinner-party]").wait_for(state="attached")
        assert faults(page, within="dialog") == []
        page.get_by_label("Seeds", exact=True).fill("2")
        page.get_by_label("Setting 1", exact=True).fill(TICKS)
        page.get_by_label("Values of setting 1").fill("2, 3")
        page.keyboard.press("Enter")
        page.get_by_role("progressbar").wait_for()
        reached.wait()
        id = page.evaluate("new URLSearchParams(location.search).get('ensemble')")
        assert_in_place(page)
        save_picture(page, "ensemble-progress")
        studio.studio.sweeps.find(id).stop()
        go_on.set()
        page.get_by_role("button", name="Go on").wait_for()
        assert "Stopped: 1 of 4 evenings." in page.get_by_role("region", name="Progress").inner_text()
        page.get_by_text("These are the figures of 1 evening of 4.").wait_for()
        wait_until(page, "document.querySelectorAll('.whiskers').length === 2")
        wait_until(page, "document.querySelectorAll('.distribution .share').length > 0")
        assert page.locator(".ensemble-bar option").all_inner_texts() == ["evening.ticks = 2"]
        assert page.get_by_label("Compared with").count() == 0
        page.locator("[aria-label='How evenings end'] .bar-button").first.click()
        page.get_by_role("dialog").locator(".seeds button").wait_for()
        page.keyboard.press("Escape")
        assert_usable(page, within="[aria-label=Progress], .ensemble-bar")
        save_picture(page, "ensemble-stopped", whole=True)
        page.get_by_role("button", name="Go on").click()
        page.get_by_label("Compared with").wait_for()
        assert "4 evenings, 2 seeds, 2 combinations" in page.locator(".sub").inner_text()
        assert page.get_by_role("region", name="Progress").count() == 0


def test_a_running_ensemble_shows_its_figures_so_far(showing: Showing, tmp_path: Path) -> None:
    """While evenings are played the figures are drawn now and then, not for each evening, and not while somebody uses them, even if
    they began to after newer figures were asked for."""
    reached = {count: Event() for count in (1, 5, 9, 18, 19)}
    go_on, report = {count: Event() for count in reached}, Sweep._report

    def wait_there(self: Sweep, done: int, of: int) -> None:
        report(self, done, of)
        if done in reached:
            reached[done].set()
            go_on[done].wait()

    asked: list[str] = []

    def count(request: Request) -> None:
        if request.url.endswith(whole):
            asked.append(request.url)

    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    def wait_for_evenings(count: int) -> None:
        assert reached[count].wait(PATIENCE)

    with pytest.MonkeyPatch.context() as patch, showing(tmp_path) as (studio, page):
        patch.setattr(sweeps, "TASK", 0.0)
        patch.setattr(sweeps, "sweep", partial(sweep, path="interpreted"))
        patch.setattr(Sweep, "_report", wait_there)
        grid = {TICKS: ["1", "2"]}
        id = studio.post("/ensembles", {"scenario": "dinner-party", "seeds": 10, "grid": grid})["id"]
        wait_for_evenings(1)
        whole = f"/api/v1/ensembles/{id}"
        page.on("request", count)
        open_page(page, f"http://127.0.0.1:{studio.port}/ensemble?ensemble={id}")
        page.get_by_text("These are the figures of 1 evening of 20.").wait_for()
        go_on[1].set()
        wait_for_evenings(5)
        page.get_by_text("Being played: 5 of 20 evenings.").wait_for()
        assert len(asked) == 1
        page.get_by_text("These are the figures of 1 evening of 20.").wait_for()
        go_on[5].set()
        wait_for_evenings(9)
        page.get_by_text("These are the figures of 9 evenings of 20.").wait_for()
        assert len(asked) == 2
        wait_until(page, "document.querySelectorAll('.distribution .share').length > 0")
        page.get_by_label("Number").select_option("events")
        wait_until(page, "document.querySelector('.distribution').getAttribute('aria-label').includes('events')")
        page.get_by_label("Number").focus()
        assert_usable(page, within=".sweep-progress")
        save_picture(page, "ensemble-running", whole=True)
        go_on[9].set()
        wait_for_evenings(18)
        page.get_by_text("Being played: 18 of 20 evenings.").wait_for()
        assert len(asked) == 2
        page.get_by_label("Number").blur()
        page.route("**/figures?*", hold)
        with page.expect_request("**/figures?*"):
            go_on[18].set()
            wait_for_evenings(19)
        page.get_by_label("Number").focus()
        with page.expect_response("**/figures?*"):
            held[0].continue_()
        page.unroute("**/figures?*")
        wait_for_drawing(page)
        page.get_by_text("These are the figures of 9 evenings of 20.").wait_for()
        assert page.evaluate("document.activeElement.matches('select')")
        go_on[19].set()
        page.get_by_label("Compared with").wait_for()
        page.remove_listener("request", count)
        assert "20 evenings" in page.locator(".sub").inner_text()


@pytest.mark.usefixtures("swept")
def test_many_combinations(page: Page) -> None:
    """Each of many combinations can be selected and compared, with the API's numbers; a setting with one value is not offered
    as one that varies."""
    open_page(page, f"/ensemble?ensemble={ask_api(page, 'many')}")
    wait_until(page, "document.querySelectorAll('.heat tbody tr').length === 12")
    page.locator(".ensemble-bar select").first.select_option("11")
    compared = ask_api(page, "many", "/compare?first=11&second=1")
    apart = sum(pair["apart"] for pair in compared["pairs"])
    said = [
        [pair["name"].lower().replace("_", " "), *(round(pair[which]["value"], 2) for which in ("first", "second"))]
        for pair in compared["pairs"][: max(8, min(14, apart))]
    ]
    number = "parseFloat(cell.textContent.replace('\\u2212', '-'))"
    row = f"(row) => [...row.cells].map((cell, at) => at ? {number} : cell.querySelector('.measure').textContent)"
    shown = f"[...document.querySelectorAll('[aria-label=Compared] tbody tr')].map({row})"
    wait_until(page, f"JSON.stringify({shown}) === JSON.stringify({json.dumps(said)})")
    assert page.get_by_label("Across").count() == 0


@pytest.mark.usefixtures("swept")
def test_every_shade_of_the_heat_map_can_be_read(page: Page) -> None:
    """A number in the heat map is readable on each of its shades, light and dark."""
    open_page(page, "/ensemble")
    page.wait_for_selector(".heat td")
    page.evaluate(
        "document.querySelectorAll('.heat td').forEach((cell, at) => { cell.className = `number level-${at % 6}`; cell.textContent = '0.5'; })"
    )
    assert page.locator(".heat .level-4").count() > 0
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert faults(page, only="color-contrast", within=".heat") == []


@pytest.mark.usefixtures("swept")
def test_numbers_that_differ_are_seen_to_differ(page: Page) -> None:
    """A difference is shown with as many digits as it takes: no number is called different from itself."""
    open_page(page, "/ensemble")
    said = ask_api(page, "noise", "/compare?first=0&second=1")
    for pair, value in zip(said["pairs"], (0.4, 0.40001), strict=False):
        for which, number in (("first", 0.4), ("second", value)):
            pair[which] = {**pair[which], "value": number, "low": number, "high": number}
        pair["apart"] = value != 0.4
    page.route("**/compare?*", lambda route: route.fulfill(json=said))
    page.reload()
    rows = page.locator("[aria-label=Compared] tbody tr")
    rows.first.wait_for()
    assert rows.nth(0).locator("td").all_inner_texts() == ["0.4 (0.4 to 0.4)"] * 2
    assert rows.nth(1).locator("td").all_inner_texts() == ["0.4 (0.4 to 0.4)", "0.40001 (0.40001 to 0.40001)"]


def test_one_policy_holds_for_all_pages(page: Page, address: str) -> None:
    """No page may style inline, and going to the ensemble page loads no other document."""
    policies = {
        page.request.get(address + where).headers["content-security-policy"] for where in ("/records", "/ensemble")
    }
    assert len(policies) == 1
    assert "unsafe" not in policies.pop()
    open_page(page, "/records")
    page.evaluate("globalThis.same = true")
    page.get_by_role("navigation").get_by_role("link", name="Ensemble").click()
    page.wait_for_selector("main[data-shown=ensemble]")
    assert page.evaluate("globalThis.same")


PROPOSED = """
async () => {
  const { findings } = await import("/static/findings.js");
  const settings = [{ path: "circumstances[late]", now: null, to: { id: "late", minutes: 20 } }, { path: "mood", now: 0.71134, to: 0.9 }];
  const symptoms = [{ id: "x", name: "x", targets: [], evidence: [], settings }];
  return findings({ point: 0, settings: {}, healthy: false, text: "", targets: [], symptoms }).textContent;
}
"""


def test_a_proposal_that_is_no_number_is_told(page: Page) -> None:
    """What the doctor proposes is shown as it is, also where the value is a whole event; numbers have three digits at most."""
    open_page(page, "/records")
    told = page.evaluate(PROPOSED)
    assert 'circumstances[late] none \u2192 {"id":"late","minutes":20}' in told
    assert "mood 0.711 \u2192 0.9" in told

"""Ensemble: many evenings in figures, two settings compared, the doctor, and one evening opened."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.studio.browser.looks import assert_usable, faults, open_page, save_picture, wait_until
from volition.drama import scenario
from volition.drama.ensemble import EnsemblePlan, sweep

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

SIGMA, MASKING, TICKS = "rules.noise.sigma", "rules.pacing.masking", "evening.ticks"


@pytest.fixture(scope="module")
def swept(played: Path) -> None:
    """Three small ensembles of two seeds each: the newest with two settings of two values, one with a third setting, and one
    with many combinations. They are interpreted: to compile takes longer than to play so few."""
    two = {SIGMA: (0.05, 0.15), MASKING: (0.1, 0.5)}
    many = EnsemblePlan.of(scenario("dinner-party"), (1, 2), grid={TICKS: (3,)}, random={SIGMA: (0.05, 0.5)}, draws=30)
    sweep(many, played / "many", engine="here", path="interpreted", format="jsonl")
    for name, ticks in {"three": (2, 20), "noise": (20,)}.items():
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
    wait_until(page, "document.querySelectorAll('.chart .histogramlayer, .chart .barlayer .point').length > 1")
    wait_until(page, "document.querySelectorAll('.ensemble table').length >= 3")
    assert "8 evenings, 2 seeds, 4 combinations" in page.locator(".sub").inner_text()
    assert page.locator(".heat tbody tr").count() == 4
    assert page.locator(".whiskers").nth(1).locator("li").count() == 6
    assert "holds" in page.get_by_role("region", name="The doctor").inner_text()
    assert_usable(page)
    save_picture(page, "ensemble-compared", whole=True)
    page.get_by_label("Compared with").select_option("")
    wait_until(page, "document.querySelectorAll('.share.second').length === 0")
    page.get_by_label("Number").select_option("events")
    wait_until(page, "document.querySelector('.chart').getAttribute('aria-label').includes('events')")
    page.get_by_role("button", name="See it on the stage").click()
    page.wait_for_selector("main[data-shown=stage]")
    assert page.locator(".guest-card").count() == 6


@pytest.mark.usefixtures("swept")
def test_a_number_over_two_settings(page: Page) -> None:
    """A heat map has a cell with the mean of each combination, and follows the selected number and settings."""
    open_page(page, "/ensemble")
    over = page.get_by_role("group", name="tension over noise.sigma and pacing.masking")
    wait_until(page, "document.querySelectorAll('.chart .heatmap-label').length === 4")
    shown = over.locator(".heatmap-label").all_text_contents()
    figures = ask_api(page, "noise", "/figures?by=point")
    means = sorted(round(point["means"]["tension"]["value"], 3) for point in figures)
    assert sorted(round(float(text), 3) for text in shown) == means
    page.get_by_label("Across").select_option("rules.pacing.masking")
    page.get_by_label("Up").select_option("rules.noise.sigma")
    wait_until(page, "!!document.querySelector('[aria-label=\"tension over pacing.masking and noise.sigma\"]')")
    page.get_by_label("Number").select_option("events")
    wait_until(page, "!!document.querySelector('[aria-label=\"events over pacing.masking and noise.sigma\"]')")
    charts = "[...document.querySelectorAll('.chart')]"
    wait_until(page, f"{charts}.every((one) => one.querySelectorAll('button').length === 4)")
    assert page.evaluate(f"{charts}.every((one) => one.scrollWidth <= one.parentElement.clientWidth)")


@pytest.mark.usefixtures("swept")
def test_a_third_setting_is_averaged_over(page: Page) -> None:
    """With three settings swept, the chart over two of them shows the API's means, number by number; it is empty where no evening
    has the number."""
    open_page(page, f"/ensemble?ensemble={ask_api(page, 'three')}")
    assert page.get_by_label("Across").locator("option").count() == 3
    for number, across in (("tension", "rules.pacing.masking"), ("first_drama", "evening.ticks")):
        page.get_by_label("Number").select_option(number)
        page.get_by_label("Across").select_option(across)
        page.get_by_label("Up").select_option("rules.noise.sigma")
        label = f"{number.replace('_', ' ')} over {across.removeprefix('rules.')} and noise.sigma"
        cells = ask_api(page, "three", f"/means?columns={number}&by={across},rules.noise.sigma")["cells"]
        said = {tuple(cell["at"]): cell["means"][number] for cell in cells}
        xs, ys = (sorted({at[axis] for at in said}) for axis in (0, 1))
        expected = [[f"{x:g}" for x in xs], [f"{y:g}" for y in ys], [[said[x, y] for x in xs] for y in ys]]
        chart = f"document.querySelector('[aria-label=\"{label}\"] .js-plotly-plot')?.data?.[0]"
        wait_until(
            page, f"JSON.stringify([{chart}?.x, {chart}?.y, {chart}?.z]) === JSON.stringify({json.dumps(expected)})"
        )
        assert (None in said.values()) == (number == "first_drama")
        assert {cell["evenings"] for cell in cells} == {4}


@pytest.mark.usefixtures("swept")
def test_many_combinations(page: Page) -> None:
    """Each of many combinations can be selected and compared, with the API's numbers; a setting with one value is not offered
    as one that varies."""
    open_page(page, f"/ensemble?ensemble={ask_api(page, 'many')}")
    wait_until(page, "document.querySelectorAll('.heat tbody tr').length === 30")
    page.locator(".ensemble-bar select").first.select_option("29")
    compared = ask_api(page, "many", "/compare?first=29&second=1")
    apart = sum(pair["apart"] for pair in compared["pairs"])
    said = [
        [pair["name"].lower().replace("_", " "), *(round(pair[which]["value"], 2) for which in ("first", "second"))]
        for pair in compared["pairs"][: max(8, min(14, apart))]
    ]
    number = "parseFloat(cell.textContent.replace('\\u2212', '-'))"
    row = f"(row) => [...row.cells].map((cell, at) => at ? {number} : cell.textContent)"
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


@pytest.mark.usefixtures("swept")
def test_charts_follow_the_theme(page: Page) -> None:
    """A chart's text has the text colour of the current theme."""
    open_page(page, "/ensemble")
    ink = "getComputedStyle(document.querySelector('.chart .xtick text')).fill"
    wait_until(page, "!!document.querySelector('.chart .xtick text')")
    light = page.evaluate(ink)
    page.click("#theme")
    page.click("#theme")
    wait_until(page, f"{ink} !== {light!r} && {ink} === getComputedStyle(document.body).color")


@pytest.mark.usefixtures("swept")
def test_without_plotly_the_page_draws_simple_charts(page: Page) -> None:
    """Without Plotly the distribution is a simple drawing, and nothing logs an error."""
    answer = {"body": "// not installed", "content_type": "text/javascript; charset=utf-8"}
    page.route("**/vendor/plotly.min.js", lambda route: route.fulfill(**answer))
    open_page(page, "/ensemble")
    wait_until(page, "document.querySelectorAll('.distribution rect').length > 1")
    assert page.locator(".chart").count() == 0
    assert_usable(page)


def test_only_this_page_may_style_inline(page: Page, address: str) -> None:
    """Entering and leaving the ensemble page loads a document, so that its looser policy applies there only."""
    strict, loose = (
        page.request.get(address + where).headers["content-security-policy"] for where in ("/records", "/ensemble")
    )
    assert "'unsafe-inline'" not in strict
    assert loose == strict.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
    open_page(page, "/records")
    page.evaluate("globalThis.same = true")
    for there, kept_document in (("Ensemble", False), ("Records", False), ("Stage", True)):
        page.evaluate("globalThis.same = true")
        page.get_by_role("navigation").get_by_role("link", name=there).click()
        page.wait_for_selector(f"main[data-shown={there.lower()}]")
        assert bool(page.evaluate("globalThis.same ?? false")) is kept_document, there
    page.go_back()
    page.go_back()
    page.wait_for_selector("main[data-shown=ensemble]")

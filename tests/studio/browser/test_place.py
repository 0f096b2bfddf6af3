"""Run, tick and person travel from page to page in the address: forward, back, and with a shared link."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.studio.browser.conftest import RUN
from tests.studio.browser.looks import open_page, wait_until
from tests.studio.browser.moments import linked_event, without_choice
from tests.studio.elsewhere import frozen, has_begun, playing
from tests.studio.served import wait_for
from volition.drama import play, scenario

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from volition.drama import Evening

HERE = {"run": RUN, "tick": "62", "agent": "lydia"}
STEP_AND_LEAVE = """
() => {
  for (const key of ["ArrowRight", "t"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}
"""


@pytest.fixture(scope="module", autouse=True)
def newer(played: Path) -> None:
    """A newer run than the one in the tests: a page that forgets its place opens this one."""
    play(scenario("dinner-party"), 9, ticks=5).save(played / "volition-runs" / "newer-9")


def place(address: str) -> dict[str, str]:
    """The run, the tick and the person that an address names."""
    query = parse_qs(urlsplit(address).query)
    return {name: query[name][0] for name in HERE if name in query}


def follow(page: Page, name: str) -> None:
    """Go to a page through the bar."""
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()
    page.wait_for_selector(f"main[data-shown={name.lower()}]")


def test_the_place_travels_through_the_bar(page: Page) -> None:
    """From page to page through the bar, over pages without an evening and one that is another document, and back: run, tick
    and person stay the same."""
    open_page(page, f"/stage?run={RUN}&tick=62&agent=lydia")
    assert page.locator(".portrait h3").inner_text() == "Lydia Cross"
    follow(page, "Threads")
    assert place(page.url) == HERE
    assert page.locator(".thread.chosen").get_attribute("data-guest") == "lydia"
    assert page.locator(".weave .playhead").get_attribute("visibility") == "visible"
    follow(page, "Decision")
    assert place(page.url) == HERE
    assert "tick 62" in page.locator(".sub").inner_text()
    assert page.locator("h1").inner_text() == "What Lydia decided"
    for name in ("Records", "Ensemble", "Stage"):
        follow(page, name)
        assert place(page.url) == HERE, name
    assert "tick 62" in page.locator(".time").inner_text()
    assert page.locator(".guest-card.chosen").get_attribute("data-guest") == "lydia"
    for name in ("ensemble", "records", "decision", "threads", "stage"):
        page.go_back()
        page.wait_for_selector(f"main[data-shown={name}]")
        assert place(page.url) == HERE, name
    page.go_forward()
    page.wait_for_selector("main[data-shown=threads]")
    assert page.locator(".thread.chosen").get_attribute("data-guest") == "lydia"


def test_what_is_done_on_a_page_travels_too(page: Page, evening: Evening) -> None:
    """Stepping and selecting a guest change the links of the bar at once; keys and links of the page lead there too."""
    open_page(page, f"/stage?run={RUN}&tick=62")
    page.keyboard.press("ArrowRight")
    page.locator("li[data-guest=victor] .guest-head").click()
    link = page.get_by_role("link", name="Decision")
    assert place(link.get_attribute("href") or "") == {"run": RUN, "tick": "63", "agent": "victor"}
    page.keyboard.press("t")
    page.wait_for_selector("main[data-shown=threads]")
    assert place(page.url) == {"run": RUN, "tick": "63", "agent": "victor"}
    event, _ = linked_event(evening)
    page.locator(f"[data-event={event.id}]").focus()
    there = {"run": RUN, "tick": str(event.tick), "agent": event.source}
    page.keyboard.press("4")
    page.wait_for_selector("main[data-shown=decision]")
    assert place(page.url) == there
    page.get_by_role("link", name="See it on the stage").click()
    page.wait_for_selector("main[data-shown=stage]")
    assert place(page.url) == there
    assert page.locator(".guest-card.chosen").get_attribute("data-guest") == event.source
    page.go_back()
    page.go_back()
    page.wait_for_selector("main[data-shown=threads]")
    assert place(page.url) == there


def test_the_address_is_complete_before_a_page_is_left(page: Page) -> None:
    """A step right before leaving is in the address: going back leads to it."""
    open_page(page, f"/stage?run={RUN}&tick=62&agent=lydia")
    page.evaluate(STEP_AND_LEAVE)
    page.wait_for_selector("main[data-shown=threads]")
    page.go_back()
    page.wait_for_selector("main[data-shown=stage]")
    assert place(page.url) == {**HERE, "tick": "63"}


def test_an_address_without_a_run_keeps_the_place(page: Page) -> None:
    """Going back to an address that names no run does not lose the run: the bar still leads to it."""
    open_page(page, "/records?kind=run", fresh=True)
    page.locator(f"tr[data-record={RUN}]").get_by_role("link", name="Stage").click()
    page.wait_for_selector("main[data-shown=stage]")
    page.go_back()
    page.wait_for_selector("main[data-shown=records]")
    assert place(page.url) == {}
    assert place(page.get_by_role("link", name="Threads", exact=True).first.get_attribute("href") or "")["run"] == RUN


def test_a_page_says_in_its_address_what_it_shows(page: Page) -> None:
    """A page opened without a run adds it to its address, and Decision adds tick and person, so that the link can be shared."""
    open_page(page, "/decision", fresh=True)
    wait_until(page, "['run', 'tick', 'agent'].every((name) => new URLSearchParams(location.search).has(name))")
    shown = place(page.url)
    assert page.locator("select[aria-label=Run]").input_value() == shown["run"]
    open_page(page, "/decision?run=newer-9&tick=3", fresh=True)
    assert "tick 3" in page.locator(".sub").inner_text()
    assert page.locator(".ranking").count() == 1


def test_who_does_not_choose_is_led_on(page: Page, evening: Evening) -> None:
    """For a tick in which somebody does not choose, Decision says so and links to the nearest in which they do."""
    idle = without_choice(evening)
    open_page(page, f"/decision?run={RUN}&tick={evening.last}&agent={idle.agent}")
    assert f"{idle.name} does not choose in tick {evening.last - 1}" in page.locator(".empty").inner_text()
    page.get_by_role("link", name=f"What {idle.name} chose in tick {idle.last}", exact=True).click()
    page.wait_for_selector(".ranking")
    assert place(page.url) == {"run": RUN, "tick": str(idle.last), "agent": idle.agent}


def test_a_tick_of_a_live_evening_is_kept(page: Page, played: Path) -> None:
    """A past tick of a live evening stays in view when coming back, and does not move along with the evening."""
    with playing(played, 47, pace=0.4, ticks=400) as process:
        wait_for(lambda: has_begun(played, "dinner-party-47"), "it has begun")
        open_page(page, "/stage?run=dinner-party-47")
        wait_until(page, "/tick ([4-9]|\\d\\d)/.test(document.querySelector('.time').textContent)")
        with frozen(process):
            assert "tick" not in place(page.url)
            page.keyboard.press("Home")
            page.keyboard.press("ArrowRight")
            follow(page, "Decision")
            assert place(page.url)["tick"] == "1"
            page.go_back()
            page.wait_for_selector("main[data-shown=stage]")
            last = "Number(/tick \\d+.(\\d+)/.exec(document.querySelector('.time').textContent)[1])"
            newest = page.evaluate(last)
        wait_until(page, f"{last} > {newest} + 2")
        assert "tick 1/" in page.locator(".time").inner_text()

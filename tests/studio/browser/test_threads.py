"""Threads: the whole evening on one page, its tension, and causes and effects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.studio.browser.conftest import RUN
from tests.studio.browser.looks import open_page, save_picture, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_threads_of_one_room_run_side_by_side(page: Page) -> None:
    """Threads of one room run within its band; there is a thread for each guest and a mark for each event."""
    open_page(page, f"/threads?run={RUN}")
    assert page.locator(".thread").count() == 6
    assert page.locator(".event").count() == 197
    spans = page.evaluate(
        """() => [...document.querySelectorAll(".thread-line")].map((line) => line.getPointAtLength(40).y)"""
    )
    band = page.evaluate(
        """() => [...document.querySelectorAll(".band")].map((one) => [Number(one.getAttribute("y")), Number(one.getAttribute("height"))])"""
    )
    inside = [sum(top <= y <= top + height for y in spans) for top, height in band]
    assert max(inside) == 6
    assert len(set(spans)) == 6


def _names(page: Page, *people: str) -> bool:
    """Whether the text of the event that is shown names these people."""
    told = page.locator(".event-detail > .told").inner_text()
    return all(name in told for name in people)


def test_causes_are_shown_on_focus(page: Page) -> None:
    """A focused event shows its text and draws its causes and effects, and the arrow keys go to the next."""
    open_page(page, f"/threads?run={RUN}")
    page.locator("[data-event=e0158]").focus()
    assert _names(page, "Elena", "Victor")
    assert page.locator(".way.cause").count() >= 1
    assert page.locator(".event.linked").count() >= 2
    save_picture(page, "threads-causes", whole=True)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.event") == "e0159"
    page.locator(".event-detail").get_by_role("link", name="Why?").click()
    page.wait_for_selector("main[data-shown=decision]")


def test_an_event_is_opened_by_enter(page: Page) -> None:
    """An event is a button: Enter, Space or a click goes to its detail, which links to the decision."""
    open_page(page, f"/threads?run={RUN}")
    for key in ("Enter", " "):
        page.locator("[data-event=e0158]").focus()
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.closest('.event-detail') !== null")
    page.locator("[data-event=e0036] .hit").click()
    assert page.evaluate("document.activeElement.textContent") == "Stage"
    assert _names(page, "Lydia", "Thorne")


def test_causes_are_shown_on_hover(page: Page) -> None:
    """Hovering over an event shows its text."""
    open_page(page, f"/threads?run={RUN}")
    page.locator("[data-event=e0036] .hit").hover()
    assert _names(page, "Lydia", "Thorne")


def test_filters_leave_what_was_asked_for(page: Page) -> None:
    """Filters by guest, type and secret leave the matching events, and count them."""
    open_page(page, f"/threads?run={RUN}")
    left = page.locator(".event:not(.dim)")
    page.locator("[data-filter=CONFLICT]").click()
    assert left.count() == 16
    page.locator("[data-filter=lydia]").click()
    assert 0 < left.count() < 16
    assert page.get_by_text(f"{left.count()} of 197 events").count() == 1
    page.locator("[data-filter=CONFLICT]").click()
    page.locator("[data-filter=lydia]").click()
    page.get_by_label("Secret", exact=True).select_option("secret_lydia_knows")
    events = page.request.get(f"/api/v1/runs/{RUN}").json()["events"]
    assert left.count() == sum("secret_lydia_knows" in event["secrets"] for event in events) > 5


def test_genres_weigh_the_same_evening_otherwise(page: Page) -> None:
    """A preset redraws the tension, and a component can be highlighted."""
    open_page(page, f"/threads?run={RUN}")
    line = page.locator(".tension-total")
    before = line.get_attribute("d")
    page.get_by_role("radio", name="thriller").click()
    wait_until(page, f"document.querySelector('.tension-total').getAttribute('d') !== {json.dumps(before)}")
    wait_until(page, "location.search.includes('genre=thriller')")
    assert page.locator(".layer").count() == 8
    page.get_by_role("button", name="danger").click()
    assert page.locator(".layer.dim").count() == 7
    assert page.locator(".scene").count() >= 4

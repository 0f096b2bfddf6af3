"""Threads: the whole evening on one page, its tension, and causes and effects."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from tests.studio.browser.conftest import RUN
from tests.studio.browser.looks import LAYERS, LEGEND, open_page, save_picture, wait_until
from tests.studio.browser.moments import linked_event, meant_events, named
from volition.drama.rules.catalog import EventType
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from volition.drama import Evening
    from volition.drama.stage.events import Event

UNCOVERED = """
(ids) => ids.find((id) => {
  const hit = document.querySelector(`[data-event=${id}] .hit`);
  hit.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const { x, y, width, height } = hit.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2)?.closest("[data-event]")?.dataset.event === id;
})
"""


def test_threads_of_one_room_run_side_by_side(page: Page, evening: Evening) -> None:
    """Threads of one room run within its band; there is a thread for each guest and a mark for each event."""
    open_page(page, f"/threads?run={RUN}")
    assert page.locator(".thread").count() == 6
    assert page.locator(".event").count() == len(evening.events)
    spans = page.evaluate(
        """() => [...document.querySelectorAll(".thread-line")].map((line) => line.getPointAtLength(0).y)"""
    )
    bands = page.evaluate(
        """() => [...document.querySelectorAll(".band")].map((one) => [one.nextElementSibling.textContent.toLowerCase(), Number(one.getAttribute("y")), Number(one.getAttribute("height"))])"""
    )
    inside = Counter(name for y in spans for name, top, height in bands if top <= y <= top + height)
    assert inside == Counter(_band(evening, state.location) for state in evening.state(evening.first).agents.values())
    assert max(inside.values()) > 1
    assert len(set(spans)) == 6


def _band(evening: Evening, room: str) -> str:
    """The name beside the band of a room, in small letters."""
    return "outside" if room == DEPARTED else evening.scenario.rooms[room].name.removeprefix("the ").lower()


def _names(page: Page, evening: Evening, event: Event) -> bool:
    """Whether the text that is shown names those who take part in an event."""
    told = page.locator(".event-detail > .told").inner_text()
    return all(name in told for name in named(evening, event))


def _uncovered(page: Page, evening: Evening) -> Event:
    """An event towards somebody that the pointer reaches: in a full evening some marks lie over others."""
    meant = {event.id: event for event in meant_events(evening)}
    return meant[page.evaluate(UNCOVERED, list(meant))]


def test_causes_are_shown_on_focus(page: Page, evening: Evening) -> None:
    """A focused event shows its text and draws its causes and effects, and the arrow keys go to the next."""
    open_page(page, f"/threads?run={RUN}")
    event, following = linked_event(evening)
    page.locator(f"[data-event={event.id}]").focus()
    assert _names(page, evening, event)
    assert page.locator(".way.cause").count() >= 1
    assert page.locator(".event.linked").count() >= 2
    save_picture(page, "threads-causes", whole=True)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.event") == following.id
    page.locator(".event-detail").get_by_role("link", name="Why?").click()
    page.wait_for_selector("main[data-shown=decision]")


def test_an_event_is_opened_by_enter(page: Page, evening: Evening) -> None:
    """An event is a button: Enter, Space or a click goes to its detail, which links to the decision."""
    open_page(page, f"/threads?run={RUN}")
    event, _ = linked_event(evening)
    for key in ("Enter", " "):
        page.locator(f"[data-event={event.id}]").focus()
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.closest('.event-detail') !== null")
    plain = _uncovered(page, evening)
    page.locator(f"[data-event={plain.id}] .hit").click()
    assert page.evaluate("document.activeElement.textContent") == "Stage"
    assert _names(page, evening, plain)


def test_causes_are_shown_on_hover(page: Page, evening: Evening) -> None:
    """Hovering over an event shows its text."""
    open_page(page, f"/threads?run={RUN}")
    plain = _uncovered(page, evening)
    page.locator(f"[data-event={plain.id}] .hit").hover()
    assert _names(page, evening, plain)


def test_filters_leave_what_was_asked_for(page: Page, evening: Evening) -> None:
    """Filters by guest, type and secret leave the matching events, and count them."""
    open_page(page, f"/threads?run={RUN}")
    left = page.locator(".event:not(.dim)")
    conflicts = [event for event in evening.events if event.type is EventType.CONFLICT]
    guest = conflicts[0].source
    page.locator("[data-filter=CONFLICT]").click()
    assert left.count() == len(conflicts)
    page.locator(f"[data-filter={guest}]").click()
    assert left.count() == sum(guest in {event.source, *event.targets} for event in conflicts)
    assert page.get_by_text(f"{left.count()} of {len(evening.events)} events").count() == 1
    page.locator("[data-filter=CONFLICT]").click()
    page.locator(f"[data-filter={guest}]").click()
    events = page.request.get(f"/api/v1/runs/{RUN}").json()["events"]
    secret = next(event["secrets"][0] for event in events if event["secrets"])
    page.get_by_label("Secret", exact=True).select_option(secret)
    assert left.count() == sum(secret in event["secrets"] for event in events)


def test_genres_weigh_the_same_evening_otherwise(page: Page, complaints: list[str]) -> None:
    """A preset redraws the tension, and a component can be highlighted; the legend has the colours of the layers, each its own.
    A preset that the studio does not answer is told, until one is answered."""
    open_page(page, f"/threads?run={RUN}")
    page.route("**/audience?*", lambda route: route.abort())
    page.get_by_role("radio", name="mystery").click()
    page.wait_for_selector("[role=alert]")
    page.unroute_all()
    complaints.clear()
    line = page.locator(".tension-total")
    before = line.get_attribute("d")
    page.get_by_role("radio", name="thriller").click()
    wait_until(page, f"document.querySelector('.tension-total').getAttribute('d') !== {json.dumps(before)}")
    wait_until(page, "location.search.includes('genre=thriller')")
    assert page.locator("[role=alert]").count() == 0
    assert page.locator(".layer").count() == 8
    assert page.evaluate(LEGEND) == page.evaluate(LAYERS)
    assert len(set(page.evaluate(LEGEND))) == 8
    page.get_by_role("button", name="danger").click()
    assert page.locator(".layer.dim").count() == 7
    assert page.locator(".scene").count() >= 4

"""The studio as a whole: every page opens, by keyboard, in light and dark, and is accessible."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.studio.browser.conftest import RUN
from tests.studio.browser.looks import (
    LOOKS,
    NOTE_WALKS,
    assert_usable,
    open_page,
    save_picture,
    wait_until,
)
from tests.studio.browser.moments import first_walk

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.studio.browser.conftest import Showing
    from volition.drama import Evening

PAGES = ["threads", "decision", "govern", "drive", "records", "team", "inbox"]
"""Every page but those that are checked with something on them: the stage, a game, and an ensemble."""


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_use_every_page(page: Page, name: str) -> None:
    """Axe-core finds nothing on any page, light or dark, wide or narrow; at 320 pixels no page scrolls sideways."""
    page.set_viewport_size({"width": 320, "height": 800})
    open_page(page, f"/{name}")
    wait_until(page, "!document.querySelector('main .loading')")
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        assert_usable(page)
        save_picture(page, f"{name}-{scheme}-{width}")


def test_the_first_page_asks_for_everything_at_once(page: Page) -> None:
    """Every module and style sheet that the first page needs is named in its head: none has to wait for another."""
    open_page(page, "/", fresh=True)
    assert page.locator(".guest-card").count() == 6
    needed = page.evaluate(
        "performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname).filter((one) => /[.](js|css)$/.test(one))"
    )
    head = page.request.get("/").text()
    assert len(needed) > 20
    assert [one for one in needed if f'"{one}"' not in head] == []
    assert [one for one in re.findall('href="(/static/[0-9a-f]+/[a-z]+[.]js)"', head) if one not in needed] == []


def test_pages_are_reached_by_number_and_back(page: Page) -> None:
    """A digit goes to a page, the address follows, and back goes back."""
    open_page(page, "/stage")
    page.keyboard.press("3")
    page.wait_for_selector("main[data-shown=threads]")
    assert "/threads?run=" in page.url
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("0")
    page.wait_for_selector("main[data-shown=inbox]")
    page.go_back()
    page.wait_for_selector("main[data-shown=threads]")
    assert page.title().startswith("Threads")


def test_the_focus_goes_through_the_bar_in_order(page: Page) -> None:
    """Tab reaches the skip link first, then the pages in the order of the bar; the focused element shows its focus."""
    open_page(page, "/stage", fresh=True)
    met = []
    for _ in range(12):
        page.keyboard.press("Tab")
        met.append(page.evaluate("document.activeElement.textContent.trim()"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert met[0] == "Skip to content"
    assert met[1:-1] == [
        "Volition",
        "Stage",
        "Play",
        "Threads",
        "Decision",
        "Govern",
        "Drive",
        "Ensemble",
        "Records",
        "Team",
    ]
    assert met[-1].startswith("Inbox")


def test_the_theme_is_chosen_and_kept(page: Page) -> None:
    """The switch goes from the system's theme to light to dark, and a new page keeps the choice."""
    open_page(page, "/records")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.keyboard.press("d")
    page.keyboard.press("d")
    dark = page.evaluate(ground)
    assert dark != light
    open_page(page, "/records", fresh=True)
    assert page.evaluate(ground) == dark
    assert page.locator("#theme").inner_text() == "Theme: dark"


def test_the_keys_are_listed(page: Page) -> None:
    """ "?" opens a dialog that lists the page's keys, and Escape closes it."""
    open_page(page, "/stage")
    page.keyboard.press("?")
    assert "play or pause" in page.locator("dialog").inner_text()
    page.keyboard.press("Escape")
    wait_until(page, "document.querySelector('dialog') === null")


def test_single_letters_can_be_switched_off(page: Page) -> None:
    """With single-key shortcuts off, no letter, digit or sign does anything, now or on a new page; other keys still work."""
    open_page(page, f"/stage?run={RUN}&tick=20")
    page.keyboard.press("?")
    page.get_by_label("Single-key shortcuts").uncheck()
    assert_usable(page, within="dialog")
    page.keyboard.press("Escape")
    for place in (20, 21):
        if place > 20:
            page.reload()
            page.wait_for_selector("main[data-shown=stage]")
        for key in ("t", "w", "7", "d", "?"):
            page.keyboard.press(key)
        page.keyboard.press("ArrowRight")
        wait_until(page, f"document.querySelector('.time').textContent.includes('tick {place + 1}/')")
        assert page.locator("#theme").inner_text() == "Theme: system"
        assert page.locator("dialog").count() == 0
        wait_until(page, f"location.search.includes('tick={place + 1}')")
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Single-key shortcuts").check()
    page.keyboard.press("Escape")
    page.keyboard.press("8")
    page.wait_for_selector("main[data-shown=records]")


def test_an_empty_folder_invites(showing: Showing, tmp_path: Path) -> None:
    """In an empty folder every page says what to do there, and none is a dead end."""
    with showing(tmp_path) as (studio, page):
        open_page(page, f"http://127.0.0.1:{studio.port}/stage")
        for name in ("stage", "threads", "records", "decision"):
            page.get_by_role("navigation", name="Pages").get_by_role("link", name=name.title()).click()
            page.wait_for_selector(f"main[data-shown={name}]")
            page.get_by_role("button", name="Play the first evening").wait_for()
        assert_usable(page)
        page.get_by_role("link", name="Paste a decision").click()
        page.wait_for_selector(".ranking")
        page.go_back()
        page.get_by_role("button", name="Play the first evening").click()
        page.get_by_label("Pace").select_option("0")
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_selector("main[data-shown=stage] .guest-card")


def test_what_is_refused_is_told_in_words(page: Page, complaints: list[str]) -> None:
    """An unknown run gives what, where and what to do, and the studio keeps working."""
    open_page(page, "/stage?run=nothing")
    told = page.locator("[role=alert]").first.inner_text()
    assert "nothing" in told
    assert "remedy" in told
    assert_usable(page)
    page.get_by_role("link", name="Records").click()
    page.wait_for_selector("main[data-shown=records]")
    assert all("404" in text for text in complaints)
    complaints.clear()


@pytest.mark.parametrize("path", ["/threads?run=nothing", "/constructor"])
def test_an_unknown_address_leads_on(page: Page, complaints: list[str], path: str) -> None:
    """A run or a page that is not there is told on a page of the studio, which leads to the newest evening."""
    page.goto(path)
    page.wait_for_selector("main[data-shown] [role=alert]")
    assert page.locator("h1").inner_text() == "This cannot be shown"
    page.get_by_role("link", name="Open the newest evening").click()
    page.wait_for_selector("main[data-shown=stage] .guest-card")
    assert all("404" in text for text in complaints)
    complaints.clear()


def test_the_bar_leaves_a_phone_to_its_page(page: Page) -> None:
    """At 320 pixels the bar goes away with what is scrolled; on larger screens it stays."""
    for width, stays in ((320, False), (1280, True)):
        page.set_viewport_size({"width": width, "height": 700})
        open_page(page, f"/stage?run={RUN}")
        page.evaluate("scrollTo(0, 600)")
        assert page.evaluate("Boolean(document.elementFromPoint(innerWidth / 2, 6).closest('.bar'))") is stays


def test_reduced_motion_is_respected(page: Page, evening: Evening) -> None:
    """With reduced motion guests change rooms without walking."""
    page.emulate_media(reduced_motion="reduce")
    walk = first_walk(evening)
    open_page(page, f"/stage?run={RUN}&tick={walk.tick}")
    page.evaluate(NOTE_WALKS)
    page.keyboard.press("ArrowRight")
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {walk.tick + 1}/')")
    assert page.evaluate("window.walks") == []
    assert page.evaluate("document.getAnimations().length") == 0

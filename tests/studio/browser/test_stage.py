"""Stage: playing, stepping and scrubbing an evening; who is where, and who knows what."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING

import pytest

from tests.processes import PATIENCE
from tests.studio.browser.conftest import RUN
from tests.studio.browser.looks import (
    LOOKS,
    NOTE_WALKS,
    assert_usable,
    faults,
    know_what_mattered,
    open_page,
    save_picture,
    wait_for_drawing,
    wait_until,
)
from tests.studio.browser.moments import dramatic_ticks, first_lie, first_walk, gone_at_the_end, only_lesson
from tests.studio.elsewhere import frozen, has_begun, playing
from tests.studio.served import wait_for
from volition.core.pausing import pause
from volition.drama import play, scenario
from volition.drama.audience.deeds import describe_deed
from volition.drama.audience.prose import clock, short_names
from volition.drama.audience.reasons import ChoiceWords
from volition.drama.world.scenario import scenario_names
from volition.studio import mattering
from volition.studio.plays import Play

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.studio.browser.conftest import Showing
    from tests.studio.browser.moments import CloseChoice
    from volition.drama import Evening
    from volition.drama.playing.significance import ActSignificance

WORDS = {
    "suspects": "suspects",
    "believes_true": "knows",
    "believes_false": "believes otherwise",
    "unknown": "does not know",
}
MOVED = """
() => {
  const time = document.querySelector(".time");
  const tick = () => Number(/tick (\\d+)/.exec(time.textContent)[1]);
  const first = tick();
  window.moved = 0;
  new MutationObserver(() => {
    if (document.querySelector(".sub")?.textContent.includes("in progress")) window.moved = Math.max(window.moved, tick() - first);
  }).observe(time, { childList: true, characterData: true, subtree: true });
}
"""
"""Notes how far a live evening has moved, so that a test that looks too late still knows."""
COVERED = """
async () => {
  const slider = document.querySelector(".scrub");
  const wrong = new Set();
  for (let place = 0; place <= Number(slider.max); place += 3) {
    slider.value = place;
    slider.dispatchEvent(new Event("input"));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const rings = [...document.querySelectorAll(".guest .ring")].map((one) => one.getBoundingClientRect());
    const names = [...document.querySelectorAll(".guest-name")].map((one) => one.getBoundingClientRect());
    rings.forEach((ring, one) => names.forEach((name, other) => {
      const [x, y] = [ring.x + ring.width / 2, ring.y + ring.height / 2];
      const near = Math.hypot(x - Math.max(name.left, Math.min(x, name.right)), y - Math.max(name.top + 2, Math.min(y, name.bottom - 2)));
      if (near < ring.width / 2 - 0.5) wrong.add(`${one} covers the name of ${other}`);
    }));
    names.forEach((name, one) => names.slice(one + 1).forEach((other, at) => {
      if (name.left < other.right && other.left < name.right && name.top + 2 < other.bottom - 2 && other.top + 2 < name.bottom - 2) wrong.add(`names ${one} and ${one + 1 + at} meet`);
    }));
  }
  return [...wrong];
}
"""


def test_a_newcomer_learns_why_in_two_clicks(page: Page, evening: Evening) -> None:
    """The first page opens at the first dramatic moment with its premise and what is said. From there "why did he lie?" takes two
    clicks: the lie on the timeline, and "Why?" at its teller. The card answers in words, at any width, in light and dark."""
    open_page(page, f"/?run={RUN}")
    assert page.locator(".premise").inner_text() == evening.scenario.description
    assert f"tick {dramatic_ticks(evening)[0]}/" in page.locator(".time").inner_text()
    told = " ".join(page.locator(".telling .now").all_inner_texts())
    spoken = (
        page.locator(".bubble .told", has_text="\u201c").first.inner_text().split("\u201c")[1].rstrip("\u201d\u2026.")
    )
    assert spoken in told
    lie = first_lie(evening)
    name = short_names(evening.scenario)[lie.source]
    page.get_by_role("button", name=f"{clock(lie.minutes)} {describe_deed(evening.scenario, lie)}", exact=True).click()
    page.get_by_role("button", name=f"Why? {name}", exact=True).click()
    card = page.locator(".why-card")
    page.wait_for_selector(".why-doing")
    reason = ChoiceWords(evening.scenario, lie.source).reason(evening.decision(lie.tick, lie.source))
    answer = card.inner_text()
    assert all(f"{part}." in answer.replace("\u2212", "-") for part in (reason.doing, reason.because, reason.instead))
    assert page.evaluate("document.activeElement.className").startswith("panel why-card")
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        assert_usable(page)
        save_picture(page, f"stage-{scheme}-{width}", whole=True)
    page.set_viewport_size({"width": 800, "height": 800})
    bar, beside = page.locator(".bar").bounding_box(), card.bounding_box()
    assert bar is not None
    assert beside is not None
    assert beside["y"] > bar["y"] + bar["height"]
    page.keyboard.press("Escape")
    assert card.is_hidden()


def test_moments_are_gone_to_by_key_and_explained(page: Page, evening: Evening) -> None:
    """A key goes to the next moment, and the last one leads to the end; each shape on the timeline is in the legend."""
    know_what_mattered(page)
    first, second, *_ = dramatic_ticks(evening)
    open_page(page, f"/stage?run={RUN}&tick={first}")
    page.keyboard.press("n")
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {second}/')")
    assert page.locator(".moment.now").count() >= 1
    open_page(page, f"/stage?run={RUN}&tick={dramatic_ticks(evening)[-1]}")
    page.get_by_role("button", name="Next moment").click()
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {evening.last}/')")
    kinds = {event.type for event in evening.events if event.is_dramatic}
    assert page.locator(".moment-legend li").count() == len(kinds) + 1  # and the line


def test_the_end_is_told_with_what_mattered(page: Page, evening: Evening) -> None:
    """At the end a card tells how it ended and, as soon as it is known, which acts mattered; each leads to its moment."""
    lie = first_lie(evening)
    act = {"event": lie.id, "tick": lie.tick, "minutes": lie.minutes, "agent": lie.source, "score": 0.5}
    know_what_mattered(page, {**act, "text": "A lie", "without": ["all is well"]})
    open_page(page, f"/stage?run={RUN}&tick={evening.last}")
    card = page.locator(".closing")
    page.wait_for_selector(".mattered")
    shown = card.inner_text()
    assert "Without it: all is well." in shown
    transcript = evening.transcript()
    assert all(line in transcript for line in card.locator(".told").all_inner_texts())
    page.emulate_media(color_scheme="dark")
    assert faults(page, within=".closing") == []
    save_picture(page, "stage-end")
    page.get_by_role("button", name="A lie").click()
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {lie.tick}/')")
    assert card.is_hidden()


def test_what_mattered_can_be_cancelled(showing: Showing, evening: Evening, tmp_path: Path) -> None:
    """While it is found out the card says how far it is; Cancel ends the work, and so does leaving the page; it can be asked
    again, and a second visit finds it known."""
    evening.save(tmp_path / "volition-runs" / RUN)
    begun: list[int] = []

    def hold(_: Evening, *, most: int, progress: Callable[[int, int], None]) -> tuple[ActSignificance, ...]:
        begun.append(most)
        progress(1, 3)
        while True:
            sleep(0.01)
            pause()

    asked = "The evening is played again without each of its acts: 1 of 3"
    whole = type(evening).significance
    with pytest.MonkeyPatch.context() as patch, showing(tmp_path) as (studio, page):
        patch.setattr(type(evening), "significance", hold)
        jobs = studio.studio.mattering.jobs
        open_page(page, f"http://127.0.0.1:{studio.port}/stage?run={RUN}&tick={evening.last}")
        page.get_by_text(asked).wait_for()
        assert page.get_by_role("progressbar", name="Acts examined").get_attribute("aria-valuenow") == "1"
        assert faults(page, within=".closing") == []
        save_picture(page, "stage-mattering")
        (job,) = jobs.all()
        wait_for(lambda: job.feed.has_followers, "the page follows")
        patch.setattr(mattering, "UNWATCHED", 0.0)
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("you cancelled it").wait_for()
        assert job.wait_until_finished(PATIENCE)
        assert job.state == "stopped"
        patch.setattr(mattering, "UNWATCHED", 60.0)
        page.get_by_role("button", name="Find out").click()
        page.get_by_text(asked).wait_for()
        (again,) = jobs.all()
        wait_for(lambda: again.feed.has_followers, "the page follows")
        patch.setattr(mattering, "UNWATCHED", 0.0)
        page.get_by_role("navigation").get_by_role("link", name="Records").click()
        page.wait_for_selector("main[data-shown=records]")
        assert again.wait_until_finished(PATIENCE)
        assert (again.state, len(begun)) == ("stopped", 2)
        patch.setattr(mattering, "UNWATCHED", 60.0)
        patch.setattr(type(evening), "significance", whole)
        patch.setattr(mattering, "EXAMINED", 1)
        for _ in range(2):
            open_page(page, f"http://127.0.0.1:{studio.port}/stage?run={RUN}&tick={evening.last}")
            page.wait_for_selector(".mattered")
            patch.setattr(type(evening), "significance", hold)
        assert len(begun) == 2


def test_an_evening_is_stepped_through(page: Page, evening: Evening, close: CloseChoice) -> None:
    """A key moves one tick forward: the time, the events and the choices follow."""
    know_what_mattered(page)
    open_page(page, f"/stage?run={RUN}&tick={close.tick - 1}")
    assert f"tick {close.tick - 1}/{evening.last}" in page.locator(".time").inner_text()
    page.keyboard.press("ArrowRight")
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {close.tick}/')")
    telling = " ".join(page.locator(".telling .now").all_inner_texts())
    assert all(name in telling for name in (close.name, *close.towards))
    does = page.locator(f"[data-guest={close.agent}] .guest-does").inner_text()
    assert all(name in does for name in close.towards)
    wait_until(page, f"location.search.includes('tick={close.tick}')")
    page.keyboard.press("End")
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {evening.last}/')")
    cards = {guest: page.locator(f"li[data-guest={guest}]").inner_text() for guest in evening.scenario.people}
    assert {guest for guest, card in cards.items() if "has left" in card} == gone_at_the_end(evening)


def test_playing_goes_on_by_itself(page: Page) -> None:
    """Space plays and pauses."""
    open_page(page, f"/stage?run={RUN}&tick=10")
    page.get_by_role("radio", name="5\u00d7", exact=True).click()
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    wait_until(page, "/tick (1[2-9]|[2-9]\\d|\\d{3})/.test(document.querySelector('.time').textContent)")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press(" ")
    page.get_by_role("button", name="Play", exact=True).wait_for()


def test_who_learns_something_is_marked(page: Page, evening: Evening) -> None:
    """The matrix shows what everybody believes before the tick, and marks what the previous tick changed."""
    lesson = only_lesson(evening)
    open_page(page, f"/stage?run={RUN}&tick={lesson.tick}")
    cell = page.locator(".beliefs tbody tr").nth(lesson.row).locator("td").nth(lesson.column)
    assert cell.get_attribute("data-belief") == lesson.before
    page.keyboard.press("ArrowRight")
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {lesson.tick + 1}/')")
    wait_until(page, "document.querySelectorAll('td.fresh').length === 1")
    assert cell.get_attribute("data-belief") == lesson.after
    assert "fresh" in (cell.get_attribute("class") or "")
    assert cell.inner_text() == WORDS[lesson.after]


def test_guests_walk_through_the_doors(page: Page, evening: Evening) -> None:
    """A guest who changes rooms in a step walks through the door, and is in the new room afterwards."""
    walk = first_walk(evening)
    open_page(page, f"/stage?run={RUN}&tick={walk.tick}")
    page.evaluate(NOTE_WALKS)
    page.keyboard.press("ArrowRight")
    wait_until(page, "window.walks.some((stops) => stops >= 3)")
    told = page.locator(f".guest[data-guest={walk.agent}] .guest-button").get_attribute("aria-label") or ""
    assert walk.room in told


def test_the_house_is_seen_from_the_front(page: Page, evening: Evening) -> None:
    """The switch draws the same evening as a place with walls: the tick stays, everybody is there, a walk leads through as many
    doors as on the plan, a guest can be chosen, and the address keeps the view."""
    walk = first_walk(evening)
    open_page(page, f"/stage?run={RUN}&tick={walk.tick}")
    page.get_by_role("radio", name="From the front").click()
    page.wait_for_selector("svg.floor.world")
    assert f"tick {walk.tick}/" in page.locator(".time").inner_text()
    assert page.locator("svg.floor.world .guest:not([hidden])").count() == len(evening.scenario.people)
    assert page.locator("svg.floor.world .wall").count() == 2 * len(evening.scenario.rooms)
    page.evaluate(NOTE_WALKS)
    page.keyboard.press("ArrowRight")
    wait_until(page, "window.walks.some((stops) => stops >= 3)")
    wait_until(page, "location.search.includes('view=world')")
    page.locator(".guest-button").first.click()
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        assert_usable(page, within=".stage-plan, .stage-close")
        save_picture(page, f"stage-front-{scheme}-{width}", whole=True)
    page.get_by_role("radio", name="From above").click()
    page.wait_for_selector("svg.floor.plan")


THROUGH_TICKS = """
async (ticks) => {
  const slider = document.querySelector("input.scrub");
  const found = [];
  for (const tick of ticks) {
    slider.value = tick;
    slider.dispatchEvent(new Event("input"));
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    found.push([...document.querySelectorAll(".floor .guest:not([hidden])")].map((one) =>
      [one.dataset.guest, new DOMMatrix(one.style.transform).f]));
  }
  return found;
}
"""
"""Goes to ticks with the slider: in each, who is drawn and how far in front, in the order of drawing."""


def test_from_the_front_who_is_nearer_covers_who_is_behind(page: Page, evening: Evening) -> None:
    """From the front guests are drawn from the back to the front in every tick, and a focused guest keeps the focus; the plan from
    above keeps the order of the cast."""
    cast = list(evening.scenario.people)
    open_page(page, f"/stage?run={RUN}&tick=1&view=world")
    page.locator(f".guest[data-guest={cast[0]}] .guest-button").focus()
    ticks = list(range(1, evening.last, 9))
    drawn = page.evaluate(THROUGH_TICKS, ticks)
    assert all(depths == sorted(depths) for depths in ([depth for _, depth in guests] for guests in drawn))
    assert len({tuple(who for who, _ in guests) for guests in drawn}) > 2
    assert page.evaluate("document.activeElement.closest('.guest').dataset.guest") == cast[0]
    page.get_by_role("radio", name="From above").click()
    page.wait_for_selector("svg.floor.plan")
    assert [[who for who, _ in guests] for guests in page.evaluate(THROUGH_TICKS, ticks[:3])] == [cast] * 3


def test_a_guest_is_looked_at_closely(page: Page) -> None:
    """Selecting a guest on the plan by keyboard shows feelings, goals and flaws, and marks the card."""
    open_page(page, f"/stage?run={RUN}&tick=60")
    page.locator(".guest-button[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator(".guest-card.chosen").get_attribute("data-guest") == "elena"
    assert "Wants" in page.locator(".portrait").inner_text()
    save_picture(page, "stage-chosen", whole=True)


APART = """
() => {
  const boxes = [...document.querySelectorAll(".room-name")].map((one) => [one.textContent, one.getBoundingClientRect()]);
  return boxes.flatMap(([name, a], n) => boxes.slice(n + 1).filter(([, b]) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).map(([other]) => [name, other]));
}
"""
"""The pairs of rooms whose names lie over each other."""


def test_names_of_rooms_keep_apart_on_a_phone(showing: Showing, tmp_path: Path) -> None:
    """In every scenario, from above and from the front, each room's name can be read at 320 pixels: none lies over another."""
    for name in scenario_names():
        play(scenario(name), 1, ticks=1).save(tmp_path / "volition-runs" / name)
    with showing(tmp_path) as (studio, page):
        page.set_viewport_size({"width": 320, "height": 800})
        for name in scenario_names():
            for view in ("plan", "world"):
                open_page(page, f"http://127.0.0.1:{studio.port}/stage?run={name}&tick=0&view={view}")
                wait_for_drawing(page)
                assert page.locator(".room-name").count() >= 5
                assert page.evaluate(APART) == [], (name, view)


def test_no_ring_covers_a_name(page: Page) -> None:
    """In every third tick, from the first on, nobody's name is covered by a ring or by another name."""
    page.emulate_media(reduced_motion="reduce")
    open_page(page, f"/stage?run={RUN}&tick=0")
    assert page.evaluate(COVERED) == []


def test_bars_say_what_they_measure(page: Page) -> None:
    """Four bars for each guest, each a meter with a name and a value, all of the same width."""
    open_page(page, f"/stage?run={RUN}&tick=100")
    meters = page.get_by_role("meter")
    assert meters.count() == 24
    values = meters.evaluate_all("(all) => all.map((one) => Number(one.getAttribute('aria-valuenow')))")
    assert all(0 <= value <= 1 for value in values)
    assert len(set(values)) > 8
    widths = meters.evaluate_all("(all) => all.map((one) => Math.round(one.getBoundingClientRect().width))")
    assert max(widths) - min(widths) <= 1


def test_a_run_in_progress_is_followed_live(
    showing: Showing, evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An evening played from the page shows its ticks as they arrive; the key asks first, the button stops it, and what was played
    is a record."""
    evening.save(tmp_path / "volition-runs" / RUN)
    go_on = Play.wait

    def stand_still(live: Play, seconds: float) -> None:
        go_on(live, PATIENCE if live.brief().ticks == 8 else seconds)

    monkeypatch.setattr(Play, "wait", stand_still)
    with showing(tmp_path) as (studio, page):
        know_what_mattered(page)
        open_page(page, f"http://127.0.0.1:{studio.port}/stage")
        page.get_by_role("button", name="Play an evening").click()
        page.get_by_label("Seed").fill("31")
        page.get_by_label("Pace").select_option("0.4")
        page.get_by_role("button", name="Play", exact=True).last.click()
        wait_until(page, "location.search.includes('dinner-party-31')")
        wait_until(page, "document.querySelector('.sub')?.textContent.includes('in progress')")
        wait_until(page, "/tick ([5-9]|\\d\\d)/.test(document.querySelector('.time')?.textContent ?? '')")
        assert page.locator(".telling li").count() > 2
        save_picture(page, "stage-live")
        page.keyboard.press("x")
        page.get_by_role("button", name="Keep going").click()
        assert "in progress" in page.locator(".sub").inner_text()
        page.get_by_role("button", name="Stop", exact=True).click()
        wait_until(page, "!document.querySelector('.sub')?.textContent.includes('in progress')")
        assert "broken off" in page.locator(".sub").inner_text()
        assert page.get_by_role("button", name="Stop", exact=True).count() == 0
        record = studio.get("/records/dinner-party-31")["record"]
        assert (record["live"], record["run"]["ending"]) == (False, "broken_off")


def test_an_evening_of_another_process_is_followed_live(page: Page, played: Path) -> None:
    """An evening of `volition play` in another process moves on the stage by itself, and is complete when it is over."""
    know_what_mattered(page)
    with playing(played, 41, pace=0.15, ticks=16) as process:
        wait_for(lambda: has_begun(played, "dinner-party-41"), "it has begun")
        with frozen(process):
            open_page(page, "/stage?run=dinner-party-41")
            assert "in progress" in page.locator(".sub").inner_text()
            assert page.get_by_role("button", name="Stop", exact=True).count() == 0
            page.evaluate(MOVED)
        wait_until(page, "window.moved >= 3")
        assert page.locator(".telling li").count() > 1
        save_picture(page, "stage-elsewhere")
        wait_until(page, "!document.querySelector('.sub')?.textContent.includes('in progress')")
    page.keyboard.press("End")
    wait_until(page, "document.querySelector('.time').textContent.includes('tick 16/16')")


def test_what_is_decided_is_shown_while_it_goes_on(page: Page, played: Path) -> None:
    """Every past tick of a live evening shows what everybody chose, with its reasons; the newest shows the last choices."""
    with playing(played, 42, pace=0.4, ticks=400) as process:
        wait_for(lambda: has_begun(played, "dinner-party-42"), "it has begun")
        open_page(page, "/stage?run=dinner-party-42")
        wait_until(page, "/tick ([4-9]|\\d\\d)/.test(document.querySelector('.time').textContent)")
        with frozen(process):
            does = page.locator(".guest-does")
            wait_until(
                page,
                "[...document.querySelectorAll('.guest-does')].some((one) => one.textContent.startsWith('just now: '))",
            )
            assert "is deciding" not in does.all_inner_texts()
            page.keyboard.press("ArrowLeft")
            page.keyboard.press("ArrowLeft")
            wait_for_drawing(page)
            wait_until(
                page,
                "![...document.querySelectorAll('.guest-does')].some((one) => /deciding|just now/.test(one.textContent))",
            )
            place = page.locator("input.scrub").input_value()
            wait_until(page, f"document.querySelector('.time').textContent.includes('tick {place}/')")
            assert "in progress" in page.locator(".sub").inner_text()
            link = page.locator("[data-guest=victor] .guest-does")
            assert f"tick={place}" in (link.get_attribute("href") or "")
            chosen = link.inner_text()
            link.click()
            page.wait_for_selector("main[data-shown=decision] .ranking")
            assert page.locator("p.verdict").inner_text() == chosen
            assert f"tick {place}" in page.locator(".sub").inner_text()
            live = page.evaluate("fetch('/api/v1/runs/dinner-party-42').then((answer) => answer.json())")["live"]
            assert live

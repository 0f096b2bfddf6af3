"""Play: a person is a guest, by keyboard, to the end; two tabs and Back are harmless; afterwards everybody can be asked why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.studio.browser.looks import LOOKS, assert_usable, open_page, save_picture, wait_until
from tests.studio.served import Served, serving
from tests.studio.test_games import SHORT, write_short

if TYPE_CHECKING:
    from collections.abc import Iterator
    from socket import socket

    from playwright.sync_api import Page

READY = "document.querySelector('.game-choices')?.getAttribute('aria-busy') === 'false'"
OVER = "document.querySelector('.after-game') !== null"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, stand: socket) -> Iterator[Served]:
    """A studio of a folder with one short scenario of its own."""
    folder = tmp_path_factory.mktemp("played")
    write_short(folder, ticks=9)
    with serving(folder, listening=stand.dup()) as one:
        yield one


@pytest.fixture
def page(other: Page) -> Page:
    """The tab in which that studio is shown."""
    return other


def begin(page: Page, house: Served, guest: str = "elena", seed: int = 8) -> str:
    """Open a new game; returns its id."""
    id = str(house.post("/games", {"scenario": SHORT, "guest": guest, "seed": seed})["id"])
    open_page(page, f"http://127.0.0.1:{house.port}/play?game={id}")
    wait_until(page, READY)
    return id


def test_a_whole_evening_is_played_by_keyboard(page: Page, house: Served) -> None:
    """A guest is chosen and played by keys alone; each step is announced and told; at the end the others can be asked why, and
    the evening is a run that opens on the stage and verifies."""
    open_page(page, f"http://127.0.0.1:{house.port}/play")
    page.get_by_label("Scenario").select_option(SHORT)
    page.get_by_label("Seed").fill("8")
    page.get_by_role("radio", name="Elena").check()
    page.keyboard.press("Enter")
    wait_until(page, READY)
    id = page.evaluate("new URLSearchParams(location.search).get('game')")
    assert page.locator(".happened").first.get_attribute("aria-live") == "polite"
    steps = 0
    while not page.evaluate(OVER):
        scene = page.locator(".game-scene").inner_text()
        assert 1 <= page.locator(".best-choices li").count() <= 8
        page.keyboard.press("1" if steps % 2 else "2")
        wait_until(page, f"{OVER} || ({READY} && document.querySelector('.game-scene').textContent !== {scene!r})")
        steps += 1
    assert steps > 3
    page.locator(".after-moments .why").first.click()
    page.wait_for_selector(".why-card .why-doing")
    assert house.post(f"/records/{id}/verify")["intact"]
    page.get_by_role("link", name="See the evening on the stage").click()
    page.wait_for_selector("main[data-shown=stage]")
    assert f"run={id}" in page.url


def test_a_reload_goes_on_and_a_second_tab_is_harmless(page: Page, house: Served, complaints: list[str]) -> None:
    """The address carries the game: a reload shows the same question; an answer to one that was answered elsewhere is refused,
    and the page shows where the evening is now."""
    id = begin(page, house)
    before = page.locator(".game-scene").inner_text()
    page.reload()
    wait_until(page, READY)
    assert page.locator(".game-scene").inner_text() == before
    tick = house.get(f"/games/{id}")["question"]["tick"]
    moved = house.post(f"/games/{id}/answer", {"tick": tick})
    page.keyboard.press("1")
    page.get_by_text("already answered").wait_for()
    wait_until(page, READY)
    assert page.locator(".game-scene").inner_text() == moved["question"]["scene"]
    assert house.get(f"/games/{id}") == moved
    assert [one for one in complaints if "409" not in one] == []
    complaints.clear()


def test_a_game_is_usable_by_everybody(page: Page, house: Served) -> None:
    """Axe-core finds nothing at the beginning, in the midst and at the end, light and dark, wide and narrow."""

    def check(name: str) -> None:
        for scheme, width in LOOKS:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 800})
            assert_usable(page)
            save_picture(page, f"play-{name}-{scheme}-{width}", whole=True)

    open_page(page, f"http://127.0.0.1:{house.port}/play")
    check("begin")
    id = begin(page, house, "victor")
    heard: list[str] = []
    while not heard:
        scene = page.locator(".game-scene").inner_text()
        page.keyboard.press("1")
        wait_until(page, f"{READY} && document.querySelector('.game-scene').textContent !== {scene!r}")
        happened = house.get(f"/games/{id}")["happened"]
        heard = [line["words"] for tick in happened for one in tick["events"] for line in one["said"]]
    told = page.locator(".happened").first.inner_text()
    assert all(words in told for words in heard)
    page.keyboard.press("m")
    assert page.locator(".all-choices").get_attribute("open") is not None
    check("game")
    page.get_by_role("button", name="Let it pass").click()
    page.get_by_role("dialog").get_by_role("button", name="Let it pass").click()
    wait_until(page, OVER)
    assert "[object" not in page.locator("main").inner_text()
    check("after")


def test_only_who_is_in_sight_is_drawn(page: Page, house: Served) -> None:
    """The plan has the guest and whom they see; the others are not drawn, and no other address of the page has the evening."""
    id = begin(page, house)
    seen = set(house.get(f"/games/{id}")["question"]["places"])
    drawn = page.evaluate(
        "[...document.querySelectorAll('.guest')].filter((one) => one.getClientRects().length).map((one) => one.dataset.guest)"
    )
    assert set(drawn) == seen
    assert house.refusal("GET", f"/runs/{id}")[0] == 409

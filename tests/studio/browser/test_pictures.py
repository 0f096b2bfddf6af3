"""The pictures of the README and the documentation are made here, of the pages as they are.

`STUDIO_PICTURES=1` stores them in docs/pictures. Otherwise each is made again and compared with the stored one, if this
browser has the fonts with which that was made: other fonts break lines elsewhere.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.processes import ROOT
from tests.studio.browser.conftest import RUN
from tests.studio.browser.looks import open_page, wait_for_drawing, wait_until
from tests.studio.browser.moments import first_lie
from tests.studio.browser.office import open_office, save_question
from tests.studio.browser.test_drive import recorded_journal
from tests.studio.browser.test_play import READY
from volition.drama.audience.deeds import describe_deed
from volition.drama.audience.prose import clock, short_names

if TYPE_CHECKING:
    from PIL.Image import Image
    from playwright.sync_api import Locator, Page, ViewportSize

    from tests.studio.browser.conftest import Showing
    from tests.studio.browser.moments import CloseChoice
    from volition.drama import Evening

PICTURES: Final = ROOT / "docs" / "pictures"
SIZE: Final[ViewportSize] = {"width": 1280, "height": 780}
TALL: Final[ViewportSize] = {"width": 1280, "height": 960}
LARGEST: Final = 400_000
"""Bytes of a picture: a reader's page loads them all."""
COARSE: Final = (40, 26)
ALIKE: Final = 2
"""How far the grey of two coarse pictures may differ on average, of 255. Made again, pictures differed by 0.02 at most; with two
more pages in the bar by 0.27; with another layout of the same page by 3.6; pictures of two pages by 10 or more."""
FONTS: Final = """
() => [getComputedStyle(document.body).font, "16px serif"].map((font) => {
  const drawn = document.createElement("canvas").getContext("2d");
  drawn.font = font;
  return drawn.measureText("The quick brown fox, 0123456789").width.toFixed(2);
}).join(" ")
"""
"""How wide a line is in the fonts of the pages: different fonts have different widths."""
POINTER: Final = """
(at) => {
  const dot = document.body.appendChild(document.createElement("div"));
  dot.className = "pointer-of-a-picture";
  Object.assign(dot.style, {
    position: "fixed", left: `${at.x - 13}px`, top: `${at.y - 13}px`, width: "26px", height: "26px", zIndex: 9999,
    borderRadius: "50%", background: "rgb(255 140 0 / 45%)", border: "2px solid rgb(200 90 0)", pointerEvents: "none",
  });
}
"""
NO_POINTER: Final = "document.querySelectorAll('.pointer-of-a-picture').forEach((one) => one.remove())"


@pytest.fixture
def page(page: Page) -> Page:
    page.set_viewport_size(SIZE)
    return page


@pytest.fixture
def other(other: Page) -> Page:
    other.set_viewport_size(SIZE)
    return other


def test_why_is_shown_in_motion(page: Page, evening: Evening) -> None:
    """The first picture of the README moves: an evening with what people say, a lie, a click on "Why?", and the answer."""
    lie = first_lie(evening)
    open_page(page, f"/?run={RUN}")
    frames = [(frame(page), 2400)]
    moment = page.get_by_role("button", name=f"{clock(lie.minutes)} {describe_deed(evening.scenario, lie)}", exact=True)
    frames.append((frame(page, pointed=moment), 1000))
    moment.click()
    frames.append((frame(page), 2400))
    teller = short_names(evening.scenario)[lie.source]
    why = page.locator(".bubble", has_text=teller).get_by_role("button", name="Why?")
    frames.append((frame(page, pointed=why), 1000))
    why.click()
    page.wait_for_selector(".why-doing")
    frames.append((frame(page), 5200))
    page.keyboard.press("Escape")
    check_kept(page, "why", frames)


def test_a_decision_is_shown(page: Page, close: CloseChoice) -> None:
    """The page of a decision: its votes as score times weight."""
    open_page(page, f"/decision?run={RUN}&{close.query}")
    page.wait_for_selector(".ranking .candidate")
    check_kept(page, "decision", [(frame(page), 0)])


def test_a_fork_is_shown(page: Page, close: CloseChoice) -> None:
    """Two evenings side by side, at the choice where they part."""
    open_page(page, f"/decision?run={RUN}&{close.query}")
    page.locator(".ranking .candidate").nth(1).click()
    page.locator("[data-fork=force]").click()
    page.get_by_role("link", name="Side by side").click()
    page.wait_for_selector("main[data-shown=fork]")
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {close.tick}/')")
    check_kept(page, "fork", [(frame(page), 0)])


def test_a_place_is_shown(page: Page, evening: Evening) -> None:
    """The house from the front, with everybody in it."""
    open_page(page, f"/stage?run={RUN}&tick={first_lie(evening).tick}&view=world")
    page.wait_for_selector("svg.floor.world")
    wait_until(page, "document.querySelector('.tension-line').getAttribute('d')?.length > 100")
    check_kept(page, "world", [(frame(page), 0)])


def test_plans_are_shown(page: Page) -> None:
    """Plans that collide, and the question for a person."""
    open_page(page, "/govern?sample=same_target")
    page.wait_for_selector(".question")
    check_kept(page, "govern", [(frame(page), 0)])


def test_an_inbox_is_shown(showing: Showing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions for a person: of a team's registry and of a saved evaluation, with what each option approves and forbids."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    with showing(tmp_path, open_office(tmp_path)) as (studio, page):
        save_question(studio)
        open_page(page, f"http://127.0.0.1:{studio.port}/inbox")
        page.wait_for_selector(".question .approves")
        page.get_by_label("Keep \u201cDeploy checkout 2.0\u201d").check()
        check_kept(page, "inbox", [(frame(page), 0)])


def test_a_team_is_shown(showing: Showing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """People and agents with their plans and claims, who waits behind whom, and what the guard refused."""
    monkeypatch.setenv("VOLITION_HOLDER", "pat")
    with showing(tmp_path, open_office(tmp_path)) as (studio, page):
        open_page(page, f"http://127.0.0.1:{studio.port}/team")
        page.wait_for_selector("[data-flow]")
        page.set_viewport_size(TALL)
        check_kept(page, "team", [(frame(page), 0)])


def test_a_drive_is_shown(page: Page, played: Path) -> None:
    """A recorded drive in the midst: the arena with the way of the body, what happens when, and each intent with its result."""
    id = recorded_journal(page, played)
    marks = page.request.get(f"/api/v1/journals/{id}").json()["runs"][0]["marks"]
    hit = max(mark["number"] for mark in marks if mark["kind"] == "hit")
    open_page(page, f"/drive?journal={id}&moment={hit}")
    page.wait_for_selector(".passed tbody tr")
    page.set_viewport_size(TALL)
    check_kept(page, "drive", [(frame(page), 0)])


def test_a_played_guest_is_shown(showing: Showing, tmp_path: Path) -> None:
    """The room as the guest sees it, what was said, what they know, and what they may do, right after a scene."""
    with showing(tmp_path) as (studio, page):
        game = studio.post("/games", {"scenario": "dinner-party", "guest": "victor", "seed": 8})
        while not any(event["dramatic"] and event["said"] for tick in game["happened"] for event in tick["events"]):
            game = studio.post(f"/games/{game['id']}/answer", {"tick": game["question"]["tick"]})
        open_page(page, f"http://127.0.0.1:{studio.port}/play?game={game['id']}")
        wait_until(page, READY)
        check_kept(page, "play", [(frame(page), 0)])


def test_every_picture_is_made_and_shown() -> None:
    """The pictures that are stored are those that the tests above make, and each is shown on some page."""
    made = set(re.findall(r'check_kept\(page, "(\w+)"', Path(__file__).read_text(encoding="utf-8")))
    assert {path.stem for path in PICTURES.iterdir()} == made
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [name for name in sorted(made) if f"pictures/{name}.png" not in text] == []


def frame(page: Page, *, pointed: Locator | None = None) -> Image:
    """The page as it is, with a dot where somebody is about to click."""
    image = pytest.importorskip("PIL.Image", reason="pip install pillow")
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    if pointed is not None:
        box = pointed.bounding_box()
        assert box is not None
        page.evaluate(POINTER, {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2})
    wait_for_drawing(page)
    shot = page.screenshot(animations="disabled")
    page.evaluate(NO_POINTER)
    opened: Image = image.open(BytesIO(shot))
    return opened.convert("RGB")


def check_kept(page: Page, name: str, frames: list[tuple[Image, int]]) -> None:
    """Store a picture if that is asked for; otherwise see that the stored one shows the same. Several frames move."""
    image, fonts = pytest.importorskip("PIL.Image"), page.evaluate(FONTS)
    path = PICTURES / f"{name}.png"
    # Rare colours count as much as common ones, then the palette is drawn to what is common: no colour is off by more than 12.
    colours = frames[0][0].quantize(255, image.Quantize.MAXCOVERAGE, 4, dither=image.Dither.NONE)
    small = [one.quantize(palette=colours, dither=image.Dither.NONE) for one, _ in frames]
    if os.environ.get("STUDIO_PICTURES") == "1":
        PICTURES.mkdir(exist_ok=True)
        times = [time for _, time in frames]
        about = import_module("PIL.PngImagePlugin").PngInfo()
        about.add_text("fonts", fonts)
        small[0].save(
            path,
            optimize=True,
            save_all=len(frames) > 1,
            append_images=small[1:],
            duration=times,
            loop=0,
            pnginfo=about,
        )
    assert path.stat().st_size < LARGEST
    with image.open(path) as kept:
        assert kept.n_frames == len(frames)
        if kept.info["fonts"] != fonts:
            pytest.skip("OTHER FONTS: whether the pictures of the documentation are up to date is NOT TESTED here")
        for number, made in enumerate(small):
            kept.seek(number)
            assert kept.size == made.size
            assert distance(kept, made) < ALIKE, f"{path.name}, frame {number}: STUDIO_PICTURES=1 stores it again"


def distance(one: Image, other: Image) -> float:
    """How far two pictures differ: the average over what is left of them when they are made small and grey."""
    small, other_small = (picture.convert("RGB").convert("L").resize(COARSE).tobytes() for picture in (one, other))
    return sum(abs(a - b) for a, b in zip(small, other_small, strict=True)) / len(small)

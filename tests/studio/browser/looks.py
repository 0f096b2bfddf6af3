"""How tests use pages: opening one, taking a screenshot, and checking accessibility."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import pytest

from tests.studio.browser.conftest import ARTEFACTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

ASKED: Final = 1000
"""How often a page is asked whether a condition holds before it counts as never coming to it."""
AT_ONCE: Final = 10
"""How often of those it asks itself before it tells: a question from outside goes through four processes."""
PAUSE: Final = 40
"""Milliseconds between two questions."""
ASK: Final = f"""
new Promise((tell) => {{
  let left = {AT_ONCE};
  const ask = async () => {{
    let found = false;
    try {{ found = await (TRUTH); }} catch (error) {{ found = error; }}
    left -= 1;
    if (found === true || left === 0) tell(found === true || String(found));
    else setTimeout(ask, {PAUSE});
  }};
  ask();
}})
"""
"""Asks in the page whether a condition is true, until it is or it was asked often enough; a function or an element is not."""
RULES: Final = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {rule: {"enabled": True} for rule in ("label-content-name-mismatch", "target-size", "table-fake-caption")},
    "resultTypes": ["violations"],
    "selectors": False,
}
"""What axe-core checks: WCAG 2.2 up to level AA, its best practices, and three rules that are off by default."""
AUDIT: Final = """
() => {
  const wrong = [];
  const say = (element, what) => wrong.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  const seen = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== "hidden";
  for (const element of document.querySelectorAll("[style]"))
    if ((element.getAttribute("style") ?? "").includes("color")) say(element, "a colour outside the palette");
  for (const element of document.querySelectorAll("[role=radiogroup]"))
    if (element.querySelectorAll("[aria-checked=true]").length !== 1) say(element, "not one is chosen");
  if (document.querySelectorAll("main h1").length !== 1) wrong.push("not exactly one h1");
  if (document.querySelectorAll(".pages [aria-current=page]").length !== 1) wrong.push("the bar does not say where we are");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || !seen(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    if (range.getClientRects().length > Math.max(4, text.data.trim().length / 2)) say(element, "a letter or two on each line");
    if (/^[a-z]{2,14}$/i.test(text.data.trim()) && range.getClientRects().length > 1) say(element, "a word broken in two");
    if (element.closest(".scroll, .passed, .weave-holder, .unseen, .skip, svg, option, textarea")) continue;
    if (getComputedStyle(element).textOverflow === "ellipsis") continue;
    for (const holder of [element.closest("button, .button, .chip, .option"), element.closest(".panel, dialog, .head, .bar")])
      if (holder && range.getBoundingClientRect().right > holder.getBoundingClientRect().right + 1) say(element, "beyond its place");
  }
  for (const element of document.querySelectorAll(":is(.floor, .weave, .graph) :is(.guest-name, .room-name, .band-name, .intent-name)"))
    if (seen(element) && parseFloat(getComputedStyle(element).fontSize) * element.getScreenCTM().a < 8) say(element, "too small to read");
  return wrong;
}
"""
"""What axe does not know of: places that overflow, words that are squeezed or broken, and names in pictures that nobody can read."""


LOOKS: Final[tuple[tuple[Literal["light", "dark"], int], ...]] = (("light", 320), ("dark", 1280))
"""The themes and widths in which a page is checked."""


CHECK: Final = """
async ([within, asked]) => {
  if (!document.querySelector(within)) throw new Error(`nothing to check: ${within}`);
  const { violations } = await axe.run(within, asked);
  return violations.flatMap(({ id, nodes }) => nodes.map((one) => `${id}: ${one.html.slice(0, 160)}: ${one.failureSummary}`));
}
"""
"""Runs axe-core in the parts of a page that match; to find none would mean that nothing is checked. What is not wrong stays there."""


COLOURS: Final = """
(() => {
  const { Color } = axe.commons.color;
  const parse = Color.prototype.parseString;
  const known = new Map();
  Color.prototype.parseString = function (text) {
    if (known.has(text)) return Object.assign(this, known.get(text));
    parse.call(this, text);
    const { r, g, b, alpha } = this;
    known.set(text, { r, g, b, alpha });
    return this;
  };
})();
"""
"""Has axe-core read each colour once: it reads the few of a page thousands of times, which takes a sixth of its time."""


@cache
def axe() -> str:
    """The script of axe-core, from its Python package."""
    package = pytest.importorskip("axe_playwright_python", reason="pip install axe-playwright-python")
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8") + COLOURS


GO: Final = """
(address) => {
  const main = document.getElementById("main");
  if (new URL(address, location).origin !== location.origin || !main || globalThis.stale || document.querySelector("dialog")) return false;
  delete main.dataset.shown;
  scrollTo(0, 0);
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
  return true;
}
"""
"""Goes to a page without loading, if the current document belongs to the same studio and no test has changed its settings."""


LEGEND: Final = "[...document.querySelectorAll('.chip > .swatch')].map((one) => getComputedStyle(one).backgroundColor)"
LAYERS: Final = "[...document.querySelectorAll('.layer')].map((one) => getComputedStyle(one).fill)"
"""The colours of the components of tension, in the legend and in the picture."""


NOTE_WALKS: Final = """
() => {
  const walk = Element.prototype.animate;
  if (!window.walks)
    Element.prototype.animate = function (stops, how) {
      window.walks.push(stops.length);
      return walk.call(this, stops, how);
    };
  window.walks = [];
}
"""
"""Notes in `window.walks` how many stops each walk from now on has; the document may have noted them for another test."""


def open_page(page: Page, path: str, *, fresh: bool = False) -> None:
    """Open a page of the studio and wait until it is drawn; where possible without loading the document, as a link does."""
    if fresh or not page.url.startswith("http") or not page.evaluate(GO, path):
        page.goto(path)
    name = path.split("?", maxsplit=1)[0].rpartition("/")[2] or "stage"
    page.wait_for_selector(f"main[data-shown={name}]")


def know_what_mattered(page: Page, *acts: dict[str, object]) -> None:
    """Answer which acts mattered: otherwise the studio plays the evening again without each of them, for whoever goes to its end."""
    told = {"state": "done", "done": len(acts), "of": len(acts), "acts": acts}
    page.route("**/significance", lambda route: route.fulfill(json=told))


def wait_until(page: Page, truth: str) -> None:
    """Wait until a condition holds in the page. (Playwright's own way needs `eval`, which the pages forbid.)

    While what it asks about is missing, or the document changes, it does not hold yet. It is asked a bounded number of times,
    so a page that never comes to it is told within about a minute, and a busy machine only asks more slowly.
    """
    found: bool | str = False
    for _ in range(0, ASKED, AT_ONCE):
        found = _ask(page, truth)
        if found is True:
            return
        page.wait_for_timeout(PAUSE)
    raise AssertionError(f"{truth}: {found}")


def _ask(page: Page, truth: str) -> bool | str:
    """Whether a condition comes to hold while the page asks itself some times, or why that cannot be told."""
    try:
        found: bool | str = page.evaluate(ASK.replace("TRUTH", truth))
    except page_error() as error:
        return str(error)
    return found


def page_error() -> type[Exception]:
    """What Playwright raises."""
    kind: type[Exception] = import_module("playwright.sync_api").Error
    return kind


def wait_for_drawing(page: Page) -> None:
    """Wait until all that was done so far is drawn: pages draw once a frame."""
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def save_picture(page: Page, name: str, *, whole: bool = False) -> None:
    """Save a screenshot, if they are asked for."""
    if os.environ.get("STUDIO_PICTURES") == "1":
        ARTEFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=whole)


def faults(page: Page, *, only: str | None = None, within: str = "html") -> list[str]:
    """What axe-core finds wrong with the page or a part of it, by one of its rules or by all."""
    if not page.evaluate("typeof axe === 'object'"):  # half a megabyte, which a document keeps
        page.evaluate(axe())
    asked = {"runOnly": [only]} if only else RULES
    found: list[str] = page.evaluate(CHECK, [within, asked])
    return found


def assert_in_place(page: Page) -> None:
    """Nothing is wider than its container, and no words are squeezed."""
    wait_for_drawing(page)
    wrong = page.evaluate(AUDIT)
    assert not wrong, wrong


def assert_usable(page: Page, *, within: str = "html") -> None:
    """The page is accessible: all is in its place, and axe-core finds nothing.

    A page takes axe half a second of the processor. Where the rest of it is checked in another test, `within` names the parts
    that are new.
    """
    assert_in_place(page)
    wrong = faults(page, within=within)
    assert not wrong, wrong

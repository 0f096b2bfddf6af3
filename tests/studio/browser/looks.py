"""How tests look at pages: opening one, keeping a picture of it, and judging whether everybody can use it."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from tests.studio.browser.conftest import ARTEFACTS

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

PATIENCE: Final = 60.0
AUDIT: Final = """
() => {
  const wrong = [];
  const say = (element, what) => wrong.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  const seen = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== "hidden";
  const hidden = (element) => element.closest("[aria-hidden=true]") !== null;
  const name = (element) => {
    const by = element.getAttribute("aria-labelledby");
    if (by) return by.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim();
    return (element.getAttribute("aria-label") ?? "").trim()
      || [...(element.labels ?? [])].map((label) => label.textContent).join(" ").trim()
      || (element.matches("input, select, textarea") ? "" : element.textContent.trim()) || (element.getAttribute("title") ?? "").trim();
  };
  for (const element of document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=button], [role=radio], [role=meter], [role=img], [tabindex='0']"))
    if (seen(element) && !hidden(element) && !name(element)) say(element, "no name");
  for (const element of document.querySelectorAll("svg"))
    if (seen(element) && !hidden(element) && !element.parentElement.closest("svg") && !element.getAttribute("role")) say(element, "a picture that is neither named nor hidden");
  for (const element of document.querySelectorAll("[tabindex]")) if (element.tabIndex > 0) say(element, "a focus order of its own");
  for (const element of document.querySelectorAll("[style]:not(.chart *)"))
    if ((element.getAttribute("style") ?? "").includes("color")) say(element, "a colour outside the palette");
  for (const element of document.querySelectorAll("table")) if (seen(element) && !element.querySelector("th[scope]")) say(element, "a table without headings");
  for (const element of document.querySelectorAll("[aria-hidden=true] :is(a[href], button, input, select, textarea)")) say(element, "focusable but hidden");
  for (const element of document.querySelectorAll("[role=radiogroup]"))
    if (element.querySelectorAll("[aria-checked=true]").length !== 1) say(element, "not one is chosen");
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push(`id twice: ${id}`);
  for (const [what, selector] of [["one h1", "main h1"], ["one main", "main"], ["one nav", "nav.pages"]])
    if (document.querySelectorAll(selector).length < 1) wrong.push(`no ${what}`);
  if (document.querySelectorAll("main h1").length !== 1) wrong.push("not exactly one h1");
  if (document.querySelectorAll(".pages [aria-current=page]").length !== 1) wrong.push("the bar does not say where we are");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  return wrong;
}
"""

CONTRAST: Final = """
() => {
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const opacity = (element) => {
    let all = 1;
    for (let at = element; at; at = at.parentElement) all *= Number(getComputedStyle(at).opacity);
    return all;
  };
  const wrong = [];
  let count = 0;
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest("svg, .unseen, .skip, :disabled") || !element.getClientRects().length) continue;
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    const style = getComputedStyle(element);
    const below = ground(element);
    const ink = rgba(style.color);
    const [one, two] = [light(over([...ink.slice(0, 3), ink[3] * opacity(element)], below)), light(below)].sort((a, b) => b - a);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    count += 1;
    if ((one + 0.05) / (two + 0.05) < (large ? 3 : 4.5)) wrong.push(`${((one + 0.05) / (two + 0.05)).toFixed(2)}: ${element.outerHTML.slice(0, 100)}`);
  }
  return { count, wrong };
}
"""


def opened(page: Page, path: str) -> None:
    """Open a page of the studio, and wait until it is drawn."""
    page.goto(path)
    name = path.strip("/").split("?")[0] or "stage"
    page.wait_for_selector(f"main[data-shown={name}]")


def until(page: Page, truth: str) -> None:
    """Wait until something holds in the page. (Playwright's own way needs `eval`, which the pages forbid.)"""
    limit = monotonic() + PATIENCE
    while not page.evaluate(truth):
        assert monotonic() < limit, truth
        page.wait_for_timeout(15)


def kept(page: Page, name: str, *, whole: bool = False) -> Path:
    """Keep a picture of what is seen."""
    ARTEFACTS.mkdir(exist_ok=True)
    path = ARTEFACTS / f"{name}.png"
    page.screenshot(path=path, full_page=whole)
    return path


def usable(page: Page) -> None:
    """Everything has a name, a role and its place in the focus order, and every text can be read."""
    wrong = page.evaluate(AUDIT)
    assert not wrong, wrong
    read = page.evaluate(CONTRAST)
    assert not read["wrong"], read["wrong"]
    assert read["count"] > 10, read

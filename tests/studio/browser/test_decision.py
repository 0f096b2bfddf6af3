"""Decision: candidates, votes and vetoes; what if; and forked evenings."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.studio.browser.conftest import RUN
from tests.studio.browser.looks import LOOKS, assert_in_place, assert_usable, open_page, save_picture, wait_until
from tests.studio.browser.moments import FEW, KEPT, LOST
from volition.drama.audience.deeds import describe_act

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.studio.browser.moments import CloseChoice
    from volition.drama import Evening

NOW_AND_BEFORE = ["\u00d7 weight before", "= added before", "\u00d7 weight now", "= adds now"]
SLIDE = """(slider, share) => { slider.value = Number(slider.max) * share; slider.dispatchEvent(new Event("input", { bubbles: true })); }"""


def test_a_choice_is_explained(page: Page, evening: Evening, close: CloseChoice) -> None:
    """The page shows the winner with its reason, margin, flip and robustness, all in words: acts as `volition explain` has them,
    and no id. Every other candidate says why not."""
    open_page(page, f"/decision?run={RUN}&{close.query}")
    verdict = page.locator("p.verdict").inner_text()
    assert verdict == describe_act(evening.scenario, close.agent, close.act)
    assert all(name in verdict for name in close.towards)
    assert page.locator(".reason").inner_text().startswith(f"Why? '{verdict}' leads")
    shown = page.locator("main").inner_text()
    assert not [id for id in evening.decision(close.tick, close.agent).tally.ids if ":" in id and id in shown]
    assert re.search(r"\d\.\d{4}", shown) is None
    figures = page.locator(".figures").inner_text()
    assert all(word in figures for word in ("Margin", "Robustness", "Nearest flip"))
    told = page.request.get(f"/api/v1/runs/{RUN}/decisions/{close.tick}/{close.agent}").json()["decision"]
    candidates = page.locator(".ranking .candidate")
    assert candidates.count() == FEW
    page.get_by_role("button", name=f"Show {len(told['ranked']) - FEW} more").click()
    assert candidates.count() == len(told["ranked"])
    other = candidates.nth(2).locator(".candidate-text").inner_text()
    candidates.nth(2).click()
    assert page.locator(".reason").inner_text().startswith(f"Why not {other}?")


def test_bars_add_up(page: Page, close: CloseChoice) -> None:
    """The pieces of a bar, for minus against, end at the total; read from the drawing itself."""
    open_page(page, f"/decision?run={RUN}&{close.query}")
    wrong = page.evaluate(
        """() => [...document.querySelectorAll(".ranking .bar-line")].map((bar) => {
          const read = (one, name) => parseFloat(one.getAttribute(name));
          const zero = read(bar.querySelector(".zero"), "x1");
          const total = read(bar.querySelector(".total"), "x1");
          const pieces = [...bar.querySelectorAll(".piece")].map((one) => [read(one, "x"), read(one, "width")]);
          const sum = pieces.reduce((all, [x, width]) => all + (x + width / 2 >= zero ? width : -width), 0);
          return Math.abs(zero + sum - total);
        }).filter((gap) => gap > 0.5)"""
    )
    assert wrong == []


def test_votes_differ_without_colour(page: Page, close: CloseChoice) -> None:
    """Every vote has a pattern of its own, the same in bars, legend, sliders and table, and none of the guests' hues."""
    open_page(page, f"/decision?run={RUN}&{close.query}")
    fills = {
        place: page.locator(f"{place} rect.fill").evaluate_all("(all) => all.map((one) => one.getAttribute('fill'))")
        for place in (".votes-legend", ".weights", ".addition")
    }
    assert len(set(fills[".votes-legend"])) == len(fills[".votes-legend"])
    assert fills[".votes-legend"] == fills[".weights"] == fills[".addition"]
    drawn = page.evaluate("[...document.querySelectorAll('pattern')].map((one) => one.lastChild.innerHTML)")
    assert len(set(drawn)) == len(drawn)
    assert page.locator(".decision :is(.bar-line, .swatch)[class*=hue]").count() == 0


def test_vetoes_say_who(page: Page) -> None:
    """In a pasted case a vetoed candidate names who vetoed it, and moving a weight decides again at once."""
    open_page(page, "/decision?paste=1")
    page.wait_for_selector(".vetoes li")
    assert "vetoed by tolls" in page.locator(".vetoes").inner_text()
    assert page.locator("p.verdict").inner_text() == "main"
    assert page.locator("[aria-label=Candidates] h2").all_text_contents() == ["2 candidates", "Vetoed: 1"]
    page.get_by_label("Weight of pretty").evaluate(SLIDE, 0.9)
    wait_until(page, "document.querySelector('p.verdict').textContent.includes('scenic')")
    assert "would change" in page.locator("p.verdict").inner_text()
    page.get_by_role("button", name="Reset").click()
    wait_until(page, "document.querySelector('p.verdict').textContent === 'main'")
    page.get_by_label("Include tolls").uncheck()
    wait_until(page, "document.querySelector('p.verdict').textContent.includes('motorway')")
    assert page.locator("[aria-label=Candidates] h2").all_text_contents() == ["3 candidates"]
    assert page.locator(".vetoes li").count() == 0
    save_picture(page, "decision-pasted", whole=True)
    assert_usable(page)


def test_a_constraint_left_out_frees_what_it_vetoed(page: Page) -> None:
    """Without one of two constraints only the other's vetoes are left."""
    case = {
        "candidates": ["a", "b", "c"],
        "intentions": [
            {"id": "one", "kind": "constraint", "intent": {"violates": ["b"]}},
            {"id": "two", "kind": "constraint", "intent": {"violates": ["c"]}},
            {"id": "goal", "kind": "heuristic", "intent": {"scores": {"a": 0.5}}},
        ],
    }
    open_page(page, "/decision?paste=1")
    page.get_by_label("A decision in JSON or TOML").fill(json.dumps(case))
    page.get_by_role("button", name="Decide").click()
    wait_until(page, "document.querySelector('p.verdict').textContent === 'a'")
    vetoed = page.locator(".vetoes .candidate-text")
    assert vetoed.all_text_contents() == ["b", "c"]
    page.get_by_label("Include one").uncheck()
    wait_until(page, "document.querySelectorAll('.ranking .candidate').length === 2")
    assert vetoed.all_text_contents() == ["c"]


def test_long_ids_stay_in_their_places(page: Page) -> None:
    """Candidates, intentions and reasons with ids of a hundred letters fit, on wide and narrow pages."""
    one, two, three = (letter * 100 for letter in "abc")
    case = {
        "candidates": [one, two, three],
        "intentions": [
            {"id": "v" * 100, "kind": "constraint", "intent": {"violates": [three]}},
            {"id": "w" * 100, "kind": "heuristic", "intent": {"scores": {one: 0.5, two: 0.2}}},
        ],
    }
    open_page(page, "/decision?paste=1")
    page.get_by_label("A decision in JSON or TOML").fill(json.dumps(case))
    page.get_by_role("button", name="Decide").click()
    wait_until(page, "document.querySelector('p.verdict').textContent.startsWith('aaa')")
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert_in_place(page)


def test_a_wrong_composite_says_what_is_wrong(page: Page, complaints: list[str]) -> None:
    """A text that cannot be read gives its problems and stays for correction; TOML works like JSON."""
    open_page(page, "/decision?paste=1")
    page.wait_for_selector(".vetoes li")
    area = page.get_by_label("A decision in JSON or TOML")
    area.fill('candidates = ["a", "b"]')
    page.get_by_role("button", name="Decide").click()
    page.wait_for_selector("[role=alert]")
    area.fill(
        'candidates = ["a", "b"]\n[[intentions]]\nid = "x"\nkind = "heuristic"\nintent.scores = {a = 0.1, b = 0.2}\n'
    )
    page.get_by_role("button", name="Decide").click()
    wait_until(page, "document.querySelector('p.verdict')?.textContent === 'b'")
    assert all("400" in text for text in complaints)
    complaints.clear()


WHOLE = """
(told) => {
  const shown = told.decision;
  const wrong = [];
  const same = (what, one, two) => { if (String(one) !== String(two)) wrong.push(`${what}: ${one} is not ${two}`); };
  const short = (value) => String(Number(value.toFixed(3))).replace("-", "\u2212");
  const fixed = (value) => value ? `${value < 0 ? "\u2212" : "+"}${Math.abs(value).toFixed(3)}` : "0";
  const { acts, terms, why } = shown.words;
  for (const row of document.querySelectorAll("li.weight")) {
    const slider = row.querySelector("[data-weight]");
    if (!slider) continue;
    const found = shown.intentions.find((one) => one.id === slider.dataset.weight);
    same("weight", row.querySelector("output").textContent, short(found.weight));
    const { range } = found;
    const end = (at, rival) => at === null ? null : `at ${short(at)} ${rival ? `it is: ${acts[rival]}` : "it holds"}`;
    const said = [end(range.low, range.low_rival), end(range.high, range.high_rival)].filter(Boolean).join("; ") || "no weight changes the winner";
    same(`strip of ${found.id}`, row.querySelector("svg.strip").getAttribute("aria-label"), `The winner stays: ${said}`);
    const most = Number(slider.max) * (found.weight || 1) / (Number(slider.value) || 1);
    const left = Math.max(0, range.low ?? 0) / most * 100;
    if (found.weight && Math.abs(Number(row.querySelector(".strip-stays").getAttribute("x")) - left) > 0.01) wrong.push(`the strip of ${found.id} begins elsewhere`);
  }
  const totals = [...document.querySelectorAll(".ranking .candidate-total")].map((one) => one.textContent);
  same("totals", totals, shown.ranked.slice(0, totals.length).map((one) => fixed(one.total)));
  const best = shown.ranked.find((one) => one.winner);
  const added = [...document.querySelectorAll(".addition tbody tr")].map((row) => row.lastChild.textContent);
  const votes = [...document.querySelectorAll(".addition tr[data-vote]")].map((row) => best.votes[row.dataset.vote]);
  same("addition", added, [...votes.map((vote) => vote ? fixed(vote.contribution) : "\u2013"), fixed(best.total)]);
  same("names", [...document.querySelectorAll(".ranking .candidate")].map((one) => one.dataset.candidate), shown.ranked.slice(0, totals.length).map((one) => one.id));
  same("count", document.querySelector("[aria-label=Candidates] h2").textContent, `${shown.ranked.length} candidates`);
  same("margin", document.querySelector(".figures dd").textContent, shown.margin.toFixed(3));
  same("why", document.querySelector(".reason").textContent.replaceAll("\\u2212", "-"), `Why? ${why}`);
  same("legend", [...document.querySelectorAll(".votes-legend li")].map((one) => one.textContent), shown.intentions.filter((one) => one.kind === "heuristic").map((one) => terms[one.id]));
  same("vetoes", document.querySelectorAll(".vetoes li").length, shown.vetoed.length);
  return wrong;
}
"""


def test_what_if_is_shown_as_a_whole(page: Page, close: CloseChoice) -> None:
    """After a weight is moved or an intention left out, every strip, number, table and sentence is for these weights; what belongs
    to the original choice is hidden. Reset restores all of it."""
    open_page(page, f"/decision?run={RUN}&{close.query}")
    asked = f"/api/v1/runs/{RUN}/decisions/{close.tick}/{close.agent}"
    settled = "document.querySelector('.decision').getAttribute('aria-busy') === 'false'"
    before = page.request.get(asked).json()
    assert page.evaluate(WHOLE, before) == []
    assert page.locator(".situation").is_visible()
    page.locator(f"[data-weight={close.weight}]").evaluate(SLIDE, LOST)
    wait_until(page, "document.querySelector('p.verdict').textContent.includes('would change')")
    voters = {one["id"]: one["weight"] for one in before["decision"]["intentions"] if one["kind"] == "heuristic"}
    change: dict[str, object] = {"weights": {close.weight: 4 * LOST * voters[close.weight]}, "without": []}
    assert page.evaluate(WHOLE, page.request.post(f"{asked}/what-if", data=change).json()) == []
    assert not page.locator(".situation").is_visible()
    assert page.locator(".addition thead th").all_inner_texts()[2:] == NOW_AND_BEFORE
    page.get_by_label("Include chance").uncheck()
    change["without"] = ["noise"]
    then = page.request.post(f"{asked}/what-if", data=change).json()
    wait_until(page, f"{settled} && document.querySelectorAll('.votes-legend li').length === {len(voters) - 1}")
    page.evaluate(
        "document.querySelector('[data-weight=noise]').closest('li').remove()"
    )  # it has no range: it is not heard
    assert page.evaluate(WHOLE, then) == []
    page.reload()
    page.locator(f"[data-weight={close.weight}]").evaluate(SLIDE, LOST)
    wait_until(page, "document.querySelector('p.verdict').textContent.includes('would change')")
    page.get_by_role("button", name="Reset").click()
    wait_until(page, f"{settled} && !document.querySelector('p.verdict').textContent.includes('would change')")
    assert page.evaluate(WHOLE, before) == []
    assert page.locator(".situation").is_visible()


def test_a_refused_what_if_leaves_all_as_it_was(page: Page, close: CloseChoice, complaints: list[str]) -> None:
    """Where no answer comes, the page says so, and sliders and numbers keep the last weights that were answered."""
    open_page(page, f"/decision?run={RUN}&{close.query}")
    before = page.request.get(f"/api/v1/runs/{RUN}/decisions/{close.tick}/{close.agent}").json()
    page.route("**/what-if", lambda route: route.abort())
    page.locator(f"[data-weight={close.weight}]").evaluate(SLIDE, 0.0)
    page.wait_for_selector("[role=alert]")
    assert page.evaluate(WHOLE, before) == []
    complaints.clear()


def test_a_fork_shows_what_changed(page: Page, close: CloseChoice) -> None:
    """Forcing another choice plays the evening again from there and shows what differs. Side by side both evenings move with one
    scrubber, which marks where they part: what is told before that is the same, and afterwards it is not."""
    open_page(page, f"/decision?run={RUN}&{close.query}")
    page.locator(".ranking .candidate").nth(1).click()
    page.locator("[data-fork=force]").click()
    page.wait_for_selector(".comparison")
    told = page.locator(".comparison").inner_text()
    assert f"The evenings part at tick {close.tick}" in told
    assert "First choices that differ" in told
    save_picture(page, "decision-forked", whole=True)
    page.get_by_role("link", name="Side by side").click()
    page.wait_for_selector("main[data-shown=fork]")
    assert page.locator("svg.floor").count() == 2
    assert page.locator(".parting").count() == 1
    wait_until(page, "document.querySelector('.tension-line.second').getAttribute('d')?.length > 100")
    lines = [str(page.locator(".tension-line").nth(at).get_attribute("d")).strip("M").split("L") for at in (0, 1)]
    parting = float(page.locator(".parting").get_attribute("x1") or 0)
    before = [[point for point in line if float(point.split()[0]) < parting] for line in lines]
    assert before[0] == before[1] != []
    assert lines[0] != lines[1]
    assert "tension of the branch" in page.get_by_label("What the shapes mean").inner_text()
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {close.tick}/')")
    now = "(half) => [...half.querySelectorAll('.telling .now .told')].map((one) => one.textContent)"
    tops = page.locator(".fork-half .floor").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().top)")
    assert abs(tops[0] - tops[1]) < 1
    here, there = page.locator(".fork-half").all()
    assert close.name in there.inner_text()
    assert here.evaluate(now) != there.evaluate(now)
    page.keyboard.press("ArrowLeft")
    wait_until(page, f"document.querySelector('.time').textContent.includes('tick {close.tick - 1}/')")
    assert here.evaluate(now) == there.evaluate(now)
    page.get_by_role("button", name="They part").click()
    wait_until(page, f"location.search.includes('tick={close.tick}')")
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        assert_usable(page)
        save_picture(page, f"fork-{scheme}-{width}", whole=True)


def test_moved_weights_fork_the_evening(page: Page, close: CloseChoice) -> None:
    """Weights that choose another act fork the evening with it, and the page shows what changed; others offer no fork."""
    open_page(page, f"/decision?run={RUN}&{close.query}")
    done = page.locator("p.verdict strong").inner_text()
    button = page.locator("[data-fork=weights]")
    assert button.count() == 0
    page.locator(f"[data-weight={close.weight}]").evaluate(SLIDE, KEPT)
    page.get_by_text("With these weights the act is the same").wait_for()
    assert button.count() == 0
    page.locator(f"[data-weight={close.weight}]").evaluate(SLIDE, 0.0)
    wait_until(page, "document.querySelector('p.verdict').textContent.includes('would change')")
    would = page.locator("p.verdict strong").inner_text()
    assert button.inner_text() == f"With these weights: {would}"
    assert page.locator("[data-fork=veto]").inner_text() == f"Forbid: {done}"
    button.click()
    page.wait_for_selector(".comparison")
    told = page.locator(".comparison").inner_text()
    assert f"The evenings part at tick {close.tick}" in told
    first = page.locator(".comparison .changes li").first.inner_text()
    assert f"{close.name} at {close.tick}: " in " ".join(first.split())
    assert would in first
    save_picture(page, "decision-weighed", whole=True)
    assert_usable(page, within=".comparison, .verdict")
    page.get_by_role("link", name="Watch the branch").click()
    page.wait_for_selector("main[data-shown=stage]")
    assert page.locator(f"[data-guest={close.agent}] .guest-does").inner_text() == would

"""Whether pages keep up with a hand that drags their slider: a journal of 5,000 steps, and an evening on the stage.

The studio and a browser run in separate processes; a mouse drags the slider from end to end and back. Work is what the page
does for the slider between two frames: its listeners, its drawing, and the layout that follows. The bar compares the slowest
twentieth of it with a frame of the same browser while nothing happens. Frames while dragging are shown for information: a busy
machine delays them too. Without Playwright or a Chromium nothing is measured.

    python benchmarks/scrub.py --quick
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from rows import Row, options, show
from studio import PROGRAM, open_browser

from volition.drama import play, scenario
from volition.execution.connecting.connect import connect
from volition.execution.worlds.pilot import Pilot, Spot, drive

if TYPE_CHECKING:
    from playwright.sync_api import Page

STEPS = 5000
IDLE_FRAMES = 120
BAR = 1.0
FRAMES = """
(count) => new Promise((done) => {
  const times = [];
  const look = (time) => {
    times.push(time);
    if (times.length > count) done(times.slice(1).map((one, at) => one - times[at]));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})
"""
"""The milliseconds between frames while nothing happens."""
WATCH = """
() => {
  const ask = window.requestAnimationFrame.bind(window);
  const seen = { frames: [], work: [] };
  let [pending, own, last] = [false, 0, null];
  addEventListener("input", () => { pending = true; own -= performance.now(); }, { capture: true });
  addEventListener("input", () => { own += performance.now(); });
  window.requestAnimationFrame = (work) => ask((time) => {
    const begun = performance.now();
    work(time);
    if (pending) document.body.getBoundingClientRect();
    own += performance.now() - begun;
  });
  const look = (time) => {
    if (last !== null) seen.frames.push(time - last);
    last = time;
    // This was asked for before the page asked, so it runs first: all work of the frame is done in the task after it.
    setTimeout(() => {
      if (pending) seen.work.push(own);
      [pending, own] = [false, 0];
    }, 0);
    if (window.scrubbed === seen) ask(look);
  };
  window.scrubbed = seen;
  ask(look);
}
"""
"""Notes frames and the page's own work between them, until `window.scrubbed` is something else."""


def record_journal(folder: Path) -> None:
    """A journal of so many steps: the goal is in a wall, so that it is never reached."""
    with connect("embedded", seed=1, pace="virtual", journal=folder, meta={"map": "courtyard", "seed": 1}) as bridge:
        drive(bridge, STEPS, pilot=Pilot(goal=Spot(0.5, 0.5)))


def drag(page: Page, slider: str, moves: int) -> dict[str, list[float]]:
    """Drag a slider from end to end and back, in so many moves each way; what was seen meanwhile, in milliseconds."""
    box = page.locator(slider).bounding_box()
    assert box is not None, slider
    left, right, middle = box["x"] + 8, box["x"] + box["width"] - 8, box["y"] + box["height"] / 2
    page.evaluate(WATCH)
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move(right, middle, steps=moves)
    page.mouse.move(left, middle, steps=moves)
    page.mouse.up()
    seen: dict[str, list[float]] = page.evaluate("() => { const seen = scrubbed; scrubbed = null; return seen; }")
    return seen


def slow(values: list[float]) -> float:
    """What the slowest twentieth takes at least."""
    return quantiles(values, n=20)[-1]


def rows_of(name: str, idle: list[float], seen: dict[str, list[float]]) -> list[Row]:
    """The rows of one page."""
    frame, work = median(idle), slow(seen["work"])
    return [
        Row(f"{name}: scrubs that were drawn", len(seen["work"]), "scrubs"),
        Row(f"{name}: slowest twentieth of the frames", round(slow(seen["frames"]), 3), "ms"),
        Row(f"{name}: work of a scrub, median", round(median(seen["work"]), 3), "ms"),
        Row(f"{name}: work of a scrub, slowest twentieth", round(work, 3), "ms"),
        Row(f"{name}: that to an idle frame", round(work / frame, 3), "times", f"<= {BAR:g}", work <= BAR * frame),
    ]


def measure(page: Page, address: str, moves: int) -> list[Row]:
    """The rows of both pages."""
    found: list[Row] = []
    (journal,) = page.request.get(f"{address}api/v1/records?kind=journal").json()["records"]
    places = {
        f"a journal of {STEPS:,} steps": (f"drive?journal={journal['id']}", ".scrub-plain"),
        "an evening on the stage": ("stage?run=evening", ".scrub"),
    }
    for name, (path, slider) in places.items():
        page.goto(f"{address}{path}")
        page.wait_for_selector(f"main[data-shown] {slider}")
        page.locator(slider).scroll_into_view_if_needed()
        idle: Any = page.evaluate(FRAMES, IDLE_FRAMES)
        if not found:
            found.append(Row("a frame while nothing happens", round(median(idle), 3), "ms"))
        found += rows_of(name, idle, drag(page, slider, moves))
    return found


def main() -> int:
    given = options(__doc__)
    with tempfile.TemporaryDirectory() as name, open_browser() as page:
        if page is None:
            print("NO BROWSER WAS FOUND: nothing is measured; install Playwright and Chromium", file=sys.stderr)
            return 0
        folder = Path(name)
        record_journal(folder / "volition-journals" / "long")
        play(scenario("dinner-party"), 8).save(folder / "volition-runs" / "evening")
        with subprocess.Popen([sys.executable, "-c", PROGRAM, name], stdout=subprocess.PIPE, text=True) as studio:
            try:
                assert studio.stdout is not None
                rows = measure(page, studio.stdout.readline().strip(), 150 if given.quick else 600)
            finally:
                studio.terminate()
    return show("scrubbing", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())

"""What a recorded decision costs a pilot's step, and what a frame of scrubbing through 5 000 moments costs.

A step with a journal is compared with the same step whose decision is left out, in CPU time of the whole process, so that
the thread that writes counts too. Where Playwright and a Chromium are installed, a journal of 5 000 moments is scrubbed
through: script and layout of a frame, beside a frame in which nothing moves. A drag moves by one pixel of the slider in a
frame, a jump anywhere.

    python benchmarks/journal.py --quick
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from math import cos, sin
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import msgspec
from rows import Row, options, ratio, show, timed
from studio import PROGRAM, open_browser

from volition.arbitration.recorded import record_decision
from volition.execution import Journal, Move, connect
from volition.execution.worlds.pilot import Pilot

MOMENTS = 5000
MOVES = {
    "a bare frame": 0,
    f"a frame of dragging through {MOMENTS} moments": 7,
    f"a frame of jumping through {MOMENTS} moments": 1237,
}
"""How far the slider moves in a frame: a pixel of it is about seven moments."""
SCRUB = """
async (by) => {
  const slider = document.querySelector(".scrub-plain");
  const last = Number(slider.max);
  const ask = window.requestAnimationFrame.bind(window);
  const settle = () => new Promise((done) => ask(() => setTimeout(done, 0)));
  let drawn = 0;
  window.requestAnimationFrame = (work) => ask((time) => {
    const begun = performance.now();
    work(time);
    drawn = performance.now() - begun;
  });
  const costs = [];
  for (let turn = 0; turn < 60; turn += 1) {
    drawn = 0;
    costs.push(await new Promise((done) => {
      const begun = performance.now();
      if (by) {
        slider.value = String(1 + ((turn * by) % last));
        slider.dispatchEvent(new Event("input"));
      }
      const script = performance.now() - begun;
      ask(() => {
        const frame = performance.now();
        document.body.getBoundingClientRect();
        done((script + drawn + performance.now() - frame) / 1000);
      });
    }));
    await settle();
  }
  window.requestAnimationFrame = ask;
  return costs;
}
"""


def time_steps(folder: Path, steps: int, *, record: bool) -> tuple[float, int]:
    """Seconds of CPU for a step of a pilot with a journal, and the bytes that the journal takes for it."""
    with connect("embedded", map="foundry", seed=7, pace="virtual", journal=folder) as bridge:
        pilot, start = Pilot(record=record), process_time()
        for _ in range(steps):
            pilot.step(bridge)
    seconds = process_time() - start
    return seconds / steps, sum(path.stat().st_size for path in folder.iterdir()) // steps


def time_recording(steps: int) -> tuple[list[float], list[int]]:
    """Seconds and bytes of each of some decisions as data."""
    seconds, sizes = [], []
    with connect("embedded", map="foundry", seed=7, pace="virtual") as bridge:
        pilot = Pilot()
        for _ in range(steps):
            decision = pilot.step(bridge).decision
            start = process_time()
            encoded = msgspec.json.encode(record_decision(decision))
            seconds.append(process_time() - start)
            sizes.append(len(encoded))
    return seconds, sizes


def write_journal(folder: Path) -> None:
    """A journal of 5 000 moments, each with an attempt and a decision."""
    with (
        Journal(folder, meta={"map": "courtyard", "seed": 1}) as journal,
        connect("embedded", map="courtyard", seed=1, pace="virtual", journal=journal) as bridge,
    ):
        decision = Pilot().step(bridge).decision
        for step in range(2, MOMENTS):
            bridge.record_decision(decision, step=step, frame=bridge.state)
            bridge.execute(Move((cos(step), sin(step), 0)), deadline=0.05)


def time_frames(folder: Path) -> dict[str, list[float]]:
    """Seconds of script and layout for frames of three kinds; nothing without a browser."""
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            with open_browser() as page:
                if page is None:
                    return {}
                (record,) = page.request.get(f"{address}api/v1/records?kind=journal").json()["records"]
                page.goto(f"{address}drive?journal={record['id']}")
                page.wait_for_selector(".passed tbody tr", timeout=120_000)
                return {name: page.evaluate(SCRUB, by) for name, by in MOVES.items()}
        finally:
            process.terminate()


def main() -> int:
    given = options(__doc__)
    rounds, steps = (3, 60) if given.quick else (9, 200)
    found: dict[bool, list[tuple[float, int]]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as name:
        for turn in range(rounds):
            for record in (True, False):
                found[record].append(time_steps(Path(name) / f"{turn}-{record}", steps, record=record))
    seconds, sizes = time_recording(steps)
    took = {record: [each for each, _ in all_] for record, all_ in found.items()}
    rows: list[Any] = [
        timed("a step with its decision in the journal", took[True]),
        timed("a step without", took[False]),
        ratio("with to without", took[True], took[False]),
        timed("a decision as data", seconds),
        Row("a decision as data", median(sizes), "bytes"),
        Row("a step in the journal, with its decision", found[True][0][1], "bytes"),
        Row("a step in the journal, without", found[False][0][1], "bytes"),
    ]
    with tempfile.TemporaryDirectory() as name:
        write_journal(Path(name) / "long")
        frames = time_frames(Path(name))
    rows += (timed(name, costs) for name, costs in frames.items())
    return show("the journal", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())

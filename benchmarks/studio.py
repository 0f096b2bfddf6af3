"""What the studio costs over HTTP compared with the library calls behind it, and what pages request first.

The studio runs in a separate process, and one client asks it over loopback on one connection. For 20 intents the library
call goes from the bytes of the documents to those of the outcome; the execution graph, which costs more, is measured
separately. Opening an evening for the first time is compared with loading and encoding it here. Where Playwright and a
Chromium are installed, a page is measured too: on Govern a saved evaluation of 200 plans is chosen, from the click until it is
drawn, beside one of 20.

    python benchmarks/studio.py --quick
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from random import Random
from shutil import which
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec
from governance import intent_data, set_content
from rows import Rounds, interleaved, options, ratio, show, timed

from volition.drama import Evening, play, scenario
from volition.governance import answer_questions, coordinate, evaluate, parse_document
from volition.governance.documents.loading import load_from
from volition.governance.documents.packs import AnswerPack
from volition.studio.evenings import OpenEvening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from volition.governance import EvaluationOutcome

CHOOSE = """
async ([id, plans]) => {
  const pick = document.querySelector("select[aria-label=Plans]");
  document.querySelector(".govern")?.remove();
  const begun = performance.now();
  const shown = new Promise((done) => {
    const watch = new MutationObserver(() => {
      if (document.querySelectorAll(".clusters .plan-title").length < plans) return;
      watch.disconnect();
      done();
    });
    watch.observe(document.querySelector("main"), { childList: true, subtree: true });
  });
  pick.value = `evaluation/${id}`;
  pick.dispatchEvent(new Event("change"));
  await shown;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return (performance.now() - begun) / 1000;
}
"""
INTENTS = 20
MANY = 200
BAR = 2.0
LINEAR = MANY / INTENTS
"""How many times as long as `INTENTS` plans `MANY` may take to be drawn: no more than in proportion."""
COPIES = 6
"""How many copies of the evening are opened, each for the first time."""
PROGRAM = """
import sys
from pathlib import Path
from volition.studio.server import serve
serve(Path(sys.argv[1]), host="127.0.0.1", port=0, token=None, announce=lambda address: print(address, flush=True))
"""


def documents(size: int = INTENTS) -> tuple[bytes, dict[str, bytes]]:
    """A set of intents and the intents by id, as bytes."""
    chance = Random(size)
    intents = [intent_data(number, size, chance) for number in range(size)]
    contents = {intent["id"]: json.dumps(intent).encode() for intent in intents}
    return set_content(list(contents)), contents


def answer_all(batch: bytes, intents: dict[str, bytes]) -> list[bytes]:
    """Answer packs with the first option of every question, round by round, until the set is merged."""
    loaded, packs = load_from(batch, intents.__getitem__), list[AnswerPack]()
    while (pack := evaluate(loaded, answers=packs or None).question_pack) is not None:
        first = {question.question_id: question.options[0].option_id for question in pack.questions}
        packs.append(answer_questions(pack, first, pack.created_at))
    return [msgspec.json.encode(pack) for pack in packs]


def evaluate_here(batch: bytes, intents: dict[str, bytes], answers: list[bytes]) -> EvaluationOutcome:
    """The library call: from the bytes of the documents to those of the outcome."""
    packs = [parse_document(content, AnswerPack) for content in answers]
    outcome = evaluate(load_from(batch, intents.__getitem__), answers=packs)
    outcome.files()
    return outcome


def coordinate_here(batch: bytes, intents: dict[str, bytes], answers: list[bytes]) -> None:
    """The same, and the execution graph of the merged intent."""
    merged = evaluate_here(batch, intents, answers).merged_intent
    assert merged is not None
    msgspec.to_builtins(coordinate(merged))


def request(line: http.client.HTTPConnection, method: str, path: str, body: bytes | None = None) -> Callable[[], Any]:
    """A function that sends one request over an open connection."""
    headers = {"Content-Type": "application/json"} if body else {}

    def ask() -> bytes:
        line.request(method, path, body, headers)
        answer = line.getresponse()
        content = answer.read()
        assert answer.status < 400, content[:500]
        return content

    return ask


def main() -> int:
    given = options(__doc__)
    rounds, times = (15, 5) if given.quick else (60, 10)
    batch, intents = documents()
    answers = answer_all(batch, intents)
    body = (
        b'{"set":'
        + batch
        + b',"intents":['
        + b",".join(intents.values())
        + b'],"answers":['
        + b",".join(answers)
        + b"]"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        evening = play(scenario("dinner-party"), 8)
        evening.save(folder / "volition-runs" / "evening")
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, name], stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            first = time_first_page(address)
            for copy in range(COPIES):
                evening.save(folder / "volition-runs" / str(copy))
            line = http.client.HTTPConnection(address.removeprefix("http://").rstrip("/"))
            run = "/api/v1/runs/evening"
            copies = iter(range(COPIES))
            loads = iter(range(COPIES))
            opening = interleaved(
                {
                    "library": lambda: open_here(folder / "volition-runs" / str(next(loads))),
                    "api": lambda: open_there(line, str(next(copies))),
                },
                COPIES - 1,
            )
            seconds = interleaved(
                {
                    "library": lambda: evaluate_here(batch, intents, answers),
                    "api": request(line, "POST", "/api/v1/govern", body + b',"graph":false}'),
                    "library, graph": lambda: coordinate_here(batch, intents, answers),
                    "api, graph": request(line, "POST", "/api/v1/govern", body + b"}"),
                    "about": request(line, "GET", "/api/v1/about"),
                    "run": request(line, "GET", run),
                    "ticks": request(line, "GET", f"{run}/ticks"),
                    "what if": request(
                        line, "POST", f"{run}/decisions/25/victor/what-if", b'{"weights": {"utility": 2.0}}'
                    ),
                },
                rounds,
                times,
            )
            saved = {size: save_evaluation(line, size) for size in (INTENTS, MANY)}
            line.close()
            with open_browser() as page:
                choosing = time_choosing(page, address, saved, rounds // 3) if page else {}
        finally:
            process.terminate()
            process.wait()
    rows = [
        timed("first page over loopback", [first]),
        timed("opening an evening, library", opening["library"]),
        timed("opening an evening, API", opening["api"]),
        ratio("opening an evening, API to library", opening["api"], opening["library"], at_most=BAR),
        timed(f"{INTENTS} intents, library", seconds["library"]),
        timed(f"{INTENTS} intents, API", seconds["api"]),
        ratio(f"{INTENTS} intents, API to library", seconds["api"], seconds["library"], at_most=BAR),
        timed(f"{INTENTS} intents with their graph, library", seconds["library, graph"]),
        ratio("with their graph, API to library", seconds["api, graph"], seconds["library, graph"], at_most=BAR),
        timed("the smallest answer", seconds["about"]),
        timed("a loaded evening", seconds["run"]),
        timed("all its ticks", seconds["ticks"]),
        timed("another weight for a choice", seconds["what if"]),
    ]
    if choosing:
        one, other = f"{INTENTS} plans", f"{MANY} plans"
        rows += [timed(f"{name}, from the click until they are drawn", choosing[name]) for name in (one, other)]
        rows.append(ratio(f"drawing {other} to {one}", choosing[other], choosing[one], at_most=LINEAR))
    return show("the studio", rows, as_json=given.json)


def time_first_page(address: str) -> float:
    """Seconds until the first page is usable: its document, the records, an evening and its ticks, none of them cached."""
    start = perf_counter()
    line = http.client.HTTPConnection(address.removeprefix("http://").rstrip("/"))
    for path in ("/", "/api/v1/about", "/api/v1/records", "/api/v1/runs/evening", "/api/v1/runs/evening/ticks"):
        request(line, "GET", path)()
    line.close()
    return perf_counter() - start


def open_here(folder: Path) -> None:
    """Load an evening with the library, and encode what its page needs."""
    evening = OpenEvening("evening", Evening.load(folder))
    assert evening.shape_json
    assert evening.ticks_json


def open_there(line: http.client.HTTPConnection, id: str) -> None:
    """Request the same from the studio."""
    for path in (f"/api/v1/runs/{id}", f"/api/v1/runs/{id}/ticks"):
        request(line, "GET", path)()


def save_evaluation(line: http.client.HTTPConnection, size: int) -> str:
    """The id of a saved evaluation of this many plans."""
    batch, intents = documents(size)
    body = b'{"set":' + batch + b',"intents":[' + b",".join(intents.values()) + b'],"limit":false,"save":true}'
    return str(json.loads(request(line, "POST", "/api/v1/govern", body)())["saved"])


@contextmanager
def open_browser() -> Iterator[Page | None]:
    """A page of a browser; None where there is no browser."""
    names = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
    program = next((found for name in names if (found := which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_page(viewport={"width": 1280, "height": 800})
        browser.close()


def time_choosing(page: Any, address: str, saved: dict[int, str], rounds: int) -> Rounds:
    """Seconds from choosing a saved evaluation until it is drawn."""
    page.goto(f"{address}govern")
    page.wait_for_selector("main[data-shown=govern] .clusters")
    seconds: Rounds = {f"{size} plans": [] for size in saved}
    for _ in range(rounds + 1):
        for size, id in saved.items():
            seconds[f"{size} plans"].append(page.evaluate(CHOOSE, [id, size]))
    return {name: taken[1:] for name, taken in seconds.items()}


if __name__ == "__main__":
    sys.exit(main())

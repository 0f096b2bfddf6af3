"""How long pages take while many look at the studio: fifty people who click about, and two hundred streams that follow an evening.

The studio, the people and the streams run in separate processes. In every round the same requests are timed without load and
under load, and the bar compares the slowest twentieth of both. The time to the first page is shown for information.

    python benchmarks/load.py --quick
"""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter

from rows import Row, argument_parser, show, timed

from volition.drama import play, scenario

PEOPLE = 50
STREAMS = 200
PAUSE_S = (2.0, 4.0)
"""How long somebody looks at a page before the next click."""
PACE_S = 0.5
"""Seconds for each tick of the evening that is followed."""
BAR = 2.0
RUN = "/api/v1/runs/evening"
PAGES = ("/", "/api/v1/records", RUN, f"{RUN}/ticks", f"{RUN}/decisions/25/victor", f"{RUN}/audience")
"""What the pages of an evening ask for."""
PROGRAM = """
import sys
from pathlib import Path
from volition.studio.server import serve
serve(Path(sys.argv[1]), host="127.0.0.1", port=0, token=None, announce=lambda address: print(address, flush=True))
"""


async def fetch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str) -> None:
    """Ask for a page over an open connection, and read all of it."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: gzip\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    assert head.startswith(b"http/1.1 200"), head
    if b"transfer-encoding: chunked" in head:
        while size := int(await reader.readline(), 16):
            await reader.readexactly(size + 2)
        await reader.readline()
    else:
        await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0]))


async def click_about(host: str, seed: int) -> None:
    """One person: a page, a look at it, and the next."""
    chance = Random(seed)
    reader, writer = await asyncio.open_connection(*host.split(":"))
    await asyncio.sleep(chance.uniform(0, PAUSE_S[1]))
    while True:
        await fetch(reader, writer, host, chance.choice(PAGES))
        await asyncio.sleep(chance.uniform(*PAUSE_S))


async def follow(host: str, run: str, opened: asyncio.Semaphore) -> None:
    """One stream, read until it ends."""
    reader, writer = await asyncio.open_connection(*host.split(":"))
    writer.write(f"GET /api/v1/runs/{run}/live HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    opened.release()
    while await reader.read(65536):
        pass


async def look(host: str, run: str) -> None:
    """All of them at once, until the process is ended; says when every stream is open."""
    opened = asyncio.Semaphore(0)
    async with asyncio.TaskGroup() as everybody:
        for _ in range(STREAMS):
            everybody.create_task(follow(host, run, opened))
        for seed in range(PEOPLE):
            everybody.create_task(click_about(host, seed))
        for _ in range(STREAMS):
            await opened.acquire()
        print("all look", flush=True)


def begin_evening(host: str, seed: int) -> str:
    """Begin an evening that goes on for minutes, and return its id."""
    line = http.client.HTTPConnection(host)
    asked = {"scenario": "dinner-party", "seed": seed, "pace": PACE_S}
    line.request("POST", "/api/v1/play", json.dumps(asked), {"Content-Type": "application/json"})
    answer = line.getresponse()
    content = json.loads(answer.read())
    assert answer.status < 300, content
    line.close()
    return str(content["id"])


def time_pages(host: str, times: int) -> list[float]:
    """Seconds of each request, page by page, on one connection."""
    line = http.client.HTTPConnection(host)
    seconds = []
    for path in PAGES * times:
        start = perf_counter()
        line.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = line.getresponse()
        answer.read()
        seconds.append(perf_counter() - start)
        assert answer.status == 200, path
    line.close()
    return seconds


def slow(seconds: list[float]) -> float:
    """What the slowest twentieth takes at least."""
    return quantiles(seconds, n=20)[-1]


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--look", nargs=2, metavar=("HOST", "RUN"), help="be those who look; the benchmark starts this itself"
    )
    given = parser.parse_args()
    if given.look:
        asyncio.run(look(*given.look))
        return 0
    rounds, times = (3, 20) if given.quick else (8, 40)
    idle: list[float] = []
    loaded: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        play(scenario("dinner-party"), 8).save(Path(folder) / "volition-runs" / "evening")
        studio = subprocess.Popen([sys.executable, "-c", PROGRAM, folder], stdout=subprocess.PIPE, text=True)
        try:
            assert studio.stdout is not None
            host = studio.stdout.readline().strip().removeprefix("http://").rstrip("/")
            start = perf_counter()
            time_pages(host, 1)
            first = perf_counter() - start
            run = begin_evening(host, 8)
            for _ in range(rounds):
                idle += time_pages(host, times)
                loaded += time_loaded(host, run, times)
        finally:
            studio.terminate()
            studio.wait()
    rows = [
        timed("the first page and all it asks for, nothing cached", [first]),
        timed("a request, nobody looks", idle),
        timed(f"a request, {PEOPLE} people and {STREAMS} streams", loaded),
        Row("its slowest twentieth, nobody looks", round(slow(idle) * 1e3, 3), "ms"),
        Row("its slowest twentieth, all look", round(slow(loaded) * 1e3, 3), "ms"),
    ]
    times_as_long = slow(loaded) / slow(idle)
    rows.append(
        Row("slowest twentieth, all / nobody", round(times_as_long, 3), "times", f"<= {BAR:g}", times_as_long <= BAR)
    )
    return show("load on the studio", rows, as_json=given.json)


def time_loaded(host: str, run: str, times: int) -> list[float]:
    """Seconds of each request while everybody looks."""
    with subprocess.Popen(
        [sys.executable, __file__, "--look", host, run], stdout=subprocess.PIPE, text=True
    ) as lookers:
        try:
            assert lookers.stdout is not None
            assert lookers.stdout.readline() == "all look\n"
            return time_pages(host, times)
        finally:
            lookers.terminate()


if __name__ == "__main__":
    sys.exit(main())

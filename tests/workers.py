"""How tests are collected, and run by several processes: `--workers N` collects once, forks N times, and reports in one place.

A part is a folder, whose tests share what they start, read and play. The numbers of all parts lie in a pipe, those that take
longest first, and a worker reads the next one whenever it is done with a part: none is idle while there is work. What workers
report, the controller, which is the process that collected, passes on as if the tests had been run there.

With pytest-xdist every worker imports and collects for itself: eight seconds of processor time each, in a suite of twelve minutes.
"""

from __future__ import annotations

import atexit
import gc
import mmap
import os
import signal
import sys
import threading
import traceback
from itertools import chain, groupby
from multiprocessing.connection import Pipe, wait
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final, NoReturn

import pytest
from _pytest.capture import FDCapture
from _pytest.doctest import DoctestModule
from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

FIRST: Final = (
    "tests/studio/browser",
    "tests/drama/ensemble",
    "tests/drama/evening",
    "tests/studio",
    "tests",
    "tests/cli",
    "tests/drama/audience",
    "tests/execution/conformance",
)
"""The folders that take longest: browsers, Rays and programs start, evenings may have to be compiled, executors work in real time."""
RARELY: Final = (20_000, 20, 20)
"""Thresholds of the garbage collector: most of what tests make is freed without it. Five files took 3 and 9 % less in two
trials."""
NUMBER: Final = 4
"""Bytes of a number in a pipe or in shared memory."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, metavar="N", help="run the tests in N processes")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, and never look again at what was collected: nearly all of it stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*RARELY)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in docstrings only in files that have any."""
    found = yield
    if b">>>" in file_path.read_bytes():
        return found
    return [one for one in found if not isinstance(one, DoctestModule)]


def pytest_unconfigure() -> None:
    """Look once for what was never freed, and not five times, as pytest does next."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Let workers run the tests, unless nothing is to be run."""
    workers = session.config.getoption("workers")
    if workers < 1 or session.testsfailed or session.config.option.collectonly:
        return None
    Controller(session).run(workers)
    return True


def parts_of(ids: Sequence[str]) -> list[range]:
    """The places of the tests of each folder; what takes longest comes first, and the rest as it was collected."""
    folders = [
        (folder, list(places)) for folder, places in groupby(range(len(ids)), lambda place: folder_of(ids[place]))
    ]
    folders.sort(key=lambda folder: FIRST.index(folder[0]) if folder[0] in FIRST else len(FIRST))
    return [range(places[0], places[-1] + 1) for _, places in folders]


def folder_of(id: str) -> str:
    return id.partition("::")[0].rpartition("/")[0]


class Process:
    """A worker as the controller sees it: what it reports, and the place of the test that it runs, which is none before the first."""

    def __init__(self, pid: int, reports: Connection, at: mmap.mmap) -> None:
        self.pid, self.reports, self._at = pid, reports, at

    def place(self) -> int | None:
        before = int.from_bytes(self._at[:])
        return before - 1 if before else None


class Controller:
    """Forks workers, and passes on what they report."""

    def __init__(self, session: pytest.Session) -> None:
        self._session, self._hook = session, session.config.hook
        self._parts = parts_of([item.nodeid for item in session.items])
        self._folders: pytest.TempPathFactory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        self._folders.getbasetemp()
        self._waiting = -1
        self._running: list[Process] = []

    def run(self, workers: int) -> None:
        """Run all parts; whatever happens, no worker is left behind."""
        self._waiting, filling = os.pipe()
        os.write(filling, b"".join(number.to_bytes(NUMBER) for number in range(len(self._parts))))
        os.close(filling)
        try:
            for _ in range(workers):
                self._start(range(0))
            while self._running:
                self._listen()
                if self._session.shouldfail:
                    raise self._session.Failed(self._session.shouldfail)
        finally:
            os.close(self._waiting)
            for process in self._running:
                os.kill(process.pid, signal.SIGINT)
            for process in self._running:
                os.waitpid(process.pid, 0)

    def _start(self, first: range) -> None:
        """Fork a worker that begins with these places."""
        reports, sending = Pipe(duplex=False)
        at = mmap.mmap(-1, NUMBER)
        folder = self._folders.mktemp("worker")
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        pid = os.fork()
        if pid == 0:
            reports.close()
            Worker(self._session, self._parts, self._waiting, sending, at).live(first, folder)
        sending.close()
        self._running.append(Process(pid, reports, at))

    def _listen(self) -> None:
        """Pass on what is reported by now. A worker that does not say that it has ended has died, even where something that it
        started keeps its end of the pipe open."""
        heard = wait([process.reports for process in self._running], 1.0)
        for process in tuple(self._running):
            if process.reports in heard:
                try:
                    message = process.reports.recv()
                except EOFError:
                    self._replace(process, os.waitpid(process.pid, 0)[1])
                else:
                    if message is None:
                        self._running.remove(process)
                        os.waitpid(process.pid, 0)
                    else:
                        self._pass_on(
                            self._hook.pytest_report_from_serializable(config=self._session.config, data=message)
                        )
            elif not heard:
                pid, status = os.waitpid(process.pid, os.WNOHANG)
                if pid:
                    self._replace(process, status)

    def _pass_on(self, report: pytest.TestReport) -> None:
        self._hook.pytest_runtest_logreport(report=report)
        self._hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)

    def _replace(self, process: Process, status: int) -> None:
        """The test in which a worker died has failed; another worker goes on after it."""
        self._running.remove(process)
        place, code = process.place(), os.waitstatus_to_exitcode(status)
        if place is None:
            raise RuntimeError(f"a worker died before its first test: {code}")
        item, why = self._session.items[place], f"the worker that ran this test died: {code}"
        self._pass_on(
            pytest.TestReport(
                item.nodeid, item.location, {}, "failed", why, "call", user_properties=item.user_properties
            )
        )
        self._start(range(place + 1, next(part.stop for part in self._parts if place in part)))


class Between(pytest.Item):
    """What comes after a part: nothing but what belongs to the session is kept for it."""

    def runtest(self) -> NoReturn:
        raise NotImplementedError


class Worker:
    """A fork of the controller, which takes parts and reports how their tests end.

    A set-up or tear-down that passes is not reported: 3,000 empty tests take a quarter less without them.
    """

    def __init__(
        self, session: pytest.Session, parts: list[range], waiting: int, reports: Connection, at: mmap.mmap
    ) -> None:
        self._session, self._parts, self._waiting, self._reports, self._at = session, parts, waiting, reports, at

    def live(self, first: range, folder: Path) -> NoReturn:
        """Run tests as long as there are any, and end as Python does, without ever returning to what was forked."""
        try:
            self._settle(folder)
            self._run(first)
            self._reports.send(None)
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self._session._setupstate.teardown_exact(None)
            atexit._run_exitfuncs()
        except BaseException:  # noqa: BLE001  it is shown, as Python does
            traceback.print_exc()
            os._exit(1)
        finally:
            os._exit(0)

    def _settle(self, folder: Path) -> None:
        """Have a folder and files for captured output that no other worker has, and end when the controller says so."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        config = self._session.config
        config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
        captured = config.pluginmanager.getplugin("capturemanager")._global_capturing
        for stream in (captured.out, captured.err):
            if isinstance(stream, FDCapture):
                # Another file behind the same object, which modules may have kept as their sys.stderr.
                with TemporaryFile() as fresh:
                    os.dup2(fresh.fileno(), stream.tmpfile.fileno())
        config.pluginmanager.register(self)

    def _run(self, first: range) -> None:
        """Run the tests at these places, and then part after part; at last, tear down what belongs to the session."""
        between = Between.from_parent(self._session, name="between")
        for part in chain([first], self._taken()):
            for place in part:
                item = self._session.items[place]
                self._at[:] = (place + 1).to_bytes(NUMBER)
                following = between if place + 1 == part.stop else self._session.items[place + 1]
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        self._session._setupstate.teardown_exact(None)

    def _taken(self) -> Iterator[range]:
        """The parts that no other worker has taken."""
        while number := os.read(self._waiting, NUMBER):
            yield self._parts[int.from_bytes(number)]

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test, and report it to the controller instead of here."""
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                self._reports.send(item.config.hook.pytest_report_to_serializable(config=item.config, report=report))
        return True

"""Requirement tracing: a pytest plugin that knows which tests prove which requirement.

A test carries `@pytest.mark.req("AR-04")`; the ids are those of tests/requirements.toml, and any other is a collection
error. tests/done.toml names the requirements that are fulfilled: a run of the whole suite fails where one of them has
no passing test, or a test that does not pass. `--conformance PATH` writes the table of all requirements.
"""

from __future__ import annotations

import textwrap
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

MARK = "req"
REQUIREMENTS = pytest.StashKey[dict[str, str]]()

Verdicts = dict[str, dict[str, set[str]]]
"""Requirement id -> test (node id without parameters) -> the outcomes seen."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--conformance", metavar="PATH", help="write the table of requirements and their tests to PATH")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARK}(id, ...): the requirements that this test proves")
    tests = config.rootpath / "tests"
    required = {key: entry["must"] for key, entry in _toml(tests / "requirements.toml").items()}
    done = _toml(tests / "done.toml")["done"]
    if strange := sorted(set(done) - set(required)):
        raise pytest.UsageError(f"tests/done.toml names unknown requirements: {', '.join(strange)}")
    config.stash[REQUIREMENTS] = required
    table = config.getoption("--conformance")
    if table and not whole_suite(config):
        raise pytest.UsageError("--conformance speaks of the whole suite: name no path, -k, -m or --deselect with it")
    config.pluginmanager.register(Tracer(required, done, Path(table) if table else None))


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector) -> Generator[None, Any, Any]:
    made = yield
    for item in made if isinstance(made, list) else [made]:
        if isinstance(item, pytest.Item):
            strange = [key for key in proved_by(item) if key not in collector.config.stash[REQUIREMENTS]]
            if strange:
                raise pytest.Collector.CollectError(
                    f"{item.nodeid} names {', '.join(map(repr, strange))}, which tests/requirements.toml does not hold"
                )
    return made


def pytest_itemcollected(item: pytest.Item) -> None:
    item.user_properties.extend((MARK, key) for key in proved_by(item))


def proved_by(item: pytest.Item) -> list[str]:
    """The requirement ids of a test, including those of its class and module."""
    return sorted({key for mark in item.iter_markers(MARK) for key in mark.args})


def whole_suite(config: pytest.Config) -> bool:
    """Whether this run includes all tests: only then does a missing test mean anything."""
    narrowed = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "stepwise", "collectonly")
    return config.args_source is config.ArgsSource.TESTPATHS and not any(
        config.getoption(name, default=None) for name in narrowed
    )


class Tracer:
    """Gathers the outcome of every test that proves a requirement, judges at the end, and writes the table."""

    def __init__(self, required: Mapping[str, str], done: Iterable[str], table: Path | None) -> None:
        self.required = required
        self.done = tuple(done)
        self.table = table
        self.verdicts: Verdicts = defaultdict(lambda: defaultdict(set))
        self.complaints: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # setup and teardown count only where they go wrong or skip: passing them proves nothing
        if report.when == "call" or not report.passed:
            for name, key in report.user_properties:
                if name == MARK:
                    outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
                    self.verdicts[str(key)][report.nodeid.partition("[")[0]].add(outcome)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not whole_suite(session.config) or session.exitstatus == pytest.ExitCode.INTERRUPTED:
            return
        self.complaints = judge(self.done, self.verdicts)
        if self.complaints and session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.table:
            write(self.table, render(self.required, self.verdicts))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.complaints:
            terminalreporter.section("requirements called done that are not", red=True)
            for line in self.complaints:
                terminalreporter.write_line(line)


def judge(done: Iterable[str], verdicts: Mapping[str, Mapping[str, set[str]]]) -> list[str]:
    """What contradicts the claim that these requirements are done, one line each; empty if nothing does."""
    lines = []
    for key in sorted(done):
        tests = verdicts.get(key, {})
        if not any("passed" in outcomes for outcomes in tests.values()):
            lines.append(f"{key}: no passing test carries it")
        for test, outcomes in sorted(tests.items()):
            lines.extend(f"{key}: {outcome}: {test}" for outcome in sorted(outcomes - {"passed"}))
    return lines


def render(required: Mapping[str, str], verdicts: Mapping[str, Mapping[str, set[str]]]) -> str:
    """The table of all requirements as Markdown; the same outcomes give the same bytes."""
    states = {key: _state(verdicts.get(key, {})) for key in required}
    passing = sum(state == "pass" for state in states.values())
    rows = [
        f"| {key} | {_short(must)} | {'<br>'.join(f'`{test}`' for test in sorted(verdicts.get(key, {})))} | {states[key]} |"
        for key, must in required.items()
    ]
    return "\n".join(
        [
            "# Conformance",
            "",
            "Every requirement, the tests that carry its id, and what they say. Written by `make conformance`.",
            "",
            f"{passing} of {len(required)} requirements pass.",
            "",
            "| id | must | tests | state |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def write(path: Path, text: str) -> None:
    """Write `text` to `path` atomically."""
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(text, encoding="utf-8", newline="\n")
    unfinished.replace(path)


def _state(tests: Mapping[str, set[str]]) -> str:
    if not tests:
        return "no test yet"
    return "pass" if all(outcomes == {"passed"} for outcomes in tests.values()) else "fails"


def _short(must: str) -> str:
    sentence = must.partition(". ")[0].rstrip(".")
    return textwrap.shorten(sentence, 120, placeholder=" ...").replace("|", "\\|")


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))

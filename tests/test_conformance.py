"""Requirement tracing keeps its own laws, tried on small suites in separate runs."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from tests.conformance import judge, render
from tests.processes import ROOT

if TYPE_CHECKING:
    from pathlib import Path

REQUIREMENTS = """
[AA-01]
must = "Water is wet (or ice|steam). More is said later."
[AA-02]
must = "Fire is hot."
[BB-01]
must = "Stone is hard."
"""


class Suite:
    """A small project with its own requirements."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path: Path = pytester.path
        pytester.makeini("[pytest]\ntestpaths = tests\naddopts = --strict-markers\n")
        self.write("requirements.toml", REQUIREMENTS)
        self.done()

    def write(self, name: str, text: str) -> None:
        (self.path / "tests").mkdir(exist_ok=True)
        (self.path / "tests" / name).write_text(text, encoding="utf-8")

    def done(self, *keys: str) -> None:
        self.write("done.toml", f"done = {list(keys)}")

    def tests(self, **bodies: str) -> None:
        """One test per name; each body is `marks: statement`."""
        lines = ["import pytest"]
        for name, body in bodies.items():
            marks, _, statement = body.partition(": ")
            lines += [f"@pytest.mark.req({key!r})" for key in marks.split()]
            lines += [f"def test_{name}():", f"    {statement}"]
        self.write("test_it.py", "\n".join(lines))

    def run(self, *args: str) -> pytest.RunResult:
        plugins = [word for name in ("tests.conformance", "tests.workers", "no:cacheprovider") for word in ("-p", name)]
        run = self.pytester.runpytest_subprocess if "--workers" in args else self.pytester.runpytest_inprocess
        return run(*plugins, *args)


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """A small project; its worker processes load no plugin that it does not name."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return Suite(pytester)


def test_done_and_proven_passes(suite: Suite) -> None:
    """A done requirement with passing tests only lets the run pass."""
    suite.done("AA-01", "AA-02")
    suite.tests(wet="AA-01: pass", both="AA-01 AA-02: pass", other=": pass")
    result = suite.run()
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*requirements called done*")


def test_done_without_a_test_fails(suite: Suite) -> None:
    """A done requirement that no test carries fails the run, and the message names it."""
    suite.done("AA-01", "BB-01")
    suite.tests(wet="AA-01: pass")
    result = suite.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*requirements called done that are not*", "BB-01: no passing test carries it"])


@pytest.mark.parametrize(
    ("statement", "outcome"),
    [("assert 0", "failed"), ("pytest.skip('no')", "skipped"), ("pytest.xfail('not yet')", "xfailed")],
)
def test_done_with_a_test_that_does_not_pass_fails(suite: Suite, statement: str, outcome: str) -> None:
    """A done requirement fails the run if any of its tests fails, is skipped or is expected to fail."""
    suite.done("AA-01")
    suite.tests(wet="AA-01: pass", dry=f"AA-01: {statement}")
    result = suite.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"AA-01: {outcome}: tests/test_it.py::test_dry"])


def test_broken_fixtures_count(suite: Suite) -> None:
    """An error in setup or teardown is a test that does not pass."""
    suite.done("AA-01")
    suite.write(
        "test_it.py",
        "import pytest\n@pytest.fixture\ndef torn():\n    yield\n    assert 0\n"
        "@pytest.mark.req('AA-01')\ndef test_wet(torn): pass\n",
    )
    result = suite.run()
    result.stdout.fnmatch_lines(["AA-01: failed: tests/test_it.py::test_wet"])


def test_not_done_may_be_unproven(suite: Suite) -> None:
    """A requirement that is not called done demands nothing."""
    suite.tests(wet="AA-01: pass")
    assert suite.run().ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    "selection", [["-k", "wet"], ["-m", "not req"], ["tests/test_it.py"], ["--deselect", "tests/test_it.py::test_hot"]]
)
def test_a_part_of_the_suite_is_not_judged(suite: Suite, selection: list[str]) -> None:
    """A run that selects tests cannot tell what is missing: it is not judged, and writes no table."""
    suite.done("BB-01")
    suite.tests(wet="AA-01: pass", hot="AA-02: pass", other=": pass")
    assert suite.run(*selection).ret == pytest.ExitCode.OK
    refused = suite.run(*selection, "--conformance", "table.md")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert not (suite.path / "table.md").exists()


@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_unknown_id_is_a_collection_error(suite: Suite, workers: list[str]) -> None:
    """A test that carries an id outside the list is a collection error that names test and id."""
    suite.tests(wet="AA-01: pass", typo="AA-1: pass")
    result = suite.run(*workers)
    assert result.ret in {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED}
    result.stdout.fnmatch_lines(["*test_typo names 'AA-1', which tests/requirements.toml does not hold*"])


def test_unknown_done_id_is_refused(suite: Suite) -> None:
    """An id in done.toml that the list does not hold stops the run before it starts."""
    suite.done("ZZ-99")
    suite.tests(wet="AA-01: pass")
    result = suite.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*tests/done.toml names unknown requirements: ZZ-99*"])


TABLE = """\
# Conformance

Every requirement, the tests that carry its id, and what they say. Written by `make conformance`.

1 of 3 requirements pass.

| id | must | tests | state |
|---|---|---|---|
| AA-01 | Water is wet (or ice\\|steam) | `tests/test_it.py::test_both`<br>`tests/test_it.py::test_many` | pass |
| AA-02 | Fire is hot | `tests/test_it.py::test_both`<br>`tests/test_it.py::test_cold` | fails |
| BB-01 | Stone is hard |  | no test yet |
"""


@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_the_table(suite: Suite, workers: list[str]) -> None:
    """The table holds every requirement, its tests once each, and its state; with workers it has the same bytes."""
    suite.done("AA-02")
    suite.write(
        "test_it.py",
        "import pytest\n"
        "@pytest.mark.req('AA-02')\ndef test_cold(): assert 0\n"
        "@pytest.mark.req('AA-01')\n@pytest.mark.parametrize('n', [2, 1])\ndef test_many(n): pass\n"
        "@pytest.mark.req('AA-01', 'AA-02')\ndef test_both(): pass\n",
    )
    result = suite.run("--conformance", "table.md", *workers)
    assert (suite.path / "table.md").read_text(encoding="utf-8") == TABLE
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["AA-02: failed: tests/test_it.py::test_cold"])


def test_one_failing_parameter_fails() -> None:
    """A test that passes for one parameter and fails for another does not pass."""
    verdicts = {"AA-01": {"tests/test_it.py::test_wet": {"passed", "failed"}}}
    assert judge(["AA-01"], verdicts) == ["AA-01: failed: tests/test_it.py::test_wet"]
    assert render({"AA-01": "Water is wet."}, verdicts).endswith("| fails |\n")


def test_the_published_table_proves_what_is_called_done() -> None:
    """docs/conformance.md says `pass` for every requirement of done.toml, by tests that are there."""
    done = tomllib.loads((ROOT / "tests" / "done.toml").read_text("utf-8"))["done"]
    table = (ROOT / "docs" / "conformance.md").read_text("utf-8")
    rows = re.findall(r"(?m)^\| ([A-Z]+-\d+) .*\| (.*) \| ([a-z ]+) \|$", table)
    assert {key for key, _, state in rows if state == "pass"} >= set(done)
    named = {test for _, tests, _ in rows for test in re.findall("`(.*?)`", tests)}
    texts = {file: (ROOT / file).read_text("utf-8") for file in {test.partition("::")[0] for test in named}}
    assert [test for test in named if f"def {test.rpartition('::')[2]}(" not in texts[test.partition("::")[0]]] == []

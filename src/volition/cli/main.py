"""The door: `volition COMMAND ...`. Finds the command, runs it, and turns every ending into text and an exit code.

Nothing but click is imported until a command is called or something goes wrong.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import click

from volition import __version__
from volition.cli.exits import BUG, DONE, EXITS, INTERRUPTED, INVALID_INPUT, PIPE_CLOSED
from volition.cli.lazy import Lazy, LazyGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: Final = {
    "arbitrate": Lazy(
        "volition.cli.arbitrate:arbitrate", "Decide over a file of candidates and intentions, and say why."
    ),
    "check-intention": Lazy(
        "volition.cli.check_intention:check_intention", "Tell whether a constraint or heuristic keeps the laws."
    ),
    "play": Lazy("volition.cli.evening:play", "Play an evening, and record it."),
    "explain": Lazy("volition.cli.explain:explain", "Say why somebody chose what they chose."),
    "transcript": Lazy("volition.cli.evening:transcript", "Tell a recorded evening."),
    "replay": Lazy("volition.cli.evening:replay", "Rebuild an evening from its log, and verify it."),
    "fork": Lazy("volition.cli.fork:fork", "Branch off an evening, and say what changed."),
    "runs": Lazy("volition.cli.evening:runs", "List the recorded evenings."),
    "doctor": Lazy("volition.cli.doctor:doctor", "Measure a scenario over many seeds, and name what ails it."),
    "ensemble": Lazy(
        "volition.cli.ensemble:ensemble", "Play many evenings over seeds and settings, and open any of them."
    ),
    "govern": Lazy("volition.cli.govern_look:govern", "Judge several plans together, before anything runs."),
    "drive": Lazy("volition.cli.drive:drive", "Drive a body towards a goal, and say why."),
    "conformance": Lazy("volition.cli.conformance:conformance", "Try every law of the protocol on an executor."),
    "journal": Lazy(
        "volition.cli.journal:journal",
        "Count, verify, replay and export what was recorded of intents and their results.",
    ),
    "serve-arena": Lazy("volition.cli.serve_arena:serve_arena", "Let the arena be driven from another process."),
    "protocol": Lazy("volition.cli.protocol:protocol", "Get the protocol's schemas, test vectors and documents."),
    "java": Lazy("volition.cli.java:java", "Get the executor for games in Java."),
    "studio": Lazy("volition.cli.studio:studio", "Look at decisions on pages: evenings, plans and drives."),
    "scenario": Lazy("volition.cli.scenario:scenario", "Check, begin, list and show scenarios."),
    "tour": Lazy("volition.cli.tour:tour", "Show in a minute what volition does."),
    "ledger": Lazy("volition.cli.ledger:ledger", "Look into a ledger and verify it."),
}

EXTRAS: Final = {
    "numba": "fast",
    "pyarrow": "learn",
    "minari": "learn",
    "ray": "ray",
    "litestar": "studio",
    "uvicorn": "studio",
}
"""The modules that an extra installs, each with its extra."""


@click.command(
    "volition", cls=LazyGroup, table=COMMANDS, exits=EXITS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error; may stand anywhere.")
@click.version_option(__version__, prog_name="volition", message="%(prog)s %(version)s")
def app() -> None:
    """Decide, and say why: constraints veto, heuristics vote, the winner is explained.

    \b
    Examples:
      volition tour
      volition arbitrate decision.json --why-not b
      volition play --seed 8
      volition govern evaluate set.json
      volition drive --seed 3

    Each command has examples of its own: volition COMMAND --help. A shell completes commands, options and names after
    one line in its start-up file:

    \b
      bash  eval "$(_VOLITION_COMPLETE=bash_source volition)"
      zsh   eval "$(_VOLITION_COMPLETE=zsh_source volition)"
      fish  _VOLITION_COMPLETE=fish_source volition | source
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    Errors are printed for people on stderr and, where the line holds `--json`, as one object on stdout too.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    options = given[: given.index("--")] if "--" in given else given
    debug = "--debug" in options
    rest = [word for word in options if word != "--debug"] + given[len(options) :]
    try:
        code = _run(["--debug", *rest] if debug else rest)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the outermost door: every error is answered here
        code = _answer(error, debug=debug, as_json="--json" in options)
    return _flushed(code)


def _run(args: list[str]) -> int:
    """Run the command; it ends with a code by `ctx.exit(code)`, by `sys.exit(code)` or by returning it."""
    try:
        result = app.main(args, prog_name="volition", standalone_mode=False)
    except SystemExit as stop:
        if isinstance(stop.code, str):
            raise
        result = stop.code
    return result if isinstance(result, int) else DONE


def _answer(error: Exception, *, debug: bool, as_json: bool) -> int:
    """Print what went wrong, and return the exit code that says so."""
    from volition.core.errors import MissingPart, VolitionError  # noqa: PLC0415 - only an error pays for it

    if debug:
        import traceback  # noqa: PLC0415 - as above

        traceback.print_exception(error)
    if isinstance(error, ModuleNotFoundError) and (module := str(error.name).partition(".")[0]) in EXTRAS:
        error = MissingPart.of(
            f"{module} is not installed",
            where="this Python environment",
            expected=f"the extra {EXTRAS[module]!r}",
            remedy=f"pip install 'volition[{EXTRAS[module]}]'",
        )
    if isinstance(error, VolitionError):
        code, text, data = error.exit_code, f"error: {error}", error.to_data()
    elif isinstance(error, click.ClickException):
        error.show()
        remedy = _next_step(error)
        code, text, data = INVALID_INPUT, remedy, _plain(error, error.format_message(), remedy or "see --help")
    else:
        what = f"{type(error).__name__}: {error}"
        text = f"this is a bug in volition: {what}; run again with --debug for the traceback"
        code, data = BUG, _plain(error, what, "run again with --debug for the traceback")
    if text:
        click.echo(text, err=True)
    if as_json:
        import json  # noqa: PLC0415 - as above

        click.echo(json.dumps(data, ensure_ascii=False))
    return code


def _next_step(error: click.ClickException) -> str:
    """A line that would have been understood: the first example of the command; none where the help was shown."""
    from volition.cli.examples import examples  # noqa: PLC0415 - as above

    if not isinstance(error, click.UsageError) or isinstance(error, click.exceptions.NoArgsIsHelpError):
        return ""
    found = examples(error.ctx.command) if error.ctx is not None else []
    return f"For example: {found[0]}" if found else ""


def _plain(error: Exception, what: str, remedy: str) -> dict[str, object]:
    """The data of an error from outside the family, in the family's shape."""
    from volition.core.errors import Problem  # noqa: PLC0415 - as above

    problem = Problem(what, "the command line", "a command that runs", remedy)
    return {"error": type(error).__name__, "problems": [problem.to_data()]}


def _flushed(code: int) -> int:
    """Write out what is still buffered; where the reader is gone, keep Python silent about it when it exits."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code or PIPE_CLOSED
    return code

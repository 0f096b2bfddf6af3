"""The entry point, `volition COMMAND ...`: find the command, run it, and turn every error into text and an exit code.

Only click is imported until a command runs or something goes wrong.
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
    "arbitrate": Lazy(".arbitrate:arbitrate", "Decide over a file of candidates and intentions, and say why."),
    "check-intention": Lazy(".arbitrate:check_intention", "Check whether a constraint or heuristic keeps the laws."),
    "play": Lazy(".play:play", "Play an evening, or be one of its guests, and record it."),
    "explain": Lazy(".explain:explain", "Explain a choice that somebody made."),
    "transcript": Lazy(".evening:transcript", "Narrate a recorded evening."),
    "replay": Lazy(".evening:replay", "Rebuild an evening from its log, and verify it."),
    "fork": Lazy(".explain:fork", "Branch off an evening, and say what changed."),
    "significance": Lazy(".explain:significance", "Show which acts of an evening mattered."),
    "arcs": Lazy(".explain:arcs", "Show whose story an evening is."),
    "runs": Lazy(".evening:runs", "List the recorded evenings."),
    "doctor": Lazy(".doctor:doctor", "Measure a scenario over many seeds, and list its symptoms."),
    "ensemble": Lazy(".ensemble:ensemble", "Play many evenings over seeds and settings, and open any of them."),
    "govern": Lazy(".govern:govern", "Judge several plans together, before anything runs."),
    "team": Lazy(".team:team", "Register plans before work starts, and see who works on what."),
    "flow": Lazy(".flow:flow", "Take registered plans from judgement to done, one permitted step at a time."),
    "mcp": Lazy(".mcp:mcp", "Serve a team's registry to coding agents, over the Model Context Protocol."),
    "agents": Lazy(".agents:agents", "Install the guard and the server for coding agents, and say what is in force."),
    "guard": Lazy(".guard:guard", "Hold coding agents to their plans, before and after each call of a tool."),
    "check": Lazy(".check:check", "Check a change against approved plans, in CI and in git hooks."),
    "worktrees": Lazy(".worktrees:worktrees", "Compare all worktrees and branches, with their plans."),
    "radar": Lazy(".worktrees:radar", "Show all worktrees and branches live, with their plans."),
    "drive": Lazy(".drive:drive", "Drive a body towards a goal, and say why."),
    "conformance": Lazy(".conformance:conformance", "Test an executor against every law of the protocol."),
    "journal": Lazy(
        ".journal:journal", "Summarise, verify, replay and export the record of intents and their results."
    ),
    "serve-arena": Lazy(".serve_arena:serve_arena", "Serve the arena to another process."),
    "body": Lazy(".body:body", "Serve a body that comes as an example, or copy it to begin with yours."),
    "protocol": Lazy(".protocol:protocol", "Get the protocol's schemas, test vectors and documents."),
    "java": Lazy(".protocol:java", "Get the executor for games in Java."),
    "stage-in-world": Lazy(".stage_in_world:stage_in_world", "Show an evening on a stage, in a game or on paper."),
    "studio": Lazy(".studio:studio", "Look at decisions in a browser: evenings, plans and drives."),
    "scenario": Lazy(".scenario:scenario", "Check, create, list and show scenarios."),
    "tour": Lazy(".tour:tour", "Show in a minute what volition does."),
    "ledger": Lazy(".ledger:ledger", "Print and verify a ledger."),
}


@click.command(
    "volition", cls=LazyGroup, table=COMMANDS, exits=EXITS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the traceback of an error; allowed anywhere on the line."
)
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

    Each command has its own examples: volition COMMAND --help. For shell completion of commands, options and names, put
    one line into your shell's start-up file:

    \b
      bash  eval "$(_VOLITION_COMPLETE=bash_source volition)"
      zsh   eval "$(_VOLITION_COMPLETE=zsh_source volition)"
      fish  _VOLITION_COMPLETE=fish_source volition | source
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    Errors are printed as text on stderr and, if the line contains `--json`, as one object on stdout too.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    options = words[: words.index("--")] if "--" in words else words
    debug = "--debug" in options
    rest = [word for word in options if word != "--debug"] + words[len(options) :]
    try:
        code = _run(["--debug", *rest] if debug else rest)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001  the outermost caller: every error is answered here
        code = _answer(error, debug=debug, as_json="--json" in options)
    return _flush(code)


def _run(args: list[str]) -> int:
    """Run the command; its exit code comes from `ctx.exit`, from `sys.exit` or from its return value."""
    try:
        result = app.main(args, prog_name="volition", standalone_mode=False)
    except SystemExit as stop:
        if isinstance(stop.code, str):
            raise
        result = stop.code
    return result if isinstance(result, int) else DONE


def _answer(error: Exception, *, debug: bool, as_json: bool) -> int:
    """Print what went wrong, and return the matching exit code."""
    from volition.core.errors import VolitionError
    from volition.core.extras import EXTRAS, not_installed

    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, ModuleNotFoundError) and (module := str(error.name).partition(".")[0]) in EXTRAS:
        error = not_installed(module)
    if isinstance(error, VolitionError):
        code, text, data = error.exit_code, f"error: {error}", error.to_data()
    elif isinstance(error, click.ClickException):
        error.show()
        remedy = _next_step(error)
        code, text, data = INVALID_INPUT, remedy, _error_data(error, error.format_message(), remedy or "see --help")
    else:
        what = f"{type(error).__name__}: {error}"
        remedy = "report it with its traceback" if debug else "run again with --debug for the traceback"
        text = f"this is a bug in volition: {what}; {remedy}"
        code, data = BUG, _error_data(error, what, remedy)
    if text:
        click.echo(text, err=True)
    if as_json:
        import json

        click.echo(json.dumps(data, ensure_ascii=False))
    return code


def _next_step(error: click.ClickException) -> str:
    """A valid line to try instead, the first example of the command; empty if the help was printed."""
    from volition.cli.lazy import examples

    if not isinstance(error, click.UsageError) or isinstance(error, click.exceptions.NoArgsIsHelpError):
        return ""
    lines = examples(error.ctx.command) if error.ctx is not None else []
    return f"For example: {lines[0]}" if lines else ""


def _error_data(error: Exception, what: str, remedy: str) -> dict[str, object]:
    """The data of an error that is no VolitionError, in the shape of one."""
    from volition.core.errors import Problem

    problem = Problem(what, "the command line", "a command that runs", remedy)
    return {"error": type(error).__name__, "problems": [problem.to_data()]}


def _flush(code: int) -> int:
    """Flush stdout; if its reader is gone, redirect it so that Python does not complain when it exits."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code or PIPE_CLOSED
    return code

"""`volition worktrees` and `volition radar`: all lines of work compared, once or live."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import in_repository, json_option
from volition.cli.printing import CommandAnswer, answering, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.agents.repository import Repository
    from volition.agents.worktrees.overview import WorkOverview

base_option = click.option(
    "--base", default="", help="What all lines branched off from; origin/HEAD, main or master if not given."
)


@click.command()
@base_option
@in_repository
@answering
def worktrees(repository: Repository, base: str) -> CommandAnswer:
    """Compare all worktrees and branches: which would not merge, and what their plans say about it.

    What is not committed yet counts. A conflict that no plan declared, a declared one, and files that a line changed
    outside of its plans are listed; so is a contract conflict, where two lines merge but one removes or renames a part, or a
    file, that the other uses; and lines that share files and merge, which is evidence that they complement each other. Exit
    code 0: nothing to settle; 3: a conflict or a stray.

    \b
    Examples:
      volition worktrees
      volition worktrees --base main --json
    """
    from volition.cli.show.agents import overview_data, overview_text

    with progress("merges", "merges") as update:
        seen = _look(repository, base, update)
    return CommandAnswer(overview_data(seen), overview_text(seen), DONE if seen.calm else NEEDS_A_PERSON)


@click.command()
@base_option
@click.option("--once", is_flag=True, help="Look once.")
@click.option("--poll", type=click.FloatRange(min=0.2), default=2.0, show_default=True, help="Seconds between looks.")
@in_repository
@json_option
def radar(repository: Repository, base: str, once: bool, poll: float, as_json: bool) -> None:
    """Show all lines of work live, as `worktrees` compares them, until interrupted.

    On a terminal the picture is drawn again; elsewhere, and with --json, it is printed whenever it changes.

    \b
    Examples:
      volition radar
      volition radar --once
    """
    import sys

    from volition.cli.show.agents import overview_data, overview_text

    if once or as_json or not sys.stdout.isatty():
        before = None
        while True:
            seen = overview_data(_look(repository, base)) if as_json else overview_text(_look(repository, base))
            if seen != before:
                print_json(seen) if as_json else click.echo(seen)
                before = seen
            if once:
                return
            time.sleep(poll)
    from rich.live import Live

    from volition.cli.show.live import overview_table

    with Live(overview_table(_look(repository, base)), auto_refresh=False) as live:
        while True:
            time.sleep(poll)
            live.update(overview_table(_look(repository, base)), refresh=True)


def _look(repository: Repository, base: str, update: Callable[[int, int], None] | None = None) -> WorkOverview:
    from volition.agents.check.changes import base_commit
    from volition.agents.guard.setting import FILE
    from volition.agents.repository import failures_explained
    from volition.agents.worktrees.overview import look_at_work

    with failures_explained(str(repository.root)):
        commit = base_commit(str(repository.root), base)
        return look_at_work(repository, commit, guarded=(repository.home / FILE).exists(), progress=update)

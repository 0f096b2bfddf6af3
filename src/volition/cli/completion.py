"""Shell completion of names: scenarios, runs and the people in them, maps.

Where a file is allowed too, the shell also completes file names. An error here completes nothing: somebody in the
middle of typing cannot use a message.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click


def scenarios(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The built-in scenarios, or a file."""
    from volition.drama.world.scenario import scenario_names

    return [CompletionItem(begun, type="file"), *_starting_with(scenario_names(), begun)]


def maps(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The built-in maps of the arena, or a file."""
    from volition.execution.worlds.arena.ground import SHIPPED_MAPS

    return [CompletionItem(begun, type="file"), *_starting_with(SHIPPED_MAPS, begun)]


def runs(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The runs recorded in the current folder, or another folder."""
    from volition.drama.stage.library import FOLDER

    names = sorted(path.name for path in Path(FOLDER).glob("*") if path.is_dir())
    return [CompletionItem(begun, type="dir"), *_starting_with(names, begun)]


def people(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The people in the run that the line names."""
    from volition.core.errors import VolitionError
    from volition.drama.stage.archive import load_run
    from volition.drama.stage.library import Library

    # While an option still lacks its value, click cannot assign the arguments and leaves them in `args`.
    run = context.params.get("run") or next(iter(context.args), None)
    try:
        return [] if run is None else _starting_with(load_run(Library().find(run)).scenario.people, begun)
    except (VolitionError, OSError):
        return []


def _starting_with(names: Iterable[str], begun: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(begun)]

"""What a shell offers for an argument that is a name: scenarios, runs and who is in them, maps.

A name that may also be a file comes with the shell's own files, which it offers where no name fits. Whatever goes wrong
here offers nothing: a person in the middle of a line cannot use an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click


def scenarios(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The scenarios that ship, or a file."""
    from volition.drama.world.scenario import scenario_names  # noqa: PLC0415  only when asked for

    return [CompletionItem(begun, type="file"), *_fitting(scenario_names(), begun)]


def maps(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The maps that come with the arena, or a file."""
    from volition.execution.arena import SHIPPED_MAPS  # noqa: PLC0415  only when asked for

    return [CompletionItem(begun, type="file"), *_fitting(SHIPPED_MAPS, begun)]


def runs(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The runs that are recorded here, or the folder of another."""
    from volition.drama.stage.library import FOLDER  # noqa: PLC0415  only when asked for

    names = sorted(path.name for path in Path(FOLDER).glob("*") if path.is_dir())
    return [CompletionItem(begun, type="dir"), *_fitting(names, begun)]


def people(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Those who are in the run that the line names."""
    from volition.core.errors import VolitionError  # noqa: PLC0415  only when asked for
    from volition.drama.stage.archive import load_run  # noqa: PLC0415
    from volition.drama.stage.library import Library  # noqa: PLC0415

    # An option that still lacks its value keeps click from telling arguments apart: they are then left over.
    run = context.params.get("run") or next(iter(context.args), None)
    try:
        return [] if run is None else _fitting(load_run(Library().find(run)).scenario.people, begun)
    except (VolitionError, OSError):
        return []


def _fitting(names: Iterable[str], begun: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(begun)]

"""Options and arguments that several commands share, and what they mean: runs, records, registries, repositories, user code
and new files."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from volition.cli import completion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from volition.arbitration import Intention
    from volition.core.ledger import Anchor
    from volition.drama.mind.outside import Consulted, Way
    from volition.drama.playing.evening import Evening
    from volition.drama.world.model import Scenario
    from volition.minds.budget import Budget


SEED: Final = click.IntRange(0, 2**53 - 1)
"""Every integer that JSON readers keep exact."""
PORT: Final = click.IntRange(0, 65535)
GAME_PORT: Final = 25565
"""The port at which clients of the game look first."""
path_type = click.Path(path_type=Path)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
run_argument = click.argument("run", metavar="RUN", shell_complete=completion.runs)
scenario_argument = click.argument("scenario", metavar="SCENARIO", shell_complete=completion.scenarios)
record_argument = click.argument("path", type=path_type)
anchor_option = click.option("--anchor", metavar="COUNT:HASH", help="An anchor that was kept elsewhere.")
run_out_option = click.option(
    "--out", type=path_type, metavar="DIR", help="Where to record it; volition-runs/ID if not given."
)
map_option = click.option(
    "--map", "map_", shell_complete=completion.maps, metavar="FILE|NAME", help="The arena's map, for embedded and java."
)
arena_seed_option = click.option("--seed", type=SEED, default=0, show_default=True, help="The arena's random seed.")
executor_token_option = click.option(
    "--token", envvar="VOLITION_TOKEN", show_envvar=True, help="The token that the executor was started with."
)


def question_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The questions to a decision: `rivals`, `changes` and `without`."""
    for option in (
        click.option(
            "--without", metavar="ID", multiple=True, help="Decide again without this intention; may be repeated."
        ),
        click.option(
            "--what-if",
            "changes",
            metavar="ID=WEIGHT",
            multiple=True,
            help="Decide again with another weight; may be repeated.",
        ),
        click.option(
            "--why-not",
            "rivals",
            metavar="ID",
            multiple=True,
            help="Explain why this candidate was not chosen; may be repeated.",
        ),
    ):
        command = option(command)
    return command


def use_user_name(_context: click.Context, _parameter: click.Parameter, name: str | None) -> str:
    """Who types this, where no name is given. A blank one is given, and refused."""
    import getpass

    return getpass.getuser() if name is None else name


registry_option = click.option(
    "--registry", metavar="PATH|postgresql://...", help="The registry; VOLITION_REGISTRY if not given."
)
project_option = click.option(
    "--project", help="The project; VOLITION_PROJECT, or the only one in the registry, if not given."
)
grant_token_option = click.option(
    "--token", type=click.IntRange(min=1), help="The token of the grant; that of your newest one if not given."
)
why_option = click.option("--why", "reason", default="", help="Why, for the record.")
holder_option = click.option(
    "--holder",
    envvar="VOLITION_HOLDER",
    show_envvar=True,
    callback=use_user_name,
    help="Who works on it; your user name if not given.",
)
by_option = click.option(
    "--by", "--holder", "by",
    envvar="VOLITION_HOLDER", show_envvar=True, callback=use_user_name, help="Who does it; your user name if not given.",
)  # fmt: skip


def in_team(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command the options that choose a project of a registry, and that project's team as its first argument."""

    @project_option
    @registry_option
    @wraps(command)
    def run(project: str | None, registry: str | None, **options: Any) -> int | None:
        from volition.cli.registry import open_team

        with open_team(registry, project) as team:
            return command(team, **options)

    return run


repository_option = click.option(
    "--repository", type=path_type, default=Path(), help="A folder in the repository; the current one if not given."
)


def in_repository(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command the option --repository, and the repository that it names as its first argument."""

    @repository_option
    @wraps(command)
    def run(repository: Path, **options: Any) -> int | None:
        from volition.agents.repository import repository_of

        return command(repository_of(repository), **options)

    return run


def _check_time(_context: click.Context, _parameter: click.Parameter, moment: str | None) -> str | None:
    """Check a time of --now: it is written as in documents."""
    from volition.core.errors import refuse
    from volition.governance.documents.findings import is_moment

    if moment is not None and not is_moment(moment):
        expected = "a date and time with its zone, such as 2026-01-25T10:00:00Z"
        refuse(f"the time is {moment!r}", where="--now", expected=expected, remedy="write it like this")
    return moment


now_option = click.option(
    "--now",
    metavar="TIME",
    callback=_check_time,
    help="The time to write into the document, such as 2026-01-25T10:00:00Z.",
)


def time_now() -> str:
    """The present time as documents write it. The clock is read only here, in the commands."""
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


with_option = click.option(
    "--with",
    "custom",
    metavar="[PERSON=]MODULE:NAME",
    multiple=True,
    help="A term or constraint, several of them, or the mind of a person, from Python; may be repeated.",
)


class MindsNamed(NamedTuple):
    """What the options of `minds_options` say about minds from outside."""

    minds: tuple[str, ...]
    from_file: bool
    way: Way
    deadline_s: float | None
    budget: tuple[str, ...]

    def of(self, scenario: Scenario) -> tuple[Intention, ...]:
        """The minds from outside that take part in an evening of a scenario, as an intention; nothing if there are none."""
        from volition.drama.mind.custom import gather
        from volition.drama.mind.outside import DEADLINE_S, OutsideMinds, named_minds

        people = dict(named_minds(scenario)) if self.from_file else {}
        for who, mind in parse_assignments(self.minds, "--mind", "PERSON=URL").items():
            people[who] = _load_mind(mind, self.way)
        if not people:
            return ()
        return gather(outside=OutsideMinds(people, deadline_s=self.deadline_s or DEADLINE_S, budget=self._budget()))

    def _budget(self) -> Budget:
        from volition.core.errors import check_known, refuse
        from volition.minds.budget import Budget

        limits: dict[str, Any] = {}
        for name, text in parse_assignments(self.budget, "--budget", "LIMIT=NUMBER").items():
            check_known("limit", name, ("calls", "tokens", "seconds"), where="--budget")
            try:
                limits[name] = float(text) if name == "seconds" else int(text)
            except ValueError:
                refuse(f"{name} is {text!r}", where="--budget", expected="a number", remedy="write it like calls=100")
        return Budget(**limits)


def _load_mind(reference: str, way: Way) -> Consulted:
    """A mind of an address or of a Python reference; one that says itself how it takes part keeps that."""
    from volition.drama.mind.outside import Consulted, chat_mind

    if reference.startswith(("http://", "https://")):
        return chat_mind(reference, way)
    loaded = load_reference(reference, "--mind")
    return loaded if isinstance(loaded, Consulted) else Consulted(loaded, way)


def minds_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that let minds from outside take part, as its argument `outside`."""

    @click.option(
        "--mind",
        "minds",
        metavar="PERSON=URL[#MODEL]",
        multiple=True,
        help="Let a language model behind a chat completions server, or MODULE:NAME, take part for a person; may be repeated.",
    )
    @click.option("--minds", "from_file", is_flag=True, help="Let the models take part that the scenario names.")
    @click.option(
        "--way",
        type=click.Choice(["vote", "choose"]),
        default="vote",
        show_default=True,
        help="Whether a --mind votes among other reasons, or chooses among the best few acts.",
    )
    @click.option(
        "--deadline",
        "deadline_s",
        type=click.FloatRange(min=0, min_open=True),
        help="Seconds a tick waits; 5 if not given.",
    )
    @click.option(
        "--budget",
        metavar="LIMIT=NUMBER",
        multiple=True,
        help="Ask no more in an evening than this many calls, tokens or seconds; may be repeated.",
    )
    @wraps(command)
    def run(
        minds: tuple[str, ...],
        from_file: bool,
        way: Way,
        deadline_s: float | None,
        budget: tuple[str, ...],
        **options: Any,
    ) -> Any:
        return command(outside=MindsNamed(minds, from_file, way, deadline_s, budget), **options)

    return run


def load_custom(references: Sequence[str]) -> tuple[Intention, ...]:
    """The custom intentions that `--with` names: heuristics and constraints, lists of them, and minds."""
    from volition.drama.mind.custom import gather

    return tuple(intention for reference in references for intention in gather(*_read_custom(reference)))


def _read_custom(reference: str) -> tuple[dict[str, Any], list[Any]]:
    """The minds and the terms of one reference."""
    from volition.arbitration import Constraint, Heuristic
    from volition.core.errors import format_value, refuse

    person, equals, rest = reference.partition("=")
    loaded = load_reference(rest if equals else reference, "--with")
    if equals:
        return {person: loaded}, []
    if isinstance(loaded, Mapping):
        return dict(loaded), []
    several = list(loaded) if isinstance(loaded, list | tuple) else [loaded]
    for intention in several:
        if not isinstance(intention, Heuristic | Constraint):
            refuse(
                f"{reference} is {format_value(intention)}",
                where="--with",
                expected="a heuristic or constraint, a list of them, or a mapping of people to minds",
                remedy="decorate the function with @heuristic or @constraint; a mind is given as PERSON=MODULE:NAME",
            )
    return {}, several


def parse_weights(changes: tuple[str, ...], option: str) -> dict[str, float]:
    """Weights given as ID=WEIGHT."""
    weights = {}
    for change in changes:
        id, equals, number = change.rpartition("=")
        try:
            weights[id] = float(number)
        except ValueError:
            equals = ""
        if not equals or not id:
            raise click.BadParameter(f"{change!r} is not ID=WEIGHT, such as goal=0.5", param_hint=option)
    return weights


def new_file(file: Path) -> Path:
    """The path itself; InvalidInput where something exists there."""
    from os.path import lexists

    if lexists(file):
        _refuse_existing(file, "a new file")
    return file


def new_folder(folder: Path) -> Path:
    """The path itself; InvalidInput where something other than an empty folder exists there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        _refuse_existing(folder, "a new folder")
    return folder


def _refuse_existing(path: Path, expected: str) -> None:
    from volition.core.errors import refuse

    refuse("this name is taken", where=str(path), expected=expected, remedy="choose another name, or remove it first")


def parse_assignments(texts: Iterable[str], option: str, form: str) -> dict[str, str]:
    """Options of the form NAME=VALUE as a dict; each name may be given once."""
    from volition.core.errors import refuse

    values: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            refuse(
                f"{text!r} is not of the form {form}", where=option, expected=form, remedy="name both sides of the ="
            )
        if name in values:
            refuse(f"{name} is given twice", where=option, expected="each name once", remedy="leave one of them out")
        values[name] = value
    return values


def parse_anchor(text: str | None) -> Anchor | None:
    """The anchor that `--anchor` names."""
    from volition.core.ledger import Anchor

    return None if text is None else Anchor.parse(text.strip())


def find_run(run: str) -> Path:
    """Where the run is recorded that a RUN argument names, by id or by path."""
    from volition.drama.stage.library import Library

    return Library().find(run)


def new_run(out: Path | None, name: str) -> tuple[Path, str]:
    """A new folder for a run, which is `out` if that is given, and what RUN arguments call it."""
    from volition.drama.stage.library import Library

    if out is not None:
        return new_folder(out), str(out)
    path = Library().new(name)
    return path, path.name


def load_evening(run: str) -> tuple[Path, Evening]:
    """The evening that a RUN argument names, and where it is recorded."""
    from volition.drama.playing.evening import Evening

    path = find_run(run)
    return path, Evening.load(path)


def load_reference(reference: str, option: str) -> Any:
    """What MODULE:NAME names; modules in the current folder are found too."""
    from volition.arbitration.reference import find

    sys.path.insert(0, str(Path.cwd()))
    return find(reference, option)

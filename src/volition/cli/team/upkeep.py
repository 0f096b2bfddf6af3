"""`volition team`, what keeps a registry alive: a worker, watching and notifying, backups, archives, and new versions of the tables."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from volition.cli.exits import DONE, MISSING_PART, NEEDS_A_PERSON
from volition.cli.options import (
    anchor_option,
    by_option,
    in_team,
    json_option,
    parse_anchor,
    path_type,
    project_option,
    registry_option,
)
from volition.cli.printing import CommandAnswer, answering, print_found, warn
from volition.cli.registry import open_store, shown_event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from volition.workflow import Team
    from volition.workflow.flow.notifier import NotificationTarget
    from volition.workflow.flow.worker import Worker, WorkerReport
    from volition.workflow.store.events import RecordedEvent

poll_option = click.option(
    "--poll", type=click.FloatRange(min=0.01), default=0.5, show_default=True, help="Seconds between looks."
)


def notify_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that name who is told of questions, permits that are wanted, held flows and ends."""
    for option, metavar, text in (
        ("--notify-url", "URL", "POST each notification here as JSON; may be repeated."),
        ("--notify-command", "COMMAND", "Run this for each notification, with JSON on its stdin; may be repeated."),
    ):
        command = click.option(option, f"{option[2:].replace('-', '_')}s", metavar=metavar, multiple=True, help=text)(
            command
        )
    return command


@click.command()
@click.option("--once", is_flag=True, help="Do what is due now, and end.")
@by_option
@poll_option
@click.option("--journal", type=path_type, metavar="FOLDER", help="Record what is sent and answered here.")
@notify_options
@in_team
@json_option
def worker(
    team: Team,
    once: bool,
    by: str,
    poll: float,
    journal: Path | None,
    notify_commands: tuple[str, ...],
    notify_urls: tuple[str, ...],
    as_json: bool,
) -> int:
    """Carry out whatever is approved, and go on after a crash, until SIGTERM or Ctrl-C.

    It never answers, approves or settles. Several may run at once. A flow whose executor is not there is tried again after a pause
    that doubles up to five minutes, and holds up no other. Told to end, it waits for what is under way, and ends with 0. With
    --once it ends with 4 if something could not go on.

    \b
    Examples:
      volition team worker --by worker --registry team.db
      volition team worker --once --registry team.db
    """
    from volition.workflow import Flows, journaled_doors, open_bridge_door
    from volition.workflow.flow.worker import Worker

    def tell(report: WorkerReport) -> None:
        print_found(report.to_data(), str(report), as_json=as_json, indent=None)

    with ExitStack() as stack:
        doors = open_bridge_door if journal is None else stack.enter_context(journaled_doors(journal))
        stack.enter_context(notifying(team, notify_commands, notify_urls, poll))
        runner = Worker(Flows(team), by, open_door=doors)
        if once:
            reports = []
            for report in runner.work_once():
                tell(report)
                reports.append(report.outcome)
            return MISSING_PART if "failed" in reports else DONE
        with _stopped_by_signals(runner):
            runner.run(tell, poll=poll)
    return DONE


@contextmanager
def _stopped_by_signals(worker: Worker) -> Iterator[None]:
    import signal

    before = {number: signal.signal(number, lambda *_: worker.stop()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@click.command()
@click.option("--after", type=click.IntRange(min=0), help="Begin after the event with this number; now if not given.")
@poll_option
@notify_options
@in_team
@json_option
def watch(
    team: Team,
    after: int | None,
    poll: float,
    notify_commands: tuple[str, ...],
    notify_urls: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print events as they happen, until interrupted; and tell others of questions, permits that are wanted, held flows and ends.

    \b
    Examples:
      volition team watch --registry team.db
      volition team watch --notify-command "notify-send volition" --registry team.db
    """
    import time

    seen = after if after is not None else max((event.seq for event in team.history()), default=0)
    with notifying(team, notify_commands, notify_urls, poll):
        while True:
            for event in team.history(after=seen):
                seen = event.seq
                print_event(shown_event(team, event), as_json=as_json)
            time.sleep(poll)


@contextmanager
def notifying(team: Team, commands: tuple[str, ...], urls: tuple[str, ...], poll: float) -> Iterator[None]:
    """Tell these targets of what happens, each in a thread, while the block runs and of what it left at its end."""
    from threading import Event, Thread

    from volition.workflow import Team
    from volition.workflow.flow.notifier import NotifiedAddress, NotifiedCommand, Notifier

    targets: list[NotificationTarget] = [*map(NotifiedCommand, commands), *map(NotifiedAddress, urls)]
    notifiers = [Notifier(Team(team.store, team.project), target) for target in targets]
    stop = Event()
    threads = [Thread(target=each.run, args=(stop, warn), kwargs={"poll": poll}) for each in notifiers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@click.command()
@click.argument("file", metavar="FILE", type=path_type)
@project_option
@registry_option
@answering
def backup(file: Path, project: str | None, registry: str | None) -> CommandAnswer:
    """Write a backup of the registry, or of one project, as of one moment, while others go on.

    The file is sealed: nothing in it can be changed unnoticed. It holds all plans in full. Exit code 3: it was written, and the
    record in it is broken.

    \b
    Example:
      volition team backup monday.backup --registry team.db
    """
    with open_store(registry) as store:
        from volition.workflow.store.database import chosen_project, list_projects
        from volition.workflow.verification.backup import write_backup

        projects = list_projects(store) if project is None else [chosen_project(store, project)]
        written = write_backup(store, file, projects)
    return CommandAnswer.of(written, holds=not written.faults)


@click.command()
@click.argument("file", metavar="FILE", type=path_type)
@click.option("--project", "projects", multiple=True, help="Only this project of the backup; may be repeated.")
@click.option("--replace", is_flag=True, help="Give up what the registry has of these projects.")
@click.option(
    "--keep-flows", is_flag=True, help="Go on with flows under way: all of their executors remember requests."
)
@by_option
@registry_option
@answering
def restore(
    file: Path, projects: tuple[str, ...], replace: bool, keep_flows: bool, by: str, registry: str | None
) -> CommandAnswer:
    """Restore a backup as its keeper, into a new registry: the events as they are, and all else from them, by the law.

    Tokens and drivers from before are refused everywhere from then on. Flows that were under way are abandoned, because nobody
    knows what was done of them after the backup. Exit code 3: restored, and the tables had been other than the events say.

    \b
    Example:
      volition team restore monday.backup --by ann --registry restored.db
    """
    with open_store(registry, new=True) as store:
        from volition.workflow.verification.backup import read_backup, restore_backup

        restored = restore_backup(
            store, read_backup(file), by, projects=projects, replace=replace, keep_flows=keep_flows
        )
    code = NEEDS_A_PERSON if any(each.differs for each in restored) else DONE
    return CommandAnswer([each.to_data() for each in restored], "\n".join(map(str, restored)), code)


@click.command()
@click.argument("file", metavar="FILE", type=path_type)
@click.option("--before", metavar="DATE", required=True, help="Archive what is older: 2026-06-30, or with a time; UTC.")
@by_option
@in_team
@answering
def archive(team: Team, file: Path, before: str, by: str) -> CommandAnswer:
    """Move the events before a date to a sealed file, as a keeper. Plans, flows and their tokens stay as they are.

    Keep the file: only with it can the record be verified from its beginning. Exit code 3: the record is broken, and nothing was
    archived.

    \b
    Example:
      volition team archive spring.archive --before 2026-06-30 --by ann --registry team.db
    """
    from volition.workflow.verification.archiving import archive_events

    archived = archive_events(team, file, _parse_date(before), by)
    return CommandAnswer.of(archived)


def _parse_date(text: str) -> int:
    """A date, or a date and time, in milliseconds since 1970; UTC unless it says otherwise."""
    from datetime import UTC, datetime

    from volition.core.errors import refuse

    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        refuse(f"{text!r} is not a date", where="--before", expected="YYYY-MM-DD", remedy="write it like 2026-06-30")
    return int((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() * 1000)


@click.command()
@click.argument("files", metavar="FILE...", type=path_type, nargs=-1, required=True)
@anchor_option
@answering
def verify_archive(files: tuple[Path, ...], anchor: str | None) -> CommandAnswer:
    """Verify archives of a project without its registry: every hash, signature and law, from their first event on.

    Exit code 0: intact; 3: broken. Give all archives of the project to begin with its first event.

    \b
    Example:
      volition team verify-archive spring.archive
    """
    from volition.core.extras import require

    require("sqlalchemy", "cryptography")
    from volition.workflow.verification.verify import verify_archives

    verified = verify_archives(files, parse_anchor(anchor))
    return CommandAnswer.of(verified, holds=verified.intact)


@click.command()
@registry_option
@answering
def migrate(registry: str | None) -> CommandAnswer:
    """Bring the tables of a registry to the version of this program; nothing else ever does.

    Programs of the earlier version may only look from then on, so do it once everybody has this one.

    \b
    Example:
      volition team migrate --registry team.db
    """
    with open_store(registry) as store:
        before, after = store.migrate()
    text = f"version {before}, brought to {after}" if before != after else f"version {after} already"
    return CommandAnswer({"before": before, "after": after}, text)


def print_event(event: RecordedEvent, *, as_json: bool) -> None:
    """Print an event on one line."""
    from volition.cli.show.workflow import event_line

    print_found(event.to_data(), event_line(event), as_json=as_json, indent=None)

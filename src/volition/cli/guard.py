"""`volition guard`: the hook that coding agents call, its journal, and which plans a worktree or session works on."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from volition.cli.common import CommandAnswer, answering, json_option, path_type, print_found, warn
from volition.cli.exits import DONE, NEEDS_A_PERSON

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.agents.guard.journal import JournalEntry
    from volition.agents.repository import Repository

repository_option = click.option(
    "--repository", type=path_type, default=Path(), help="A folder in the repository; the current one if not given."
)
WORDS = ("pass", "marked", "deny", "stray", "failure", "start", "with-claim")


def in_repository(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command the option --repository, and the repository that it names as its first argument."""

    @repository_option
    @wraps(command)
    def run(repository: Path, **given: Any) -> int | None:
        from volition.agents.repository import repository_of

        return command(repository_of(repository), **given)

    return run


@click.group()
def guard() -> None:
    """Hold coding agents to their plans: judge a write before it happens, and name what strayed after it.

    \b
    Examples:
      volition agents install claude --registry team.db --dry-run
      volition guard use intent_add_logging
      volition guard log --what deny
    """


@guard.command()
@click.argument("home", metavar="FOLDER")
@click.argument("client", metavar="CLIENT")
@click.pass_context
def hook(ctx: click.Context, home: str, client: str) -> None:
    """Answer one event of a client on stdin: what `volition agents install` writes into its settings, for trying out.

    FOLDER is the guard's, .git/volition of the repository; CLIENT is claude, codex, gemini or cursor. Exit code 0: no
    objection; 2: an objection, with its reason on stderr. Everything that fails is an objection.

    \b
    Example:
      volition guard hook .git/volition claude
    """
    from volition.agents.guard.hook import main

    ctx.exit(main([home, client]))


@guard.command()
@click.option("--what", type=click.Choice(WORDS), help="Only entries of this kind.")
@click.option("--session", help="Only entries of this session.")
@click.option("--last", type=click.IntRange(min=1), default=50, show_default=True, help="At most this many.")
@in_repository
@json_option
def log(found: Repository, what: str | None, session: str | None, last: int, as_json: bool) -> int:
    """Print the guard's journal, the newest entries last.

    Exit code 3: a line was changed, torn or removed.

    \b
    Example:
      volition guard log --what deny
    """
    entries = _entries(found)
    chosen = [
        entry
        for entry in entries
        if (what is None or entry.data.get("what") == what) and session in {None, entry.data.get("session")}
    ][-last:]
    for entry in chosen:
        print_found({"id": entry.id, **entry.data}, _entry_line(entry), as_json=as_json, indent=None)
    faults = [entry for entry in entries if entry.fault]
    for entry in faults:
        warn(f"not intact: {entry.fault} ({entry.id or 'no id'})")
    return NEEDS_A_PERSON if faults else DONE


@guard.command()
@click.argument("entry_id", metavar="[ENTRY]", required=False)
@in_repository
@json_option
def why(repository: Repository, entry_id: str | None, as_json: bool) -> None:
    """Say why a call was denied or passed: the entry with this id, or the last denial.

    \b
    Example:
      volition guard why
    """
    from volition.core.errors import refuse

    entries = _entries(repository)
    found = [
        entry
        for entry in entries
        if (entry.id.startswith(entry_id) if entry_id else entry.data.get("what") in {"deny", "stray", "failure"})
    ]
    if not found or (entry_id and len(found) > 1):
        refuse(
            "nothing was denied" if not entry_id else f"{len(found)} entries begin with {entry_id!r}",
            where=str(repository.root),
            expected="an entry of the journal",
            remedy="see: volition guard log",
        )
    print_found({"id": found[-1].id, **found[-1].data}, _entry_text(found[-1]), as_json=as_json)


@guard.command()
@click.argument("plans", metavar="PLAN...", nargs=-1)
@click.option("--session", help="Bind this session instead of the worktree.")
@click.option("--agent", default="", help="A subagent of the session.")
@in_repository
def use(found: Repository, plans: tuple[str, ...], session: str | None, agent: str) -> None:
    """Say which plans are worked on in this worktree, or by a session; none ends it.

    A session that registered its plan itself needs no binding.

    \b
    Example:
      volition guard use intent_add_logging
    """
    from volition.agents.guard.sessions import Identity, bind_session, bind_tree
    from volition.agents.repository import failures_explained

    setting = found.setting()
    with failures_explained(str(found.home)):
        if session:
            bind_session(setting, Identity(session, agent), plans, str(found.root))
        else:
            bind_tree(setting, str(found.root), plans)
    whose = f"session {session}" if session else str(found.root)
    click.echo(f"{whose} works on {', '.join(plans) or 'no plan'}")


@guard.command()
@in_repository
def reset(found: Repository) -> None:
    """Accept this worktree as it is: earlier strays are no longer named, and the next look starts from here.

    \b
    Example:
      volition guard reset
    """
    from volition.agents.guard.strays import forget_tree
    from volition.agents.repository import failures_explained

    setting = found.setting()
    with failures_explained(str(found.home)):
        forget_tree(setting, str(found.root))
    click.echo(f"{found.root} is accepted as it is")


@guard.command()
@click.argument("what", type=click.Choice(("refuse", "record")))
@in_repository
def unreachable(found: Repository, what: str) -> None:
    """Say what happens to writes while the registry cannot be reached: refused, or let pass and recorded.

    Commands that only read pass in either case. What was recorded is judged when the registry is back.

    \b
    Example:
      volition guard unreachable record
    """
    from volition.agents.guard.setting import FILE, write_object
    from volition.agents.repository import failures_explained

    setting = found.setting()._replace(lenient=what == "record")
    with failures_explained(str(found.home)):
        write_object(str(found.home / FILE), setting.to_data())
    click.echo(f"while {setting.registry} cannot be reached, writes are {'recorded' if setting.lenient else 'refused'}")


@guard.command()
@click.option("--harmless", is_flag=True, help="Only the commands that must pass.")
@click.option("--writes", is_flag=True, help="Only the ways to write that must be noticed.")
@click.option("--file", "files", type=path_type, multiple=True, help="Try your lines instead: VERDICT, a tab, COMMAND.")
@click.option("--run", "runs", is_flag=True, help="Run the shipped writes that pass, in a scratch repository.")
@answering
def corpus(harmless: bool, writes: bool, files: tuple[Path, ...], runs: bool) -> CommandAnswer:
    """Try the guard with the commands that ship with it, or with yours, and print the verdict on each.

    They are judged in a scratch repository with one plan of the session and one of somebody else, in normal and in strict mode. Verdicts:
    pass; mark (strict mode refuses it); refuse; doubt (recorded after it ran, strict mode refuses it); notice (recorded
    after it ran). Commands of your files are never run. Exit code 3: a verdict is not the one that is wanted.

    \b
    Examples:
      volition guard corpus --harmless
      volition guard corpus --file our_commands.txt --json
    """
    import tempfile

    from volition.agents.guard.corpus.lines import SHIPPED, read_corpus
    from volition.agents.guard.corpus.scene import make_scene
    from volition.agents.guard.corpus.trying import CorpusReport, try_corpus

    both = harmless == writes and not files
    chosen = [place for name, place in SHIPPED.items() if both or {"harmless": harmless, "writes": writes}[name]]
    shipped = [line for place in chosen for line in read_corpus(place)]
    own = [line for place in files for line in read_corpus(str(place))]
    with tempfile.TemporaryDirectory(prefix="volition-") as folder:
        scene = make_scene(folder)
        tried = try_corpus(scene, shipped, run=runs) if shipped else []
        report = CorpusReport((*tried, *(try_corpus(scene, own) if own else ())))
    return CommandAnswer.of(report, holds=not report.failures)


def _entries(repository: Repository) -> list[JournalEntry]:
    from volition.agents.guard.journal import read_journal

    return list(read_journal(repository.setting().home))


def _entry_line(entry: JournalEntry) -> str:
    """An entry on one line."""
    from volition.workflow.store.events import moment

    data = entry.data
    who = "/".join(part for part in (str(data.get("session", "?"))[:12], data.get("agent")) if part)
    about = "; ".join(data.get("reasons") or data.get("targets") or [])
    line = f"{entry.id}  {moment(data.get('at', 0))}  {data.get('what', '?'):<7}  {data.get('client', '?')} {who}"
    return f"{line}  {data.get('tool', '')}  {about}".rstrip().replace("\n", " ")


def _entry_text(entry: JournalEntry) -> str:
    """An entry with everything that it says."""
    data = entry.data
    lines = [_entry_line(entry)]
    for name, title in (("tree", "worktree"), ("folder", "folder"), ("text", "call")):
        if data.get(name):
            lines.append(f"  {title}: {data[name]}")
    for name, title in (("plans", "plans"), ("targets", "files")):
        if data.get(name):
            lines.append(f"  {title}: {', '.join(data[name])}")
    return "\n".join([*lines, *(f"  because: {reason}" for reason in data.get("reasons") or [])])

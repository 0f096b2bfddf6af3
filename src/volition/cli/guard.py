"""`volition guard`: the hook that coding agents call, its journal, and which plans a worktree or session works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.exits import DONE, NEEDS_A_PERSON
from volition.cli.options import in_repository, json_option, path_type
from volition.cli.printing import CommandAnswer, answering, print_found, warn

if TYPE_CHECKING:
    from pathlib import Path

    from volition.agents.guard.journal import JournalEntry
    from volition.agents.repository import Repository

WORDS = ("pass", "marked", "deny", "stray", "failure", "start", "with-claim")


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
def log(repository: Repository, what: str | None, session: str | None, last: int, as_json: bool) -> int:
    """Print the guard's journal, the newest entries last.

    Exit code 3: a line was changed, torn or removed.

    \b
    Example:
      volition guard log --what deny
    """
    from volition.cli.show.agents import entry_line

    entries = _entries(repository)
    chosen = [
        entry
        for entry in entries
        if (what is None or entry.data.get("what") == what) and session in {None, entry.data.get("session")}
    ][-last:]
    for entry in chosen:
        print_found({"id": entry.id, **entry.data}, entry_line(entry), as_json=as_json, indent=None)
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
    from volition.cli.show.agents import entry_text
    from volition.core.errors import refuse

    entries = _entries(repository)
    chosen = [
        entry
        for entry in entries
        if (entry.id.startswith(entry_id) if entry_id else entry.data.get("what") in {"deny", "stray", "failure"})
    ]
    if not chosen or (entry_id and len(chosen) > 1):
        refuse(
            "nothing was denied" if not entry_id else f"{len(chosen)} entries begin with {entry_id!r}",
            where=str(repository.root),
            expected="an entry of the journal",
            remedy="see: volition guard log",
        )
    print_found({"id": chosen[-1].id, **chosen[-1].data}, entry_text(chosen[-1]), as_json=as_json)


@guard.command()
@click.argument("plans", metavar="PLAN...", nargs=-1)
@click.option("--session", help="Bind this session instead of the worktree.")
@click.option("--agent", default="", help="A subagent of the session.")
@in_repository
def use(repository: Repository, plans: tuple[str, ...], session: str | None, agent: str) -> None:
    """Say which plans are worked on in this worktree, or by a session; none ends it.

    A session that registered its plan itself needs no binding.

    \b
    Example:
      volition guard use intent_add_logging
    """
    from volition.agents.guard.sessions import Identity, bind_session, bind_tree
    from volition.agents.repository import failures_explained

    setting = repository.setting()
    with failures_explained(str(repository.home)):
        if session:
            bind_session(setting, Identity(session, agent), plans, str(repository.root))
        else:
            bind_tree(setting, str(repository.root), plans)
    whose = f"session {session}" if session else str(repository.root)
    click.echo(f"{whose} works on {', '.join(plans) or 'no plan'}")


@guard.command()
@in_repository
def reset(repository: Repository) -> None:
    """Accept this worktree as it is: earlier strays are no longer named, and the next look starts from here.

    \b
    Example:
      volition guard reset
    """
    from volition.agents.guard.unplanned import accept_tree
    from volition.agents.repository import failures_explained

    setting = repository.setting()
    with failures_explained(str(repository.home)):
        accept_tree(setting, str(repository.root))
    click.echo(f"{repository.root} is accepted as it is")


@guard.command()
@click.argument("what", type=click.Choice(("refuse", "record")))
@in_repository
def unreachable(repository: Repository, what: str) -> None:
    """Say what happens to writes while the registry cannot be reached: refused, or let pass and recorded.

    Commands that only read pass in either case. What was recorded is judged when the registry is back.

    \b
    Example:
      volition guard unreachable record
    """
    from volition.agents.guard.setting import FILE, write_object
    from volition.agents.repository import failures_explained

    setting = repository.setting()._replace(lenient=what == "record")
    with failures_explained(str(repository.home)):
        write_object(str(repository.home / FILE), setting.to_data())
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

    from volition.agents.corpus.lines import SHIPPED, read_corpus
    from volition.agents.corpus.scene import make_scene
    from volition.agents.corpus.trying import try_corpus
    from volition.cli.show.agents import corpus_data, corpus_text

    both = harmless == writes and not files
    chosen = [place for name, place in SHIPPED.items() if both or {"harmless": harmless, "writes": writes}[name]]
    shipped = [line for place in chosen for line in read_corpus(place)]
    own = [line for place in files for line in read_corpus(str(place))]
    with tempfile.TemporaryDirectory(prefix="volition-") as folder:
        scene = make_scene(folder)
        tried = try_corpus(scene, shipped, run=runs) if shipped else []
        tried += try_corpus(scene, own) if own else []
    code = DONE if all(each.holds for each in tried) else NEEDS_A_PERSON
    return CommandAnswer(corpus_data(tried), corpus_text(tried), code)


def _entries(repository: Repository) -> list[JournalEntry]:
    from volition.agents.guard.journal import read_journal

    return list(read_journal(repository.setting().home))

"""`volition govern new`, `example` and `seal`: draft documents, write a sample set, and set checksums."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from volition.cli.govern.outlines import add_touched, from_diff_option
from volition.cli.options import new_file, now_option, path_type, time_now
from volition.cli.printing import program_name, warn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@click.group()
def new() -> None:
    """Draft a valid, sealed document, instead of writing eighteen fields and a hash by hand.

    \b
    Examples:
      volition govern new intent "Add logging" --project shop --file routes.py
      volition govern new set monday intent_add_logging intent_fix_routes --project shop
    """


@new.command("intent")
@click.argument("title")
@click.option("--project", required=True, help="The project's id.")
@click.option(
    "--command",
    "commands",
    metavar="ID:EFFECTS:TEXT",
    multiple=True,
    help="A planned command, such as 'add_tests: create+write: cover the routes'. Effects, joined by +: "
    "read, write, create, delete, deploy, rollback, network, data, security.",
)
@click.option(
    "--file",
    "files",
    metavar="PATH",
    multiple=True,
    help="What it changes: a file, a folder, a pattern such as 'src/*.py', or a part such as src/a.py#Cart.add.",
)
@from_diff_option
@click.option("--module", "modules", metavar="NAME", multiple=True, help="A module it changes, or service:NAME.")
@click.option("--reads", metavar="PATH", multiple=True, help="What its result relies on, written like --file.")
@click.option("--removes", metavar="PATH", multiple=True, help="What it takes away, written like --file.")
@click.option(
    "--renames", metavar="OLD NEW", nargs=2, multiple=True, help="What it renames, and how it is called afterwards."
)
@click.option("--root", default=".", show_default=True, help="The folder of the project that paths are relative to.")
@click.option("--area", "areas", multiple=True, help="An area it concerns.")
@click.option("--evidence", multiple=True, metavar="REF", help="Evidence that it relies on.")
@click.option(
    "--agent",
    "agents",
    metavar="ID[:ROLE]",
    multiple=True,
    help="An agent that works on it, such as 'coder: engineer'.",
)
@click.option("--phase", "phases", metavar="PHASE", multiple=True, help="A phase, in order; may be repeated.")
@click.option(
    "--risk",
    type=click.Choice(["low", "medium", "high", "critical"]),
    help="Its risk; derived from its effects if not given.",
)
@click.option(
    "--review",
    "reviews",
    metavar="REVIEW",
    multiple=True,
    help="A review it needs; derived from its effects if not given.",
)
@click.option("--max-files", type=int, help="The most files it may change.")
@click.option("--max-commits", type=int, help="The most commits it may make.")
@click.option("--max-tokens", type=int, help="The most tokens it may use.")
@click.option("--max-cost-usd", type=float, help="The most it may cost.")
@click.option("--priority", type=int, help="An explicit priority; the highest wins.")
@click.option("--depends-on", multiple=True, metavar="ID", help="An intent that must come first.")
@click.option("--lock", metavar="PATH", multiple=True, help="A file or folder that it reserves for itself.")
@click.option(
    "--mode", type=click.Choice(["interactive", "semi_auto", "full_auto"]), default="interactive", show_default=True
)
@click.option("--goal", help="What it should achieve; the title if not given.")
@click.option("--by", "created_by", help="Who writes it; the first agent if not given.")
@click.option(
    "--source",
    type=click.Choice(["human", "agentos", "octopusos", "imported"]),
    help="Where it comes from; agentos if one of its agents writes it, otherwise human.",
)
@click.option("--status", type=click.Choice(["draft", "proposed", "approved"]), default="draft", show_default=True)
@now_option
@click.option("--out", type=path_type, metavar="FILE", help="Where to write; ID.json if not given.")
def new_intent(
    title: str,
    now: str | None,
    out: Path | None,
    lock: tuple[str, ...],
    renames: tuple[tuple[str, str], ...],
    from_diff: str | None,
    **options: Any,
) -> None:
    """Draft an intent: the plan of one agent. docs/plans.md explains every field.

    \b
    Example:
      volition govern new intent "Add logging" --project shop --file src/api/routes.py \\
        --command "add_logging: write: log every route"
    """
    from volition.governance.documents.validation import word_findings
    from volition.governance.drafts.sets import new_intent as draft

    if from_diff is not None:
        options = add_touched(options, from_diff)
    limits = {name: options.pop(name) for name in ("max_files", "max_commits", "max_tokens", "max_cost_usd")}
    budgets = {name: value for name, value in limits.items() if value is not None}
    fields = {name: value for name, value in options.items() if value not in (None, ())}
    fields["renames"] = {**fields.get("renames", {}), **dict(renames)}
    intent = draft(title, created_at=now or time_now(), lock=lock or None, budgets=budgets, **fields)
    _write_draft(intent, out)
    for finding in word_findings(intent):
        warn(f"warning: {finding.what}: {finding.remedy}")


@new.command("set")
@click.argument("name")
@click.argument("intents", metavar="INTENT...", nargs=-1, required=True)
@click.option("--project", required=True, help="The project's id.")
@click.option("--env", type=click.Choice(["local", "dev", "staging", "prod"]), default="local", show_default=True)
@click.option("--purpose", help="What it is for.")
@click.option(
    "--complementary", nargs=2, multiple=True, metavar="ID ID", help="Two intents whose writes complement each other."
)
@click.option(
    "--done", multiple=True, metavar="ID", help="An intent outside of the set that others depend on and that is done."
)
@now_option
@click.option("--out", type=path_type, metavar="FILE", help="Where to write; ID.json if not given.")
def new_set(name: str, intents: Sequence[str], now: str | None, out: Path | None, **options: Any) -> None:
    """Draft a set of intents, given by id or by file; a file means the id in its document.

    \b
    Example:
      volition govern new set "api batch" intent_add_logging.json intent_fix_routes.json --project shop
    """
    import shlex

    from volition.governance.documents.loading import intent_files
    from volition.governance.drafts.sets import new_set as draft

    known = [intent_files([intent]) if intent.endswith(".json") else {intent: None} for intent in intents]
    ids = [id for files in known for id in files]
    _write_draft(draft(name, ids, created_at=now or time_now(), **options), out)
    # `evaluate` looks for ID.json beside the set; files elsewhere or with other names have to be given.
    beside = (out or Path()).parent if out else Path()
    apart = [str(file) for files in known for id, file in files.items() if file and file != beside / f"{id}.json"]
    if apart:
        click.echo(f"evaluate it with: {' '.join(f'--intent {shlex.quote(file)}' for file in apart)}")


def _write_draft(data: Mapping[str, Any], out: Path | None) -> None:
    from volition.core.document import dump_json, write_atomically

    file = new_file(out or Path(f"{data['id']}.json"))
    write_atomically(file, dump_json(dict(data)).encode())
    click.echo(f"wrote {file}")


@click.command()
@click.argument("folder", metavar="FOLDER", type=path_type)
@click.option(
    "--sample",
    default="same_target",
    show_default=True,
    help="Which one: read_only, clear_priority, same_target, dependency or ignored_lock.",
)
def example(folder: Path, sample: str) -> None:
    """Write a small set of plans into a new FOLDER, to look at and to experiment with.

    \b
    Example:
      volition govern example first-plans
    """
    from volition.governance.drafts.samples import write_sample

    for file in write_sample(folder, sample):
        click.echo(f"wrote {file}")
    click.echo(f"next: {program_name()} govern evaluate {folder / 'set.json'}")


@click.command()
@click.argument("files", metavar="FILE...", type=path_type, nargs=-1, required=True)
def seal(files: Sequence[Path]) -> None:
    """Set the checksums of documents to match their content. All files are read before any is written.

    \b
    Example:
      volition govern seal intent_add_logging.json
    """
    from volition.core.document import dump_json, parse_json, write_atomically
    from volition.governance.documents.loading import read_file
    from volition.governance.documents.reading import seal_document

    most = 16 << 20
    sealed = {file: seal_document(parse_json(read_file(file, most), where=str(file))) for file in files}
    for file, data in sealed.items():
        write_atomically(file, dump_json(data).encode())
        click.echo(f"sealed {file}")

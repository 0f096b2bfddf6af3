"""`volition conformance`: drive an executor through the whole contract, and say what holds and what breaks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import click

from volition.cli import completion
from volition.cli.exits import DONE, MISSING_PART, NEEDS_A_PERSON

if TYPE_CHECKING:
    from volition.execution.conformance import Probe


@click.command()
@click.argument("address", required=False)
@click.option("--launch", metavar="COMMAND", help="Start this program instead; its first line says how to speak to it.")
@click.option(
    "--token", envvar="VOLITION_TOKEN", show_envvar=True, help="The token that the executor was started with."
)
@click.option(
    "--probe",
    metavar="MODULE:CLASS",
    help="What reads this executor's states, so that its results can be held against them; its code runs.",
)
@click.option("--only", multiple=True, metavar="NAME", help="Try only this check or group; may be given again.")
@click.option(
    "--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True, help="The chance of the random lines."
)
@click.option(
    "--map", "map_", shell_complete=completion.maps, metavar="NAME|FILE", help="The arena's map, for embedded and java."
)
@click.option("--allow-remote", is_flag=True, help="Allow an address on another computer.")
@click.option("--list", "listing", is_flag=True, help="List the checks and their laws, and try nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.pass_context
def conformance(
    ctx: click.Context,
    address: str | None,
    launch: str | None,
    token: str | None,
    probe: str | None,
    only: tuple[str, ...],
    seed: int,
    map_: str | None,
    allow_remote: bool,
    listing: bool,
    as_json: bool,
) -> None:
    """Try every law of the protocol on the executor at ADDRESS: embedded, java, tcp://HOST:PORT, unix:PATH or
    stdio:COMMAND.

    Ends with 0 where it conforms, 3 where it does not, 4 where there is no executor to try or this machine was too
    busy to judge a law. Whether results are true is judged with a --probe, or by asking an executor that offers the
    feature probe.

    \b
    Examples:
      volition conformance tcp://127.0.0.1:5001
      volition conformance --launch "java -jar my-game.jar" --only framing --only ids
      volition conformance tcp://127.0.0.1:5001 --probe my_game.probe:GameProbe
      volition conformance embedded --json > report.json
    """
    from volition.cli import conformance_view  # noqa: PLC0415  only when it runs
    from volition.execution.conformance import check, selected  # noqa: PLC0415
    from volition.execution.conformance.reach import reach  # noqa: PLC0415

    chosen = selected(only or None)
    if listing:
        click.echo(conformance_view.listed(chosen, as_json=as_json))
        ctx.exit(DONE)
    if (address is None) == (launch is None):
        raise click.UsageError("Name either an ADDRESS or a program to --launch.")
    reader = None if probe is None else _probe(probe)
    plain = not as_json and not sys.stdout.isatty()
    with (
        reach(address or "embedded", launch=launch, token=token, map=map_, seed=seed, allow_remote=allow_remote) as way,
        conformance_view.progress(len(chosen), on=sys.stderr, lines=plain) as shown,
    ):
        report = check(
            way.dial, token=token, seed=seed, only=only or None, clock=way.clock, probe=reader, shared=way.shared,
            trying=shown.trying, tell=shown.tell,
        )  # fmt: skip
    if as_json:
        from volition.core.document import dump_json  # noqa: PLC0415

        click.echo(dump_json(report.to_data()), nl=False)
    elif plain:
        click.echo(report.summary)
    else:
        conformance_view.show(report)
    ctx.exit(DONE if report.holds else NEEDS_A_PERSON if report.broken else MISSING_PART)


def _probe(reference: str) -> Probe:
    """The probe of a module in the current folder or elsewhere: an instance of the class, or what stands there."""
    from pathlib import Path  # noqa: PLC0415  only where one is named

    from volition.arbitration.reference import find  # noqa: PLC0415
    from volition.core.errors import refuse  # noqa: PLC0415
    from volition.execution.conformance import Probe  # noqa: PLC0415

    sys.path.insert(0, str(Path.cwd()))
    found = find(reference, "--probe")
    probe = found() if isinstance(found, type) else found
    lacking = [name for name in vars(Probe) if not name.startswith("_") and not hasattr(probe, name)]
    if lacking:
        refuse(
            f"{reference} lacks {', '.join(lacking)}",
            where="--probe",
            expected="a class with the methods of volition.execution.conformance.Probe",
            remedy="see docs/conformance-kit.md",
        )
    return cast("Probe", probe)

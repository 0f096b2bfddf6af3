"""`volition conformance`: test an executor against the whole contract, and report which laws it breaks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import click

from volition.cli.exits import DONE, MISSING_PART, NEEDS_A_PERSON
from volition.cli.options import SEED, executor_token_option, json_option, load_reference, map_option
from volition.cli.printing import print_json

if TYPE_CHECKING:
    from volition.execution.conformance import Probe


@click.command()
@click.argument("address", required=False)
@click.option(
    "--launch", metavar="COMMAND", help="Start this program instead; its first line says how to connect to it."
)
@executor_token_option
@click.option(
    "--probe",
    metavar="MODULE:CLASS",
    help="Code that reads this executor's states, so that its results can be checked against them; it is run.",
)
@click.option("--only", multiple=True, metavar="NAME", help="Run only this check or group; may be repeated.")
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="The time for the whole run; laws that are not reached are not judged.",
)
@click.option("--fail-fast", is_flag=True, help="End at the first broken law.")
@click.option(
    "--restart",
    metavar="COMMAND",
    help="Ends the executor and starts it again, to see what it remembers; what is launched needs none.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="The seed of the random lines.")
@map_option
@click.option("--allow-remote", is_flag=True, help="Allow an address on another computer.")
@click.option("--list", "listing", is_flag=True, help="List the checks and their laws, and run none.")
@json_option
def conformance(
    address: str | None,
    launch: str | None,
    token: str | None,
    probe: str | None,
    only: tuple[str, ...],
    limit: float,
    fail_fast: bool,
    restart: str | None,
    seed: int,
    map_: str | None,
    allow_remote: bool,
    listing: bool,
    as_json: bool,
) -> int:
    """Test every law of the protocol on the executor at ADDRESS: embedded, java, tcp://HOST:PORT, tls://HOST:PORT, unix:PATH or
    stdio:COMMAND.

    Exit code 0: it conforms; 3: it does not; 4: there is no executor to test, or some law was not judged: the time was
    over, or this machine too busy. Whether results are true is judged with a --probe, or by asking an executor that
    offers the feature probe; whether requests outlive a restart with --restart or --launch.

    \b
    Examples:
      volition conformance tcp://127.0.0.1:5001
      volition conformance --launch "java -jar my-game.jar" --only framing --only ids
      volition conformance tcp://127.0.0.1:5001 --probe my_game.probe:GameProbe
      volition conformance tcp://127.0.0.1:5001 --restart "systemctl --user restart my-game"
      volition conformance embedded --json > report.json
    """
    from volition.cli.show.execution import print_checks
    from volition.cli.show.live import progress as showing
    from volition.cli.show.live import show_report
    from volition.execution.conformance import check
    from volition.execution.conformance.laws import select_checks
    from volition.execution.conformance.reach import reach
    from volition.execution.worlds.arena.probe import ArenaProbe

    chosen = select_checks(only or None)
    if listing:
        print_checks(chosen, as_json=as_json)
        return DONE
    if (address is None) == (launch is None):
        raise click.UsageError("Name either an ADDRESS or a program to --launch.")
    reader = None if probe is None else _load_probe(probe)
    as_lines = not as_json and not sys.stdout.isatty()
    with (
        reach(
            address or "embedded",
            launch=launch,
            restart=restart,
            token=token,
            map=map_,
            seed=seed,
            allow_remote=allow_remote,
        ) as way,
        showing(len(chosen), on=sys.stderr, lines=as_lines) as progress,
    ):
        report = check(
            way.dial, token=token, seed=seed, only=only or None, limit=limit, fail_fast=fail_fast, clock=way.clock,
            probe=reader, known_probes=(ArenaProbe(),), shared=way.shared, restart=way.restart,
            trying=progress.trying, tell=progress.tell,
        )  # fmt: skip
    if as_json:
        print_json(report.to_data(), indent=2)
    elif as_lines:
        click.echo(report.summary)
    else:
        show_report(report)
    return DONE if report.holds else NEEDS_A_PERSON if report.broken else MISSING_PART


def _load_probe(reference: str) -> Probe:
    """The probe that MODULE:CLASS names: an instance of the class, or the object itself if it is not a class."""
    from volition.core.errors import refuse
    from volition.execution.conformance import Probe

    named = load_reference(reference, "--probe")
    probe = named() if isinstance(named, type) else named
    lacking = [name for name in vars(Probe) if not name.startswith("_") and not hasattr(probe, name)]
    if lacking:
        refuse(
            f"{reference} lacks {', '.join(lacking)}",
            where="--probe",
            expected="a class with the methods of volition.execution.conformance.Probe",
            remedy="see docs/conformance-kit.md",
        )
    return cast("Probe", probe)

"""`volition govern`: judge the plans of several agents together, before anything runs."""

from __future__ import annotations

import click

from volition.cli.govern.drafts import example, new, seal
from volition.cli.govern.evaluation import answer, evaluate, validate
from volition.cli.govern.look import diff, explain, gates, graph, radar, verify
from volition.cli.govern.outlines import parts

__all__ = ["govern"]


@click.group()
def govern() -> None:
    """Judge the plans of several agents together, before anything runs. Nothing here can execute a plan.

    \b
    Examples:
      volition govern new intent "Add logging" --project shop --file routes.py
      volition govern evaluate set.json --out evaluated
      volition govern radar plans
    """


for _command in (evaluate, validate, answer, new, seal, example, parts, explain, verify, diff, graph, gates, radar):
    govern.add_command(_command)

"""Replay one simulation: `python -m tests.execution.simulation --seed N --intents M`."""

from __future__ import annotations

import argparse
import sys

from tests.execution.simulation.run import Simulation

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--seed", type=int, required=True)
arguments.add_argument("--intents", type=int, default=5000)
asked = arguments.parse_args()
report = Simulation(asked.seed, asked.intents).run()
sys.stdout.write(f"{report}\n")
sys.exit(bool(report.broken))

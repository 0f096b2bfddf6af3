"""What every test may use: requirement tracing, and pytest's own test bench for plugins."""

from __future__ import annotations

pytest_plugins = ["pytester", "tests.conformance"]

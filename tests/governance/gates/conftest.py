"""Gates C and E judge the evaluator by itself, and E starts a process for it; most tests here are about documents."""

from __future__ import annotations

import pytest

from volition.governance.gates import gates
from volition.governance.gates.gates import GateVerdict


@pytest.fixture
def documents_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gates that judge the evaluator pass unseen."""
    monkeypatch.setattr(gates, "gate_c", lambda fixtures: GateVerdict("C", ()))
    monkeypatch.setattr(gates, "gate_e", lambda function, out, *arguments: GateVerdict("E", ()))

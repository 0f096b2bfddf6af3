"""The API is what its OpenAPI document says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from tests.studio.conftest import RUN
from volition.drama import scenario
from volition.drama.ensemble import EnsemblePlan, sweep

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served

APART = {
    ("post", "/api/v1/play"),
    ("post", "/api/v1/drives"),
    ("get", "/api/v1/runs/{run_id}/live"),
    ("get", "/api/v1/drives/{drive_id}/live"),
    ("get", "/api/v1/runs/{run_id}/export.html"),
}
"""Operations that start work, stream, or do not return JSON: they have separate tests."""
CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def document(served: Served) -> Any:
    return served.get("/openapi.json")


@pytest.fixture(scope="module")
def ensemble(served: Served, folder: Path) -> str:
    """The id of a small ensemble: two points, an evening each."""
    plan = EnsemblePlan.of(scenario("dinner-party"), (1,), grid={"evening.ticks": (2, 3)})
    sweep(plan, folder / "explored", engine="here", path="interpreted", format="csv")
    records = served.get("/records?kind=ensemble")["records"]
    (id,) = (one["id"] for one in records if one["name"] == "explored")
    return str(id)


def test_every_route_is_described(document: Any) -> None:
    """Each operation has a summary, its refusals, and the shape of its answer."""
    for path, operations in document["paths"].items():
        assert path.startswith("/api/v1/")
        for operation in operations.values():
            assert operation["summary"]
            assert {"400", "401", "403", "404", "409", "413", "415", "429", "503"} <= set(operation["responses"])
    assert {"/api/v1/records", "/api/v1/runs/{run_id}", "/api/v1/govern", "/api/v1/drives", "/api/v1/decide"} <= set(
        document["paths"]
    )


def test_no_request_breaks_the_api(served: Served, document: Any, ensemble: str) -> None:
    """Any request to any operation gets an answer that the document describes, for unknown and for real ids."""
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=f"http://127.0.0.1:{served.port}")
    drive = served.post("/drives", {"pace": "fast", "steps": 5, "journal": False})["id"]
    real = {"run_id": RUN, "record_id": RUN, "agent": "victor", "drive_id": drive, "step": 3, "ensemble_id": ensemble}
    operations: list[Any] = [found.ok() for found in schema.get_all_operations()]  # type: ignore[union-attr]
    explored = [one for one in operations if (one.method.lower(), one.path) not in APART]
    assert len(explored) == len(operations) - len(APART) >= 20
    for operation in explored:
        _explore(operation, {})
        if "{" in operation.path:
            _explore(operation, real)


def _explore(operation: Any, real: dict[str, Any]) -> None:
    """Send valid and invalid requests, with these ids in place of generated ones."""

    @settings(
        max_examples=3,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
    )
    @given(case=operation.as_strategy())
    def explore(case: Any) -> None:
        case.path_parameters.update({key: value for key, value in real.items() if key in case.path_parameters})
        case.call_and_validate(checks=CHECKS)

    explore()

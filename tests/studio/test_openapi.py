"""The API is what its OpenAPI document says."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.studio.conftest import RUN
from volition.drama import scenario
from volition.drama.ensemble import EnsemblePlan, sweep
from volition.studio.openapi import EXAMPLES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served

APART = {
    ("post", "/api/v1/play"),
    ("post", "/api/v1/games"),
    ("post", "/api/v1/ensembles"),
    ("get", "/api/v1/ensembles/{ensemble_id}/live"),
    ("post", "/api/v1/drives"),
    ("get", "/api/v1/runs/{run_id}/live"),
    ("get", "/api/v1/runs/{run_id}/significance/live"),
    ("get", "/api/v1/drives/{drive_id}/live"),
    ("get", "/api/v1/changes/live"),
    ("get", "/api/v1/runs/{run_id}/export.html"),
}
"""Operations that start work, stream, or do not return JSON: they have separate tests."""


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


def test_every_shape_is_described(document: Any) -> None:
    """Each schema, each property and each parameter has a description."""
    schemas = document["components"]["schemas"]
    assert len(schemas) > 100
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []
    undescribed = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, content in schema.get("properties", {}).items()
        if not content.get("description")
    ]
    assert undescribed == []
    body = document["paths"]["/api/v1/govern"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert all(content["description"] for content in body["properties"].values())


def test_operations_are_named(document: Any) -> None:
    """Operation ids are verbs with an object, each once; those of the main bodies have examples, which the API understands."""
    ids = [one["operationId"] for operations in document["paths"].values() for one in operations.values()]
    assert len(ids) == len(set(ids))
    assert {"decide", "list_records", "read_run", "read_tick", "fork_run", "answer_flow", "list_acts"} <= set(ids)
    assert all(re.fullmatch("decide|[a-z]+(_[a-z]+)+", one) for one in ids)
    assert set(EXAMPLES) <= set(ids)


def test_examples_fit_their_bodies(served: Served, document: Any) -> None:
    """Every example has the shape that the document says: it may lead nowhere, and is never misunderstood."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            if (method, path) in APART:
                continue
            for example in body.get("examples", {}).values():
                answer = served.client.request(method, re.sub(r"\{[a-z_]+\}", "1", path), json=example["value"])
                assert answer.status_code in {200, 404} or operation["operationId"] == "evaluate_plans", answer.text


def test_the_token_is_in_the_document(document: Any) -> None:
    """The document says how a token is sent, and that none is needed on loopback."""
    schemes = document["components"]["securitySchemes"]
    assert {one["type"] for one in schemes.values()} == {"http", "apiKey"}
    assert document["security"] == [{}, *({name: []} for name in schemes)]


def test_streams_name_their_payloads(document: Any) -> None:
    """What an event carries is a named shape."""
    for path, payloads in (
        ("runs/{run_id}", {"Lived", "LiveEnd"}),
        ("drives/{drive_id}", {"DriveStep", "LatencyShape", "DriveShape"}),
        ("ensembles/{ensemble_id}", {"SweepProgress", "SweepEnd"}),
    ):
        told = document["paths"][f"/api/v1/{path}/live"]["get"]["responses"]["200"]["content"]["text/event-stream"]
        assert {one["$ref"].rpartition("/")[2] for one in told["schema"]["oneOf"]} == payloads


def test_every_get_answers_head(served: Served, document: Any) -> None:
    """HEAD is answered wherever GET is, with the same status."""
    for path, operations in document["paths"].items():
        if "get" in operations and ("get", path) not in APART:
            at = re.sub(r"\{[a-z_]+\}", "1", path)
            assert served.client.head(at).status_code == served.client.get(at).status_code


def test_no_request_breaks_the_api(served: Served, folder: Path, document: Any, ensemble: str) -> None:
    """Any request to any operation gets an answer that the document describes, for unknown and for real ids; what may be removed
    is a copy."""
    import requests
    import schemathesis  # heavy, and needed here alone
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

    checks = [not_a_server_error, status_code_conformance, response_schema_conformance]
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=f"http://127.0.0.1:{served.port}")
    drive = served.post("/drives", {"pace": "fast", "steps": 5, "journal": False})["id"]
    real = {"run_id": RUN, "record_id": RUN, "agent": "victor", "drive_id": drive, "step": 3, "ensemble_id": ensemble}
    for copy in ("spare", "gone"):
        shutil.copytree(folder / "volition-runs" / RUN, folder / "volition-runs" / copy)
    real["removed_id"] = served.client.delete("/api/v1/records/gone").json()["id"]
    operations: list[Any] = [found.ok() for found in schema.get_all_operations()]  # type: ignore[union-attr]
    explored = [one for one in operations if (one.method.lower(), one.path) not in APART]
    assert len(explored) == len(operations) - len(APART) >= 20
    with requests.Session() as session:
        session.trust_env = False
        for operation in explored:
            ids = {**real, "record_id": "spare"} if operation.method.lower() == "delete" else real
            _explore(operation, ids, checks, session)


def _explore(operation: Any, real: dict[str, Any], checks: list[Any], session: Any) -> None:
    """Send valid and invalid requests, each with generated ids and with these in place of them."""

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
        case.call_and_validate(checks=checks, session=session)
        if ids := {key: value for key, value in real.items() if key in case.path_parameters}:
            case.path_parameters.update(ids)
            case.call_and_validate(checks=checks, session=session)

    explore()

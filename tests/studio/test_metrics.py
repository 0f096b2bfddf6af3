"""Metrics: what a monitoring system reads is what happened, whoever asked and however they were answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from tests.studio.served import serving, wait_for
from tests.studio.test_inbox import save_sample
from volition.drama import play, scenario

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served

Labels = tuple[tuple[str, str], ...]


def samples(studio: Served, **headers: str) -> dict[tuple[str, Labels], float]:
    """Every number by its name and its labels, as a monitoring system reads them."""
    answer = studio.client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.text)
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value for family in families for sample in family.samples
    }  # fmt: skip


def requests(studio: Served) -> dict[Labels, float]:
    """How many requests were answered, by method, route and status."""
    return {labels: value for (name, labels), value in samples(studio).items() if name == "volition_requests_total"}


def counted(method: str, route: str, status: int) -> Labels:
    return (("method", method), ("route", route), ("status", str(status)))


def test_every_answer_is_counted_under_its_route(tmp_path: Path) -> None:
    """Answers and refusals are counted by method, route and status, ids are not told apart, and what nobody has is one route: nobody
    can make the numbers grow by inventing addresses or methods."""
    with serving(tmp_path) as studio:
        for id in ("one", "two", "three"):
            assert studio.client.get(f"/api/v1/records/{id}").status_code == 404
        studio.get("/records")
        studio.client.head("/api/v1/records")
        studio.client.get("/api/v1/records", headers={"host": "evil.example"})
        for number in range(4):
            studio.client.get(f"/api/v1/no/such/address/{number}")
            studio.client.request(f"INVENTED{number}", "/api/v1/records")
        found = requests(studio)
        assert found[counted("GET", "/api/v1/records/{record_id}", 404)] == 3
        assert found[counted("GET", "/api/v1/records", 200)] == 1
        assert found[counted("HEAD", "/api/v1/records", 200)] == 1
        assert found[counted("GET", "other", 403)] == 1
        assert found[counted("GET", "other", 404)] == 4
        invented = {labels: value for labels, value in found.items() if labels[0] == ("method", "other")}
        assert (len(invented), sum(invented.values())) == (1, 4)
        timed = samples(studio)
        begun = ("volition_request_seconds_count", (("method", "GET"), ("route", "/api/v1/records/{record_id}")))
        assert timed[begun] == 3


def test_it_says_what_is_there(tmp_path: Path) -> None:
    """Records by kind with their size, what is in the bin, what people are asked, and whether the registry can be read."""
    play(scenario("dinner-party"), 1, ticks=3).save(tmp_path / "volition-runs" / "one")
    with serving(tmp_path, registry=str(tmp_path / "missing.db")) as studio:
        save_sample(studio)
        before = samples(studio)
        assert before["volition_records", (("kind", "run"),)] == 1
        assert before["volition_records", (("kind", "evaluation"),)] == 1
        size = sum(one["bytes"] for one in studio.get("/records")["records"])
        assert before["volition_record_bytes", ()] == size
        assert before["volition_inbox_items", (("state", "open"),)] == 1
        assert before["volition_registry_readable", ()] == 0
        assert before["process_resident_memory_bytes", ()] > 0
        assert studio.client.delete("/api/v1/records/one").status_code == 200
        after = samples(studio)
        assert after["volition_records", (("kind", "run"),)] == 0
        assert after["volition_record_bytes", ()] + after["volition_removed_bytes", ()] == size


def test_streams_and_work_are_counted_while_they_last(tmp_path: Path) -> None:
    """An open stream counts as one, and as a request since it began; when it is closed it does not count any more."""
    with serving(tmp_path) as studio:
        assert samples(studio)["volition_streams", ()] == 0
        with studio.client.stream("GET", "/api/v1/changes/live") as stream:
            lines = stream.iter_lines()  # kept: without it the stream would be closed
            next(lines)
            now = samples(studio)
            assert now["volition_streams", ()] == 1
            assert now["volition_requests_total", counted("GET", "/api/v1/changes/live", 200)] == 1
            assert now["volition_jobs", (("kind", "evening"),)] == 0
            assert now["volition_tasks", (("state", "waiting"),)] == 0
        wait_for(lambda: samples(studio)["volition_streams", ()] == 0, "the stream to end")


def test_the_numbers_are_for_those_who_have_the_token(tmp_path: Path) -> None:
    """Where a token is needed, the numbers need it too; a monitoring system sends it in a header."""
    token = "t" * 24
    with serving(tmp_path, token=token) as studio:
        assert studio.client.get("/metrics").status_code == 401
        found = samples(studio, authorization=f"Bearer {token}")
        assert found["volition_requests_total", counted("GET", "other", 401)] == 1

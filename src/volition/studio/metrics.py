"""How the studio is doing, in numbers that a monitoring system collects: requests and how long they took, streams, work in the
background, records, and what people are asked.

Requests are counted where they come in, so that what the gate refuses is counted too. Everything else is looked up when the
numbers are asked for, and nothing is kept for it.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, get_args

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_1_0_0
from prometheus_client.registry import Collector

from volition.studio.records import Kind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from prometheus_client import Metric

    from volition.studio.background import BackgroundJob
    from volition.studio.exchange import Receive, Scope, Send
    from volition.studio.studio import Studio

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_1_0_0
METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
OTHER: Final = "other"
"""The label of methods and addresses that the studio does not have: anybody may invent more of them."""
ROUTE: Final = "volition.route"
"""Where a request's scope has a list for the address of the route that answers it, with names for its parts."""
SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The bounds of the histogram: a page takes a few milliseconds, and expensive work may wait for its turn."""


class Metrics:
    """The numbers of one studio."""

    def __init__(self, studio: Studio, count_streams: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "volition_requests", "Requests that were answered.", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "volition_request_seconds", "Seconds until an answer began.", ["method", "route"], buckets=SECONDS, registry=self._registry
        )  # fmt: skip
        ProcessCollector(registry=self._registry)
        self._registry.register(StudioCollector(studio, count_streams))

    def text(self) -> bytes:
        """All numbers in the text format of Prometheus."""
        return generate_latest(self._registry)

    async def measure(
        self,
        answer: Callable[[Scope, Receive, Send], Awaitable[None]],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer a request, and count it when its answer begins; one that nobody waited for is not counted."""
        began = perf_counter()
        method = scope["method"] if scope["method"] in METHODS else OTHER
        routes: list[str] = []

        async def send_counted(message: Any) -> None:
            if message["type"] == "http.response.start":
                route = routes[0] if routes else OTHER
                self._requests.labels(method, route, message["status"]).inc()
                self._seconds.labels(method, route).observe(perf_counter() - began)
            await send(message)

        await answer({**scope, ROUTE: routes}, receive, send_counted)


class StudioCollector(Collector):
    """What the studio has at the moment at which it is asked."""

    def __init__(self, studio: Studio, count_streams: Callable[[], int]) -> None:
        self._studio, self._count_streams = studio, count_streams

    def collect(self) -> Iterator[Metric]:
        studio = self._studio
        yield GaugeMetricFamily("volition_streams", "Event streams that are open.", value=self._count_streams())
        jobs: dict[str, Sequence[BackgroundJob]] = {
            "evening": studio.plays.all(),
            "drive": studio.drives.all(),
            "ensemble": studio.sweeps.all(),
            "significance": studio.mattering.jobs.all(),
        }
        running = {kind: sum(job.is_running for job in known) for kind, known in jobs.items()}
        yield _gauge("volition_jobs", "What runs in the background.", "kind", running)
        yield _gauge("volition_tasks", "Expensive requests.", "state", studio.tasks.counts())
        stored = studio.store.all()
        kinds = [studio.catalogue.kind(record) for record in stored]
        counts: dict[str, int] = {kind: kinds.count(kind) for kind in get_args(Kind)}
        yield _gauge("volition_records", "Records in the folder.", "kind", counts)
        size = sum(record.bytes for record in stored)
        yield GaugeMetricFamily("volition_record_bytes", "The size of all records.", value=size)
        removed = sum(record.bytes for record in studio.bin.all())
        yield GaugeMetricFamily("volition_removed_bytes", "The size of what is in the bin.", value=removed)
        inbox = studio.inbox.show()
        asked = {"open": inbox.counts.open, "answered": inbox.counts.answered, "over": inbox.counts.over}
        yield _gauge("volition_inbox_items", "What people are asked.", "state", asked)
        readable = inbox.problem is None
        yield GaugeMetricFamily("volition_registry_readable", "Whether the registry can be read.", value=int(readable))


def _gauge(name: str, about: str, label: str, values: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(name, about, labels=[label])
    for value, count in values.items():
        family.add_metric([value], count)
    return family

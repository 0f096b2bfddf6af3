"""Ray as the crew of an ensemble: cores of this machine, or of the cluster that RAY_ADDRESS names."""

from __future__ import annotations

import logging
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import MissingPart
from volition.core.extras import install_line
from volition.drama.ensemble.paths import INTERPRETED
from volition.drama.ensemble.processes import WorkerLost
from volition.drama.ensemble.work import Done, Job, Span, play_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.ensemble.plan import EnsemblePlan

STORE: Final = 80 * 2**20
"""Size in bytes of a local Ray's object store; the frames it holds are small."""


class RayPool:
    """Ray tasks. A Ray that is already running is used and left running; one that was started here is shut down."""

    def __init__(self, plan: EnsemblePlan, workers: int, path: str = INTERPRETED) -> None:
        ray = self._ray = _import_ray()
        job = Job(plan, path)
        job.pack()  # a term that cannot be pickled is refused here, with a message, and not by Ray
        self._ours = not ray.is_initialized()
        if self._ours:
            _start(ray, workers)
        try:
            cores = int(ray.cluster_resources().get("CPU", 1))
            self.most = 2 * (max(workers, cores) if os.environ.get("RAY_ADDRESS") else min(workers, cores))
            self._job = ray.put(job)
            # No retries by Ray: the caller notices a lost task, tells the user, and plays its span again.
            self._task = ray.remote(max_retries=0)(_play)
        except BaseException:
            self.close()
            raise

    def ask(self, span: Span, seconds: float) -> Any:
        return self._task.remote(self._job, span, seconds)

    def first(self, handles: Sequence[Any]) -> Any:
        (handle, *_), _ = self._ray.wait(list(handles), num_returns=1)
        return handle

    def answer(self, handle: Any) -> Done:
        errors = self._ray.exceptions
        try:
            done: Done = self._ray.get(handle)
        except errors.RayTaskError as error:
            raise error.cause from None
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError, errors.OutOfMemoryError):
            raise WorkerLost(handle) from None
        return done

    def renew(self) -> bool:
        return False

    def close(self) -> None:
        if self._ours:
            self._ray.shutdown()


def _play(job: Job, span: Span, seconds: float) -> Done:
    return play_span(job.token, lambda: job, span, seconds)


def _start(ray: Any, workers: int) -> None:
    """Join the cluster that RAY_ADDRESS names, or start a small local Ray without dashboard, reports or logs."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if os.environ.get("RAY_ADDRESS"):
        ray.init(log_to_driver=False, logging_level=logging.ERROR)
    else:
        ray.init(
            num_cpus=workers,
            include_dashboard=False,
            object_store_memory=STORE,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )


def _import_ray() -> Any:
    try:
        return import_module("ray")
    except ModuleNotFoundError:
        raise MissingPart.of(
            "ray is not installed",
            where="this Python environment",
            expected="the extra 'ray'",
            remedy=f"{install_line('ray')}; or use --engine process",
        ) from None

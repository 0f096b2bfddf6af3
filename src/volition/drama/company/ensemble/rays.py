"""Ray as the crew of an ensemble: cores of this machine, or of a cluster that RAY_ADDRESS names."""

from __future__ import annotations

import logging
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import MissingPart
from volition.drama.company.ensemble.crews import Lost
from volition.drama.company.ensemble.paths import SCALAR
from volition.drama.company.ensemble.work import Job, played

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.company.ensemble.plan import Plan
    from volition.drama.company.ensemble.work import Done, Span

STORE: Final = 80 * 2**20
"""Bytes of the object store of a local Ray: lines are small."""


class RayCrew:
    """Tasks of Ray. One that is running already is used and left running; a local one of our own is shut down."""

    def __init__(self, plan: Plan, workers: int, path: str = SCALAR) -> None:
        ray = self._ray = _ray()
        job = Job(plan, path)
        job.packed()
        self._ours = not ray.is_initialized()
        if self._ours:
            _start(ray, workers)
        try:
            cores = int(ray.cluster_resources().get("CPU", 1))
            self.most = 2 * (max(workers, cores) if os.environ.get("RAY_ADDRESS") else min(workers, cores))
            self._job = ray.put(job)
            # A task that is lost is noticed and played again by whoever asked, so Ray itself does not.
            self._task = ray.remote(max_retries=0)(played)
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
            raise Lost(handle) from None
        return done

    def renew(self) -> bool:
        return False

    def close(self) -> None:
        if self._ours:
            self._ray.shutdown()


def _start(ray: Any, workers: int) -> None:
    """Join the cluster that is named, or start a small Ray here: no dashboard, no reports, no talk."""
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


def _ray() -> Any:
    try:
        return import_module("ray")
    except ModuleNotFoundError:
        raise MissingPart.of(
            "ray is not installed",
            where="this Python environment",
            expected="the extra 'ray'",
            remedy="pip install 'volition[ray]', or use --engine process",
        ) from None

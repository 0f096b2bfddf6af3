"""The flows of the comparison on DBOS, in a separate environment: a step is recorded after it has happened, and one that was
cut off is done again. `benchmarks/workflow.py` runs this."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from engine import CHAIN, STEPS, Site, run_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DELIVERED = "yes"


def program(database: str) -> list[str]:
    """Three steps with an approval; its lines are counted."""
    from dbos import DBOS, DBOSPortableJSONSerializer, SetWorkflowID

    done = []

    @DBOS.step()
    def act(step: str) -> None:
        done.append(step)

    @DBOS.workflow(max_recovery_attempts=None)
    def ship() -> None:
        if DBOS.recv("approval", timeout_seconds=3600) == "pat":
            for step in ("build", "test", "ship"):
                act(step)

    DBOS(
        config={
            "name": "shop", "system_database_url": database, "application_version": "1", "executor_id": "ann",
            "serializer": DBOSPortableJSONSerializer(), "log_level": "ERROR",
        }
    )  # fmt: skip
    DBOS.launch()
    with SetWorkflowID("ship the shop"):
        flow = DBOS.start_workflow(ship)
    DBOS.send("ship the shop", "pat", "approval")
    flow.get_result()
    DBOS.destroy()
    return done


class DbosEngine:
    """Workflows of DBOS, which are registered before it is launched."""

    def __init__(self, site: Site) -> None:
        from dbos import DBOS

        @DBOS.step()
        def act(number: int, step: str) -> None:
            if why := site.order(f"flow {number} {step}", f"{DBOS.workflow_id} {step}"):
                raise RuntimeError(why)

        @DBOS.workflow(max_recovery_attempts=None)
        def chain(number: int) -> None:
            for step in range(CHAIN):
                act(number, f"step {step}")

        @DBOS.workflow(max_recovery_attempts=None)
        def flow(number: int) -> None:
            if DBOS.recv("approval", timeout_seconds=3600) == DELIVERED:
                for step in STEPS:
                    act(number, step)

        self._chain, self._flow = chain, flow

    def chain(self, number: int) -> Callable[[], object]:
        return lambda: self._start(self._chain, "chain", number).get_result()

    def finish(self, number: int) -> None:
        from dbos import DBOS

        handle = self._start(self._flow, "flow", number)
        DBOS.send(f"flow {number}", DELIVERED, "approval", idempotency_key=f"approve {number}")
        handle.get_result()

    def _start(self, workflow: Any, name: str, number: int) -> Any:
        from dbos import DBOS, SetWorkflowID

        with SetWorkflowID(f"{name} {number}"):
            return DBOS.start_workflow(workflow, number)


@contextmanager
def open_engine(site: Site) -> Iterator[DbosEngine]:
    """DBOS on a database, under one version and one name, so that a process that is started again goes on with what it left."""
    from dbos import DBOS, DBOSPortableJSONSerializer

    DBOS(
        config={
            "name": "comparison", "system_database_url": site.database, "application_version": "1",
            "executor_id": "driver", "serializer": DBOSPortableJSONSerializer(), "log_level": "ERROR",
        }
    )  # fmt: skip
    engine = DbosEngine(site)
    DBOS.launch()
    yield engine
    sys.stdout.flush()
    os._exit(0)  # its threads would keep the interpreter alive


if __name__ == "__main__":
    run_engine(open_engine, program)

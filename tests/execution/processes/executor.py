"""An arena as a program: `python -m tests.execution.processes.executor [--stdio | ADDRESS]`; it prints its address."""

from __future__ import annotations

import sys

from tests.execution.client.bridges import PATIENT
from volition.execution.executor.server import ExecutorServer, standard_pipes
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ArenaExecutor


def main(where: str) -> None:
    executor = ArenaExecutor(Arena(shipped_map("courtyard")), hz=100.0)
    if where == "--stdio":
        with standard_pipes() as (reader, writer):
            server = ExecutorServer.over_pipes(executor, reader=reader, writer=writer, timing=PATIENT)
            with server:
                server.serve()
        return
    with ExecutorServer.listen(where, executor, timing=PATIENT) as server:
        print(server.address, flush=True)  # noqa: T201  its first line says where it listens
        server.serve()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:0")

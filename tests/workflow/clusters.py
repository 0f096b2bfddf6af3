"""A private PostgreSQL cluster for tests, from the system's package; nothing of the system's own server is touched."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.in_memory import place_in_memory
from tests.processes import PATIENCE
from volition.workflow.store.tables import NEWEST

SETTINGS = "-c fsync=off -c full_page_writes=off -c max_connections=60"
"""What survives the end of the server need not survive that of the machine."""


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl; Debian keeps it outside PATH."""
    if found := shutil.which("initdb"):
        return Path(found).parent
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[-3])
    return places[-1].parent if places else None


@dataclass
class Cluster:
    """A server of our own, and a database for each test that asks for one."""

    bin: Path
    folder: Path
    port: int
    made: int = 0

    def call(self, program: str, *arguments: str) -> None:
        """Run a program of PostgreSQL, as a user that it accepts."""
        user = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        done = subprocess.run(
            [*user, str(self.bin / program), *arguments],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "LC_ALL": "C.UTF-8"}, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout.decode()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        places = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.folder}"
        self.call(
            "pg_ctl",
            "-D",
            f"{self.folder}/data",
            "-w",
            "-l",
            f"{self.folder}/log",
            "-o",
            f"{places} {SETTINGS}",
            "start",
        )

    def stop(self) -> None:
        """Kill the server as a failing machine would: nothing is flushed, nobody is told."""
        self.call("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop")

    def address(self, database: str) -> str:
        return f"postgresql://volition@127.0.0.1:{self.port}/{database}"

    def emptied_database(self) -> str:
        """The address of the first database, without a row; emptying one takes a tenth of the time of making one."""
        import psycopg

        tables = "project, member, plan, event, flow, flow_plan, question, answer, permit, node, checkpoint"
        with psycopg.connect(self.address("test_1"), options="-c search_path=volition") as connection:
            connection.execute(f"TRUNCATE {tables}".encode())
            connection.execute(f"UPDATE volition_store SET version = {NEWEST}".encode())
        return self.address("test_1")

    def new_database(self) -> str:
        """The address of a new database."""
        import psycopg

        self.made += 1
        name = f"test_{self.made}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.address(name)


def make_cluster() -> Cluster:
    """A running cluster; the test is skipped, and says so, where there cannot be one."""
    bin = binaries()
    if bin is None:
        pytest.skip("PostgreSQL is not installed: the laws of a team's server are NOT TESTED (package postgresql)")
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        pytest.skip("PostgreSQL does not run as root, and there is no runuser: a team's server is NOT TESTED")
    folder = Path(tempfile.mkdtemp(prefix="volition-pg-", dir=place_in_memory()))
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cluster = Cluster(bin, folder, port)
    cluster.call(
        "initdb", "-D", f"{folder}/data", "-U", "volition", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"
    )
    cluster.start()
    return cluster

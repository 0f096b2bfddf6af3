"""A real executor process is killed in the middle of its work, again and again, and the bridge recovers."""

from __future__ import annotations

import os
import signal
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from tests.execution.client.bridges import eventually
from tests.execution.processes.killing import BRIEF, KILLS, Witness, forking, keep_asking, killing, losses
from tests.execution.processes.programs import serve
from tests.execution.worlds.java.jvm import brief
from volition.core.errors import MissingPart
from volition.execution.client.bridge import Bridge
from volition.execution.transports.address import parse_address
from volition.execution.transports.child import Launched
from volition.execution.transports.endpoint import Endpoint
from volition.execution.wire.session.handshake import NothingListening
from volition.execution.worlds.java import arena_command

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import ForkServerProcess


def drive(endpoint: Endpoint, kill: Callable[[], None]) -> None:
    """Drive an executor that is killed repeatedly, and check the record against the contract."""
    witness = Witness()
    with Bridge(witness.dialling(endpoint.dial), timing=BRIEF, journal=witness) as bridge:
        with killing(kill, witness, Random(11)) as over:
            asked = keep_asking(bridge, Random(5), over.is_set)
        eventually(lambda: bridge.execute("STOP", deadline=60.0).answered)
    witness.check(asked)
    connections, lost, open_then = losses(witness.told)
    assert connections > KILLS
    assert lost >= KILLS
    assert open_then >= KILLS // 2


class Mortal:
    """A Python executor at an address that stays; a test that kills it starts the next one."""

    def __init__(self, address: str) -> None:
        self.address, self.context = address, forking()
        self.process = self.start()

    def start(self) -> ForkServerProcess:
        process = self.context.Process(target=serve, args=(self.address, BRIEF.idle, BRIEF.dead))
        process.start()
        return process

    def end(self) -> None:
        self.process.kill()
        self.process.join()

    def kill(self) -> None:
        self.end()
        self.process = self.start()


@pytest.mark.req("EX-04", "EX-16")
def test_a_python_executor_that_is_killed_costs_no_outcome() -> None:
    """Killed again and again in mid-flight, it leaves no ticket without its one outcome, and every connection begins with
    handshake, full state and STOP."""
    with TemporaryDirectory(prefix="volition-") as folder:
        executor = Mortal(f"unix:{folder}/executor.sock")
        try:
            endpoint = Endpoint(parse_address(executor.address))
            eventually(lambda: _listens(endpoint))
            drive(endpoint, executor.kill)
        finally:
            executor.end()


def _listens(endpoint: Endpoint) -> bool:
    try:
        endpoint.dial(1.0).close()
    except NothingListening:
        return False
    return True


@pytest.mark.req("EX-04", "EX-14", "EX-16")
def test_a_jvm_that_is_killed_costs_no_outcome() -> None:
    """The same law for the Java executor, which the bridge relaunches whenever it has died."""
    try:
        launched = Launched(brief(arena_command(hz=200.0, leash=True)))
    except MissingPart as missing:
        pytest.skip(f"no JDK: {missing}")

    def kill() -> None:
        assert launched.pid is not None
        os.kill(launched.pid, signal.SIGKILL)

    try:
        launched.address(60.0)
        drive(Endpoint(parse_address("java"), launched=launched), kill)
    finally:
        launched.end()

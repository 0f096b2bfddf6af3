"""Several processes at once: one winner for each thing, and a holder that was asleep past its lease."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.plans import PROJECT, document
from tests.workflow.racing import race, register, register_without_locking, winners
from volition.workflow import Store, Team, parse_store_address
from volition.workflow.law.plans import NotHeld

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


FILES = 8
"""How many files are contested."""


@pytest.mark.req("WF-01")
def test_one_winner_for_each_contested_file(place: str) -> None:
    """However many processes want a file at the same time, exactly one is granted it, and no token is given twice.

    benchmarks/workflow.py runs the same with 8 processes and 1,000 files each.
    """
    Store(parse_store_address(place)).close()
    won = race(register, place, processes=4, files=FILES)
    assert winners(won, FILES) == [1] * FILES
    tokens = [token for each in won for _, token in each]
    assert len(set(tokens)) == FILES


@pytest.mark.req("WF-01")
def test_without_locking_there_would_be_several_winners(place: str) -> None:
    """The control: processes that check and insert without a transaction on the project get the same file. So the race is one."""
    Store(parse_store_address(place)).close()
    for _ in range(5):  # a race that nobody happened to lose is run again
        won = race(register_without_locking, place, processes=4, files=FILES)
        if max(winners(won, FILES)) > 1:
            return
        with Store(parse_store_address(place)) as store, store.write() as connection:
            connection.exec_driver_sql("DELETE FROM plan")
    raise AssertionError("no file had two winners")


def hold(place: str, line: Connection) -> None:
    """Register with a short lease, report the token, and try to go on once told."""
    with Store(parse_store_address(place)) as store:
        team = Team(store, PROJECT)
        made = team.register(document("sleeper", "a.py"), "sleeper", lease=0.3)
        assert made.grant is not None
        line.send(made.grant.token)
        said: list[Any] = []
        line.recv()
        for verb in (team.renew, team.finish, team.withdraw):
            try:
                verb("intent_sleeper", made.grant.token)
                said.append("done")
            except NotHeld as error:
                said.append(error.problems[0].what)
        line.send(said)


@pytest.mark.req("WF-02")
def test_a_holder_that_slept_past_its_lease_can_do_nothing(place: str) -> None:
    """A process that is stopped past its lease loses the plan to another; awake again, every write of it is refused."""
    context = get_context("fork")
    here, there = context.Pipe()
    sleeper = context.Process(target=hold, args=(place, there))
    sleeper.start()
    old = here.recv()
    assert sleeper.pid is not None
    os.kill(sleeper.pid, signal.SIGSTOP)
    try:
        with Store(parse_store_address(place)) as store:
            team = Team(store, PROJECT)
            while (made := team.register(document("waking", "a.py"), "waking")).grant is None:
                time.sleep(0.05)
            assert made.grant.token > old
    finally:
        os.kill(sleeper.pid, signal.SIGCONT)
    here.send("go on")
    assert here.recv() == ["the plan is expired"] * 3
    sleeper.join()

"""Two robots need the same junction: judged, one answer, then both act in order, although the driver dies in between."""

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from volition.execution import About, Ended, ExecutorServer, RequestMemory, StateSchema, make_result
from volition.execution.wire.session.handshake import NotReady
from volition.governance import Plan
from volition.workflow import FlowDriver, Flows, LostFlow, Store, Team, open_bridge_door, parse_store_address


class Hall:
    """A hall with two robots in it. Each MOVE is one act, and `log` is what really happened."""

    about = About(
        name="hall", version="1", state_schema=StateSchema(name="hall", version="1", hash="hall-1"), tick_hz=0
    )
    tick, episode, alive = 0, 1, True

    def __init__(self) -> None:
        self.places = {"red": 0.0, "blue": 9.0}
        self.log: list[str] = []

    def attempt(self, attempt: Any) -> list[Any]:
        if attempt.intent.name == "MOVE":
            self.places[attempt.agent] += attempt.intent.vector[0]
            self.log.append(f"{attempt.agent} is at {self.places[attempt.agent]:.0f}")
        return [Ended(attempt, make_result())]

    def cancel(self, attempt: Any) -> list[Any]:
        return [Ended(attempt, make_result("PARTIAL"))]

    def step(self) -> list[Any]:
        return []

    def state(self, *, full: bool) -> Any:
        return dict(self.places)

    def stop(self) -> None:
        """Nothing moves between two acts."""


def flows_in(folder: str) -> tuple[Store, Flows]:
    store = Store(parse_store_address(f"{folder}/team.db"))
    return store, Flows(Team(store, "hall"))


def die_after_two(folder: str) -> None:
    """A driver that is killed when the second act has happened, before it can record that."""
    _, flows = flows_in(folder)
    done = []

    def door(address: str, fences: Any) -> Any:
        opened = open_bridge_door(address, fences)
        act = opened.act

        def act_and_die(order: Any) -> Any:
            result = act(order)
            done.append(result)
            return os._exit(9) if len(done) == 2 else result

        opened.act = act_and_die  # type: ignore[method-assign]
        return opened

    FlowDriver(flows, "first driver", open_door=door, at_once=1, lease=2.0).drive(flows.list()[0].flow_id)


def register(team: Team, robot: str, *, wait: bool) -> str:
    commands = [f"{robot}_enters: write: enter the junction", f"{robot}_leaves: write: leave it"]
    plan = Plan(f"{robot} crosses the hall", project="hall", modules=["service:junction"], commands=commands)
    return team.register(msgspec.json.encode(plan.intent), robot, wait=wait).outcome


def main() -> None:
    hall = Hall()
    with TemporaryDirectory() as folder, RequestMemory(Path(folder) / "requests") as memory:
        server = ExecutorServer.listen(f"unix:{folder}/hall.sock", hall, requests=memory)
        store, flows = flows_in(folder)
        with store, server.running() as address:
            print("red:", register(flows.team, "red", wait=False))
            print("blue:", register(flows.team, "blue", wait=True))
            bindings = "".join(
                f'[[bind]]\nname = "{robot}"\ncommand = "{robot}_*"\nexecutor = "{address}"\nintent = "MOVE"\n'
                f'agent = "{robot}"\nresource = "junction"\nparameters = {{vector = [{step}, 0, 0]}}\ndeadline = 2.0\n\n'
                for robot, step in (("red", 4), ("blue", -4))
            )
            flow = flows.start(bindings, "pat")
            assert flow.pack is not None
            question = flow.pack.questions[0]
            print("the question:", question.question_text.partition("?")[0] + "?")
            flow = flows.answer(flow.flow_id, {question.question_id: question.options[2].option_id}, "pat")
            flow = flows.approve(flow.flow_id, "pat")

            killed = subprocess.run([sys.executable, __file__, folder], check=False)  # noqa: S603  this very file
            print(f"\nthe first driver died with {killed.returncode}:")
            print_nodes(flows)

            # The next driver waits for the lease of the dead one, and asks for the open node again: it was done.
            while (flow := flows.status(flow.flow_id)).state != "done":
                try:
                    FlowDriver(flows, "second driver", at_once=1).drive(flow.flow_id)
                except (LostFlow, NotReady):
                    time.sleep(0.1)
            print("\nthe second driver:")
            print_nodes(flows)
    print("\nwhat really happened:", *hall.log, sep="\n  ")


def print_nodes(flows: Flows) -> None:
    for node in flows.list()[0].nodes:
        print(f"  {node.node_id} {node.plan_id.removeprefix('intent_')}: {node.state}")


if __name__ == "__main__":
    die_after_two(sys.argv[1]) if sys.argv[1:] else main()

"""The flows of the comparison on LangGraph, in a separate environment, with its checkpoints in PostgreSQL, written before each
step goes on (`durability="sync"`). A step whose effect happened before its checkpoint did is done again, and whoever starts
the process again has to find out where it was. `benchmarks/workflow.py` runs this."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypedDict

from engine import CHAIN, STEPS, Site, run_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def program(database: str) -> list[str]:
    """Three steps with an approval; its lines are counted."""
    from langgraph.checkpoint.postgres import PostgresSaver
    from langgraph.graph import START, StateGraph
    from langgraph.types import Command, interrupt

    done = []

    class Shipping(TypedDict):
        approved: str
        passed: str

    def approve(state: Any) -> Any:
        return {"approved": interrupt("may it ship?")}

    def act(step: str) -> Any:
        def do(state: Any) -> Any:
            done.append(step)
            return {"passed": step}

        return do

    graph = StateGraph(Shipping)
    graph.add_sequence([approve, *((step, act(step)) for step in ("build", "test", "ship"))])
    graph.add_edge(START, "approve")
    with PostgresSaver.from_conn_string(database) as saver:
        saver.setup()
        flow = graph.compile(checkpointer=saver)
        place: Any = {"configurable": {"thread_id": "ship the shop"}}
        flow.invoke({"passed": ""}, place, durability="sync")
        flow.invoke(Command(resume="pat"), place, durability="sync")
    return done


class State(TypedDict, total=False):
    """What LangGraph keeps of a flow."""

    number: int
    approved: str
    passed: str


class LangGraphEngine:
    """Graphs with checkpoints."""

    def __init__(self, site: Site, saver: Any) -> None:
        self._site = site
        self._chain = self._build([f"step {number}" for number in range(CHAIN)], saver)
        self._flow = self._build(STEPS, saver, approve_first=True)

    def chain(self, number: int) -> Callable[[], object]:
        return lambda: self._chain.invoke({"number": number}, _place("chain", number), durability="sync")

    def finish(self, number: int) -> None:
        from langgraph.types import Command

        place = _place("flow", number)
        while True:
            state = self._flow.get_state(place)
            if state.values.get("passed") == STEPS[-1] and not state.next:
                return
            begin: Any = None if state.next or state.values else {"number": number}
            waits = any(task.interrupts for task in state.tasks)
            self._flow.invoke(Command(resume="yes") if waits else begin, place, durability="sync")

    def _build(self, steps: Sequence[str], saver: Any, *, approve_first: bool = False) -> Any:
        from langgraph.graph import START, StateGraph
        from langgraph.types import interrupt

        def approve(state: State) -> State:
            return {"approved": interrupt("may it act?")}

        def act(step: str) -> Any:
            def do(state: State) -> State:
                what = f"flow {state['number']} {step}"
                if why := self._site.order(what, what):
                    raise RuntimeError(why)
                return {"passed": step}

            return do

        graph = StateGraph(State)
        order = [("approve", approve)] if approve_first else []
        graph.add_sequence([*order, *((step, act(step)) for step in steps)])
        graph.add_edge(START, "approve" if approve_first else steps[0])
        return graph.compile(checkpointer=saver)


def _place(kind: str, number: int) -> Any:
    return {"configurable": {"thread_id": f"{kind} {number}"}}


@contextmanager
def open_engine(site: Site) -> Iterator[LangGraphEngine]:
    """LangGraph with its checkpoints in a database."""
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(site.database) as saver:
        saver.setup()
        yield LangGraphEngine(site, saver)


if __name__ == "__main__":
    run_engine(open_engine, program)

"""Declared intents: the game describes them, a bridge checks them, and an episode begins again with a seed."""

from dataclasses import dataclass, field
from typing import Any

from volition import InvalidInput
from volition.execution import (
    About,
    Custom,
    Declaration,
    Ended,
    ExecutorServer,
    IncomingIntent,
    StateSchema,
    connect,
    make_result,
    object_schema,
)

DIG = Declaration(
    name="DIG",
    parameters=object_schema(
        at={"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3},
        tool={"type": "string", "enum": ["pick", "spade"]},
    ),
    results=("SUCCESS/NONE", "FAILURE/BLOCKED"),
    description="Dig out one block.",
)


@dataclass
class Quarry:
    """A heap of blocks, every third of them granite; where the granite lies depends on the seed."""

    tick: int = 0
    episode: int = 1
    alive: bool = True
    seed: int = 0
    dug: list[list[int]] = field(default_factory=list)

    @property
    def about(self) -> About:
        schema = StateSchema(name="quarry", version="1", hash="blocks-that-were-dug")
        return About(
            name="quarry",
            version="1.0.0",
            state_schema=schema,
            tick_hz=0.0,
            intents=("STOP",),
            declares=(DIG,),
            resets=True,
            deterministic=True,
        )

    def attempt(self, attempt: IncomingIntent) -> list[Ended]:
        if not isinstance(attempt.intent, Custom):  # STOP: nothing takes time here
            return [Ended(attempt, make_result())]
        at = attempt.intent.parameters["at"]
        granite = (sum(at) + self.seed) % 3 == 0
        if granite and attempt.intent.parameters["tool"] == "spade":
            return [Ended(attempt, make_result("FAILURE", "BLOCKED"))]
        self.dug.append(at)
        return [Ended(attempt, make_result())]

    def reset(self, seed: int) -> None:
        self.seed, self.dug = seed, []
        self.episode += 1

    def cancel(self, attempt: IncomingIntent) -> list[Ended]:
        return []

    def step(self) -> list[Ended]:
        return []

    def state(self, *, full: bool) -> Any:
        return {"dug": self.dug}

    def stop(self) -> None:
        pass


with ExecutorServer.listen("tcp://127.0.0.1:0", Quarry()).running() as address, connect(address) as body:
    for name, declaration in body.declared.items():
        print(f"{name}: {declaration.description} It may end as {', '.join(declaration.results)}.")

    Dig = body.declared["DIG"].make_class()
    for tool in ("spade", "pick"):
        outcome = body.execute(Dig([1, 2, 0], tool), deadline=2.0)
        print(f"with a {tool}: {outcome.status} {outcome.reason}")
    print("dug so far:", body.refresh().data["dug"])

    try:
        Dig(["here"], tool="spoon")
    except InvalidInput as error:
        print("\nnot an intent:")
        for problem in error.problems:
            print(f"  {problem.where}: {problem.what}")

    state = body.reset(seed=1)
    print(f"\nepisode {state.episode}:", state.data)
    print("with a spade:", body.execute("DIG", {"at": [1, 2, 0], "tool": "spade"}, deadline=2.0).status)

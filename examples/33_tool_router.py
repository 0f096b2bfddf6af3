"""A mind from outside as one voter: it may be slow or wrong, it is never waited for long, and a replay does not need it."""

from threading import Event

from volition import CompositeIntention, arbitrate, constraint, heuristic
from volition.minds import Budget, MindRecord, MindSituation, MindVote, voter

TOOLS = {"calculator": 0.01, "search": 0.2, "shell": 0.05, "person": 1.0}
ASLEEP = Event()


@constraint
def permitted(tool: str) -> bool | str:
    return "nobody has approved it" if tool == "shell" else False


@heuristic(weight=0.5)
def cheap(tool: str) -> float:
    return 1.0 - 2.0 * TOOLS[tool]


def model(situation: MindSituation) -> MindVote | None:
    """In place of a language model: it wants the shell, falls asleep, or has a point."""
    if "disk" in situation.words:
        return MindVote("shell", "it is the quickest")
    if "poem" in situation.words:
        ASLEEP.wait()
    if "capital" in situation.words:
        return MindVote("search", "a calculator knows no capitals", tokens=30)
    return None


def router(record: MindRecord, *, replay: bool = False) -> CompositeIntention:
    asked = voter(
        "model",
        model,
        deadline_s=1.0,
        budget=Budget(calls=100, tokens=10_000),
        situation=lambda request: f"Somebody asks: {request}",
        describe=lambda tool, request: f"costs {TOOLS[tool]:.2f}",
        record=record,
        replay=replay,
    )
    return CompositeIntention(permitted, cheap, asked)


requests = ["What is the capital of Peru?", "What is 6 x 7?", "Is the disk full?", "Write a poem."]
record = MindRecord()
composite = router(record)
first = [arbitrate(list(TOOLS), composite, context=request) for request in requests]
for request, decision in zip(requests, first, strict=True):
    print(f"{request}\n  {decision.candidate}: {decision.why().text}")

# What was recorded is all that a replay needs: the mind is not asked.
composite = router(record, replay=True)
again = [arbitrate(list(TOOLS), composite, context=request) for request in requests]
differences = sum(one.to_data() != other.to_data() for one, other in zip(first, again, strict=True))
print(f"\nreplayed without the model: {differences} differences")
print(record.to_bytes(seconds=False).decode().splitlines()[0])
ASLEEP.set()

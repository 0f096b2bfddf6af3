"""Write a constraint or a heuristic as a function, and check whether it keeps the laws."""

from volition import heuristic
from volition.arbitration import check_intention
from volition.arbitration.curves import linear

TREES = [{"id": "oak", "height": 30, "hollow": True}, {"id": "elm", "height": 5, "hollow": False}]


def hollow(tree: dict[str, object]) -> object:
    """A constraint: True forbids."""
    return tree["hollow"]


def tall(tree: dict[str, float]) -> float:
    """A heuristic, or nearly: an oak scores 3."""
    return tree["height"] / 10


@heuristic(id="tall", curve=linear(0, 60))
def tall_enough(tree: dict[str, float]) -> float:
    """The same as a measure; the curve makes it a score."""
    return tree["height"]


seen: list[object] = []


def new(tree: dict[str, object]) -> float:
    """A heuristic that remembers whom it saw, so its second answer is another one."""
    known = tree["id"] in seen
    seen.append(tree["id"])
    return -1.0 if known else 1.0


for intention in (hollow, tall, tall_enough, new):
    print(check_intention(intention, TREES), end="\n\n")

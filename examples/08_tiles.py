"""A tile world: avoid is a constraint, reach a heuristic, and standing still is judged like any other move."""

from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Constraint, Heuristic
from volition.arbitration.interpreter import TacticalInterpreter
from volition.arbitration.tilemap import TileMap
from volition.arbitration.tiles import avoid, reach

WORLD = TileMap.parse(
    """
    ........
    ..~~##..
    ..~~....
    ..~~.##.
    ........
    """
)
interpreter = TacticalInterpreter(WORLD)
seek = CompositeIntention(
    Constraint("safety", avoid("hazard")),
    Heuristic("goal", reach((7, 2), around=["hazard"]), priority=10),
)

position = (1, 2)
for _ in range(20):
    decision = interpreter.decide(position, seek)
    print(f"at {position}: {decision}; vetoed by {list(decision.reason.vetoed_by)}")
    if decision.payload is None:
        break
    position = decision.payload.destination

print("\nin the middle of the hazard, holding would be the forbidden act:")
interpreter.update(TileMap.parse("~~~\n~~~\n~~~", version=1))
lost = CompositeIntention(Constraint("safety", avoid("hazard")))
print(interpreter.decide((1, 1), lost))

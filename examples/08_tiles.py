"""A tile world: avoid is a constraint, reach a heuristic, and standing still is judged like any other move."""

from volition import CompositeIntention, Constraint, Heuristic
from volition.arbitration import TacticalInterpreter, TileMap
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
    Heuristic("goal", reach((7, 2)), priority=10),
)

position = (1, 2)
for _ in range(20):
    decision = interpreter.decide(position, seek)
    print(f"at {position}: {decision}; vetoed by {list(decision.reason.vetoed_by)}")
    if decision.payload is None:
        break
    position = decision.payload.destination

print("\nwhere no path leads to the target, the walker holds and says so:")
interpreter.update(TileMap.parse("..~.\n..~.", version=1))
beyond = CompositeIntention(Constraint("safety", avoid("hazard")), Heuristic("goal", reach((3, 0))))
print(interpreter.decide((0, 0), beyond))

print("\nin the middle of the hazard, holding would be the forbidden act:")
interpreter.update(TileMap.parse("~~~\n~~~\n~~~", version=2))
lost = CompositeIntention(Constraint("safety", avoid("hazard")))
print(interpreter.decide((1, 1), lost))

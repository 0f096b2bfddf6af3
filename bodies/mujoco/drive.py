"""Drive the rover to its goal around the zone, in this process or at an address, and say why.

python -m bodies.mujoco.drive
python -m bodies.mujoco.drive tcp://127.0.0.1:5001
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from volition.execution import connect

from .rover import Rover
from .rover_mind import Mind, drive

if TYPE_CHECKING:
    from volition.arbitration import Decision

    from .rover_mind import Option


def main() -> None:
    """Print every decision before its MOVE is sent, and what became of them."""
    mind = Mind()

    def tell(decision: Decision[Option]) -> None:
        nearest = max(decision.tally.candidates, key=mind.nears)
        if nearest.id in decision.tally.vetoed:
            print(f"  {decision.why_not(nearest.id).text}")
        print(decision.why().text)

    with connect(sys.argv[1]) if len(sys.argv) > 1 else connect(executor=Rover(seed=3)) as body:
        outcomes = drive(body, mind, tell)
        state = body.refresh().data
    print(", ".join(f"{outcome.status}/{outcome.reason}" for outcome in outcomes))
    print(f"at {state['x']:.2f}, {state['y']:.2f}: {'there' if mind.is_there(state) else 'not there'}")


if __name__ == "__main__":
    main()

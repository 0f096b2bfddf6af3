"""A fleet: many bodies in one call, with one deadline, one journal and one summary; and an observer."""

from pathlib import Path
from tempfile import TemporaryDirectory

from volition import InvalidInput
from volition.execution import Fleet, Jump, Move, connect

with TemporaryDirectory() as folder:
    journal = Path(folder) / "journal"
    bodies = {"ann": "embedded", "bob": "embedded", "cid": "embedded"}  # or tcp://HOST:PORT, unix:PATH, java
    with Fleet.connect(bodies, seed=7, journal=journal) as fleet:
        for vector in ((1, 0, 0), (0, 1, 0), (-1, 0, 0)):
            outcomes = fleet.execute({"ann": Move(vector), "bob": Jump(), "cid": "EVADE"}, deadline=2.0)
            print({name: f"{outcome.status} ({outcome.label})" for name, outcome in outcomes.items()})

    found = fleet.summary()
    print(f"{found.attempts} attempts: {found.by_body}")

# An observer sees states and events but cannot send anything, so it cannot disturb the driver.
with connect("embedded", observe=True) as observer:
    state = observer.next_state()
    print(f"tick {state.tick if state else None} was seen")
    try:
        observer.execute(Jump())
    except InvalidInput as error:
        print(error)

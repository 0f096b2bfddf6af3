"""A process that keeps a journal until it is killed: `journal_child.py FOLDER`. It reports what is written."""

from __future__ import annotations

import os
import sys

from tests.execution.journal.journals import CONNECTED, answered, intercepted
from tests.execution.wire.samples import state
from volition.execution.journal.journal import Journal


def main(folder: str) -> None:
    """Tell attempts and states without end, and report the number written as soon as it changes."""
    journal = Journal(folder, bound=256, meta={"policy": "child"})
    journal.tell(CONNECTED)
    reported, ticket = 0, 0
    os.write(1, b"0\n")
    while True:
        ticket += 1
        at = state(ticket // 3, data={"pad": "x" * (ticket * 37 % 900)})
        journal.tell(at)
        journal.tell(intercepted(ticket, "DANCE") if ticket % 7 == 0 else answered(ticket, at=at))
        if (written := journal.written) != reported:
            reported = written
            os.write(1, b"%d\n" % written)


if __name__ == "__main__":
    main(sys.argv[1])

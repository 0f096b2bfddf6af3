"""Exit codes: one table, as data. `volition --help` prints it, docs/exit-codes.md shows it, `main` obeys it."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
BUG: Final = 1
INVALID_INPUT: Final = 2
NEEDS_A_PERSON: Final = 3
MISSING_PART: Final = 4
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141

EXITS: Final[tuple[tuple[int, str], ...]] = (
    (DONE, "Done."),
    (BUG, "A bug in volition."),
    (INVALID_INPUT, "Invalid input; nothing was changed."),
    (
        NEEDS_A_PERSON,
        "A valid answer that needs a person: hold, fail, questions asked, laws or gates not kept, symptoms found, a broken record.",
    ),
    (MISSING_PART, "Something is missing in the environment."),
    (INTERRUPTED, "Interrupted (Ctrl-C)."),
    (PIPE_CLOSED, "The reader closed the pipe before the answer was complete."),
)

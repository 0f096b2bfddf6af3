"""`python -m volition.agents.guard HOME CLIENT` is the hook that clients call."""

from __future__ import annotations

import sys

from volition.agents.guard.hook import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`python -m volition.cli` is `volition`."""

from __future__ import annotations

import sys

from volition.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

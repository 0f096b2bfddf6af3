"""The parts of source files, and which of them a change touches: what claims finer than a file are made of."""

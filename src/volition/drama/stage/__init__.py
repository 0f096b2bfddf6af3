"""All agents act, and the world moves: the tick, its events, and the run that they make."""

"""What it meant: tension, irony, scenes and arcs of a finished run, and its telling."""

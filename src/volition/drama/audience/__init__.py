"""What a finished run meant: its tension, irony, scenes and arcs, and its story as text."""

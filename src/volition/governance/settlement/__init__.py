"""Which plans take priority, which give way, and what is left for a person to decide."""

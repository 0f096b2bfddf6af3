"""Worlds and minds that are shipped as examples: the arena, in Python and in Java, and the pilot that plays in it."""

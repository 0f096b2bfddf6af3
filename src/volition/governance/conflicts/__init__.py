"""Conflicts between intents: found by index, grouped by what is contested."""

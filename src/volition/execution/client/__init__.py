"""The side that decides: one guarded door, the bridges over it, and the transports under it."""

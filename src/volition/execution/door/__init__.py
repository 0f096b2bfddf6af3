"""The guarded door: checks requests, sends them, and gives each exactly one outcome, over any number of connections."""

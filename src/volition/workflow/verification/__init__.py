"""Verification of a registry: the chain of events is whole, the tables are what the events say, and so are the journals."""

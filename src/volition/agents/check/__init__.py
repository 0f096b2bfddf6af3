"""Checks outside of an agent's reach: a difference between commits is held against the plans that were approved."""

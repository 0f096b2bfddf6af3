"""Checks outside of an agent's reach: a difference between commits is checked against the plans that were approved."""

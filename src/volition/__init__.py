"""Volition: the decision layer for autonomous agents."""

__version__ = "0.1.0"

"""Verification of a registry: the chain of events is whole, the tables are what the events say, and so are the journals."""

from volition.workflow.verification.verify import RegistryVerification, verify_archives, verify_registry

__all__ = ["RegistryVerification", "verify_archives", "verify_registry"]

"""Drafts: complete documents from a few arguments."""

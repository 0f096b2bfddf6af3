"""The bridge in an event loop."""

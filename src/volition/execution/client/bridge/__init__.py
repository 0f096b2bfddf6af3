"""The blocking bridge: the caller that waits reads the socket."""

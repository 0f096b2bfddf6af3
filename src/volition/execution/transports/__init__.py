"""Transports: addresses, and blocking streams over TCP, Unix sockets, pipes and memory."""

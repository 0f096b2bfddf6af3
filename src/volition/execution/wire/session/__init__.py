"""The protocol as two state machines, one for each side, without a socket or a clock."""

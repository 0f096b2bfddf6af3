"""The guard: what a coding agent is about to write is judged before the call, and what it wrote is compared after it.

Nothing is imported here, and nothing heavy below: the hook is a process that starts for every call of a tool.
"""

"""Command lines of agents, read before they run: what they are seen to write, and what cannot be known of them.

`reading` walks the tree of a command line, `calls` takes each command for what it does, `commands`, `programs` and `git` say
what those do that are known, and `words` are what all of them are made of.
"""

"""Where coding agents come in: plans are judged before the work, and what was judged is held to.

`mcp` is the server that agents talk to. Nothing is imported here: a hook must start within milliseconds.
"""

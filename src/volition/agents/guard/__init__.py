"""The guard: what a coding agent is about to write is judged before the call, and what it wrote is compared after it.

In the order in which a hook runs: `hook` reads an event in the words of its client (`clients`), `handling` finds the session
(`sessions`, `presence`, `processes`) and where its paths lead (`place`, `shell`), `judge` asks the plans (`index`), and
`unplanned` compares the worktree (`tree`, `marks`, `running`). `journal` records all of it.

Nothing is imported here, and nothing heavy below: the hook is a process that starts for every call of a tool (`lean`).
"""

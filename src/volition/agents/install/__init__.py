"""Arming a repository: hooks and servers in the settings of clients, git hooks, and a doctor who tries them."""

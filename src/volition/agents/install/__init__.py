"""Arming a repository: hooks and servers in the settings of clients, hooks of git, and a doctor who tries them."""

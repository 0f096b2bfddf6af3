"""All worktrees and branches of a repository side by side: what would not merge, beside what the plans declare."""

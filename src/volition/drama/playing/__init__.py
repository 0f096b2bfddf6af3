"""Evenings as their users have them: played, asked, forked, continued, and measured by what would have been."""

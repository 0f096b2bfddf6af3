"""Evenings as their users have them: played, asked, forked, continued, and measured by what would have been."""

from volition.drama.playing.evening import Evening, play, verify_run

__all__ = ["Evening", "play", "verify_run"]

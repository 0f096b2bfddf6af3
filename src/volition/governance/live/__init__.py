"""Plans on their way: a live index of what they claim, and a radar over a folder of them."""

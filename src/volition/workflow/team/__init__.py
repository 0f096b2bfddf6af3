"""The team's registry: who works on what, judged when a plan arrives."""

"""The protocol: intents, results, frames, and the session over one connection."""

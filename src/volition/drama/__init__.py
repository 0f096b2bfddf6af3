"""Many minds in one world: people at a dinner party, each choosing one act a tick."""

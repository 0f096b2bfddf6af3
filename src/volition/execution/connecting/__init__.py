"""From an address to a connected bridge: endpoints by name, the arguments of `connect`, and fleets."""

"""Many decisions at once: the kernel, and what is measured of an evening and its decisions."""

"""Many evenings at once: what to measure of one, an ensemble of them, and a doctor who reads the measures."""

"""One person decides, and may be asked why: what the laws weigh, as an arbitration."""

"""The words of an evening: phrases with conditions, in layers, and what a phrase may take for granted."""

"""How paths, patterns and other names are spelled: text alone, below every document."""

"""What plans claim: which resources, under which names, and what they do there."""

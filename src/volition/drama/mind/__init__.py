"""One agent decides: it perceives, proposes candidates, and arbitrates between them."""

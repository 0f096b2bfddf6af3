"""The ground floor: errors, canonical bytes, keyed chance, clock, documents, ledger."""

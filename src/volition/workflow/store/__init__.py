"""One database, in a file or on a server: tables, migrations, transactions, and a chain of events."""

"""The other side of the wire: a game in Python that a bridge drives, the server for it, and the Java executor."""

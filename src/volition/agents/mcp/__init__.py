"""The server that coding agents talk to: plans are proposed, judged and claimed over the Model Context Protocol."""

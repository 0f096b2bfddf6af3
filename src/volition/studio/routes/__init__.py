"""The routes of the API: each reads a request, makes one call, and returns its result."""

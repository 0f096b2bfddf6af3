"""The routes of the API: each reads what was asked, calls one thing, and gives its shape."""

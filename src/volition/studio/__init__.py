"""The studio: a local web application in which decisions are seen, asked, changed and answered.

Its API is under /api/v1, and its pages are under static/. What it shows is computed by the floors below.
"""

"""The studio: a local web application to look at decisions, ask why, change them and answer questions.

Its API is under /api/v1, its pages are in static/. What it shows is computed by the packages below.
"""

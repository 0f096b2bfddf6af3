"""A rover in MuJoCo that keeps out of a zone: an executor, a mind for it, an environment and a picture. docs/bodies.md"""

"""Drawings of a build: shapes in drawing units, each picture with a table that says the same."""

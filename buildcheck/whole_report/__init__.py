"""A whole report of a build, and what changed between two."""

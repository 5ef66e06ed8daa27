"""Changes that make a failing build pass."""

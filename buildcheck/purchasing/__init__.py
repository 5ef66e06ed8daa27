"""What to order for a build, what it costs, and how quotes compare."""

"""Which choices are in conflict, and the ways out."""

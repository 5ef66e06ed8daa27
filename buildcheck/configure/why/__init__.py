"""Which choices stand in each other's way, and the ways out."""

"""A build with one value varied: the best power limit, and how far each value may go."""

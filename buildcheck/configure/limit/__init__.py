"""A build → what each power limit would do, and the best one for a goal."""

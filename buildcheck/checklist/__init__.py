"""The steps for a build, from before the quote to the hand-over, and its power limits."""

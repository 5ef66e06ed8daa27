"""From a wish to the best build that passes, and from a failing build to what fixes it."""

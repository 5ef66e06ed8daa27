"""From a wish to the best build that passes, and from a broken one to what mends it."""

"""Parts of the catalogue: one with all its values, how much is known of all, files to fill in."""

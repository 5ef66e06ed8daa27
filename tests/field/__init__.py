"""Public builds with known outcomes, and how far the verdicts agree with them."""

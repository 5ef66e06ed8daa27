"""What is looked at in parts of each kind, a module for what belongs together."""

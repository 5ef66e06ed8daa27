"""How far each fact is from turning a verdict."""

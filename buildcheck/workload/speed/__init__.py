"""How fast GPUs are relative to each other, and for their money.

An estimate comes with the range that nine of ten such pairs lie in; it is None where the rates of
a GPU are not known. The model and its errors are those of `facts.speed`.
"""

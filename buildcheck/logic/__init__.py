"""The rule language: a tiny closed grammar, one walker, several readings."""

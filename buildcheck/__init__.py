"""Checks a proposed multi-GPU machine before it is bought."""

__version__ = "0.1.0"

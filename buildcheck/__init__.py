"""Checks a proposed multi-GPU machine before it is bought."""

__version__ = "0.1.0"
#: What a program that an interrupt ended leaves with, as shells have it.
INTERRUPTED = 130

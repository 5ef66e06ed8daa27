"""Quotes of vendors: read from the build file and other files, and compared with its parts."""

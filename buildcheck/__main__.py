"""`python -m buildcheck`."""

from buildcheck.cli import run

run()

"""`python -m buildcheck`."""

from buildcheck.cli import main

main()

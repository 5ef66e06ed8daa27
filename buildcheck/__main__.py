"""`python -m buildcheck`, and the program as it is installed."""

import os

from buildcheck import INTERRUPTED


def run() -> None:
    """The program. An interrupt ends it without a traceback, while it is still loaded as well."""
    try:
        from buildcheck.cli import run as start  # noqa: PLC0415
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    start()


if __name__ == "__main__":
    run()

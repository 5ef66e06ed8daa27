"""`python -m buildcheck`, and the program as it is installed."""

import gc
import os

from buildcheck import INTERRUPTED


def run() -> None:
    """The program. An interrupt ends it without a traceback, while it is still loaded as well."""
    # A run lives for a quarter of a second and frees nothing worth looking for;
    # collecting garbage while importing would take a twentieth of it.
    gc.set_threshold(300_000)
    # Plugins of other packages have no business in reading build files, and looking for
    # them takes pydantic as long as reading one.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from buildcheck.cli import run as start
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    start()


if __name__ == "__main__":
    run()

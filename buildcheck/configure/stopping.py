"""Work that may take long and can be ended in the middle, with what was found so far.

Who works asks between its steps whether to stop. Once the answer is yes it stays so.
"""

from collections.abc import Callable

Stop = Callable[[], bool]


class StoppedError(Exception):
    """It is time to stop; what was found so far is the answer."""


def never() -> bool:
    """It is never stopped."""
    return False


def go_on(stop: Stop) -> None:
    """Ask whether to stop. Raises `StoppedError` if so."""
    if stop():
        raise StoppedError

"""Implausible values of a part: hints for authors of part files.

Three looks at each part: are its values those of such parts (`bounds`), do they agree with
each other (the `checks` of its kind), and do they agree with the parts around it: its chip, its
platform, its siblings. A doubt is a hint and no error: whoever has the
document in hand knows better. What is not known raises no doubt.
"""

from buildcheck.plausible.doubting import doubts
from buildcheck.plausible.files import check_files
from buildcheck.plausible.look import Doubt
from buildcheck.plausible.twins import twins

__all__ = ["Doubt", "check_files", "doubts", "twins"]

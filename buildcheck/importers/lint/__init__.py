"""Implausible values of a part: hints for authors of part files, by `rules/part/<kind>.yaml`.

Are values those of such parts, do they agree with each other, and with the parts around them? A
doubt is a hint and no error: whoever has the document in hand knows better. What is not known
raises no doubt.
"""

"""Part lists as people paste them → build files."""

from buildcheck.importers.part_list.markup import text_of
from buildcheck.importers.part_list.quote import quote_text
from buildcheck.importers.part_list.reading import read_list
from buildcheck.importers.part_list.writing import judge_by_words, to_build

__all__ = ["judge_by_words", "quote_text", "read_list", "text_of", "to_build"]

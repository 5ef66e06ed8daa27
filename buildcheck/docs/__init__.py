"""The reference: rules, files, commands and JSON, as pages made of themselves."""

from buildcheck.docs.site import docs_pages

__all__ = ["docs_pages"]

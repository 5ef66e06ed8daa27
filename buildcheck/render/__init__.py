"""Answers → text, Markdown, pages and drawings. Nothing is judged or measured here."""

"""The nouns: what is read, held and given back. No behaviour beyond their validity."""

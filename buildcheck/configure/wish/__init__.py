"""What is wished for: its words, its file, its options."""

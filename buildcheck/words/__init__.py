"""What people write about parts, taken apart: keys, counts, prices, and what the words hold."""

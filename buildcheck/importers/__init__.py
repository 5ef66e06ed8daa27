"""Parts from elsewhere: open data, pasted lists, part files, and how they are checked."""

"""Reports of runs: one HTML page, and the same as Markdown with pictures."""

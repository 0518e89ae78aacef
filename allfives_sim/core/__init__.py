"""The game, and nothing else: rules, the compiled engine, and records."""

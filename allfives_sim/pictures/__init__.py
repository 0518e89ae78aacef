"""Pictures of the game: layouts, and hands play by play."""

"""What a seat can know of the tiles that it does not see."""

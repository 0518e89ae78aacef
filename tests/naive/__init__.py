"""A plain-Python referee written from the rules page alone; it shares no code with the kernels."""

from .game import check_game, play_game, winner
from .hand import NaiveError, check_hand, play_hand
from .house import random_rules, settings
from .layout import Layout, full_set, read_tile, write_tile
from .settlement import points_of_count, settle

__all__ = [
    "Layout",
    "NaiveError",
    "check_game",
    "check_hand",
    "full_set",
    "play_game",
    "play_hand",
    "points_of_count",
    "random_rules",
    "read_tile",
    "settings",
    "settle",
    "winner",
    "write_tile",
]

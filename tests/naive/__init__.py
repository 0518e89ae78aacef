"""A plain-Python referee written from the rules page alone; it shares no code with the kernels."""

from .game import check_game, play_game, winner
from .hand import NaiveError, check_hand, play_hand
from .house import random_rules, settings
from .layout import Layout
from .settlement import settle

__all__ = [
    "Layout",
    "NaiveError",
    "check_game",
    "check_hand",
    "play_game",
    "play_hand",
    "random_rules",
    "settings",
    "settle",
    "winner",
]

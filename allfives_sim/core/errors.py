"""The one kind of error that users see: a sentence that says what was wrong, where, and what would be valid."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """Something that was given from outside cannot be used; the message is a whole, clear sentence."""


class RulesError(InputError):
    """A switch, a value or a combination of house rules that cannot be played."""


def shown(value: object) -> str:
    """Something from outside as it may stand in a message: not too long, and without control characters.

    >>> shown("x" * 100)
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'
    """
    text = str(value)[:61]
    text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
    return text if len(text) <= 60 else text[:60] + "…"


def unknown(kind: str, name: object, valid: Iterable[str]) -> str:
    """Sentence for a name that does not exist, with the nearest one that does.

    >>> unknown("preset", "maimi", ["article", "miami"])
    "there is no preset 'maimi'; did you mean 'miami'? valid: article, miami"
    """
    names = list(valid)
    near = get_close_matches(str(name), names, n=1, cutoff=0.4)
    guess = f" did you mean '{near[0]}'?" if near else ""
    return f"there is no {kind} '{shown(name)}';{guess} valid: {', '.join(names)}"

"""The answer in a sentence, made from the figures."""

from __future__ import annotations

from typing import Any

from allfives_sim.lab.results import Results

Figures = dict[str, Any]


def answers(results: Results) -> list[str]:
    """What was found, a sentence for each set of rules."""
    houses = dict.fromkeys(pair["rules"] for pair in results.figures)
    several = len(houses) > 1
    found = []
    for house in houses:
        pairs = [pair for pair in results.figures if pair["rules"] == house]
        sentence = of_pair(pairs[0]) if len(pairs) == 1 else of_several(pairs)
        found.append(f"Under {house}: {sentence}" if several else sentence[0].upper() + sentence[1:])
    return found


def of_pair(pair: Figures, interval: str = "95% interval") -> str:
    """Who beats whom, by how much, and how sure that is."""
    deals = f"over {pair['deals']:,} deal{'' if pair['deals'] == 1 else 's'}"
    if not pair["margin_low"] <= pair["margin_high"]:
        return f"{pair['a']} is {pair['margin']:+.1f} points a hand over {pair['b']} {deals}, too few to say more."
    if pair["margin_low"] <= 0 <= pair["margin_high"]:
        return (
            f"{pair['a']} and {pair['b']} cannot be told apart: {pair['margin']:+.2f} points a hand, {interval} "
            f"{pair['margin_low']:+.2f} to {pair['margin_high']:+.2f}, {deals}."
        )
    turned = pair["margin"] < 0
    better, worse = (pair["b"], pair["a"]) if turned else (pair["a"], pair["b"])
    low, high = (-pair["margin_high"], -pair["margin_low"]) if turned else (pair["margin_low"], pair["margin_high"])
    size = f"{abs(pair['margin']):.1f} points a hand, {interval} {low:.1f} to {high:.1f}"
    return f"{better} beats {worse} by {size}, {deals}."


def of_several(pairs: list[Figures]) -> str:
    """Who comes first among several, by the intervals adjusted for all pairs, and how close the next one is."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair["a"], pair["b"])))
    beaten: dict[str, int] = dict.fromkeys(names, 0)
    for pair in pairs:
        beaten[pair["a"]] += pair["margin_low_all"] > 0
        beaten[pair["b"]] += pair["margin_high_all"] < 0
    best = max(names, key=lambda name: beaten[name])
    own = [pair for pair in pairs if best in (pair["a"], pair["b"])]
    closest = min(own, key=lambda pair: pair["margin"] if pair["a"] == best else -pair["margin"])
    wide = closest | {"margin_low": closest["margin_low_all"], "margin_high": closest["margin_high_all"]}
    sentence = of_pair(wide, "95% interval for all pairs at once")
    if beaten[best] < len(own):
        return (
            f"no agent beats all others for certain; {best} beats {beaten[best]} of the {len(own)} that it met. "
            f"Closest: {sentence}"
        )
    return f"{best} beats all of the {len(own)} others. Closest to it: {sentence}"

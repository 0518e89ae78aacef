"""The answer in a sentence, made from the figures."""

from __future__ import annotations

from typing import Any

from allfives_sim.lab.results import Results

Figures = dict[str, Any]
AT_ONCE = "95% interval for all pairs at once"


def answers(results: Results) -> list[str]:
    """What was found, a sentence for each set of rules; at fixed tables for each table."""
    groups: dict[tuple[str, str], list[Figures]] = {}
    for pair in results.figures:
        place = pair["cell"] if results.study.design == "tables" else ""
        groups.setdefault((pair["rules"], place), []).append(pair)
    houses = {house for house, _ in groups}
    places = {place for _, place in groups}
    unit = "paired game" if results.study.games else "deal"
    found = []
    for (house, place), pairs in groups.items():
        where = [f"under {house}"] if len(houses) > 1 else []
        where += [f"at the table {place}"] if len(places) > 1 else []
        sentence = of_pair(pairs[0], unit) if len(pairs) == 1 else of_several(pairs, unit)
        sentence = f"{', '.join(where)}: {sentence}" if where else sentence
        found.append(sentence[0].upper() + sentence[1:])
    return found


def of_pair(pair: Figures, unit: str = "deal", interval: str = "95% interval") -> str:
    """Who beats whom, by how much, and how sure that is."""
    over = f"over {pair['deals']:,} {unit}{'' if pair['deals'] == 1 else 's'}"
    stopped = ", a number that a stopping rule found" if pair.get("outcome") else ""
    low, high = pair["margin_low"], pair["margin_high"]
    if not low <= high:
        return f"{pair['a']} is {pair['margin']:+.1f} points a hand over {pair['b']} {over}, too few to say more."
    digits = 1 if high - low >= 0.3 else 2
    if low == high == 0:
        return f"{pair['a']} and {pair['b']} always score alike, {over}."
    if low <= 0 <= high:
        return (
            f"{pair['a']} and {pair['b']} cannot be told apart: {pair['margin']:+.2f} points a hand for {pair['a']}, "
            f"{interval} {low:+.2f} to {high:+.2f}, {over}{stopped}."
        )
    better, worse = (pair["b"], pair["a"]) if pair["margin"] < 0 else (pair["a"], pair["b"])
    low, high = (-high, -low) if pair["margin"] < 0 else (low, high)
    size = f"{abs(pair['margin']):.{digits}f} points a hand, {interval} {low:.{digits}f} to {high:.{digits}f}"
    return f"{better} beats {worse} by {size}, {over}{stopped}."


def of_several(pairs: list[Figures], unit: str = "deal") -> str:
    """Who comes first among several, by the intervals adjusted for all pairs, and how close the next one is.

    Partners at a table always score alike; they count as neither beaten nor not.
    """
    wide = [pair | {"margin_low": pair["margin_low_all"], "margin_high": pair["margin_high_all"]} for pair in pairs]
    apart = [pair for pair in wide if not pair["margin_low"] == pair["margin_high"] == 0]
    names = list(dict.fromkeys(name for pair in wide for name in (pair["a"], pair["b"])))
    beaten: dict[str, int] = dict.fromkeys(names, 0)
    ahead: dict[str, float] = dict.fromkeys(names, 0.0)
    for pair in apart:
        beaten[pair["a"]] += pair["margin_low"] > 0
        beaten[pair["b"]] += pair["margin_high"] < 0
        ahead[pair["a"]] += pair["margin"]
        ahead[pair["b"]] -= pair["margin"]
    best = max(names, key=lambda name: (beaten[name], ahead[name]))
    own = [pair for pair in apart if best in (pair["a"], pair["b"])]
    if not own:
        return of_pair(wide[0], unit)
    closest = min(own, key=lambda pair: pair["margin"] if pair["a"] == best else -pair["margin"])
    sentence = of_pair(closest, unit, AT_ONCE)
    if beaten[best] < len(own):
        return f"no agent beats all others for certain; {best} beats {beaten[best]} of {len(own)}. Closest: {sentence}"
    others = f"the {len(own)} others" if len(own) > 1 else "the other"
    return f"{best} beats {others}. Closest to it: {sentence}"

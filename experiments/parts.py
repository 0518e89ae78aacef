"""What the parts of `montecarlo` and `expert` are worth (docs/agents.md): each with a part switched off."""

from __future__ import annotations

from typing import Any

from allfives_sim import Rules, compare

VARIANTS = ("", ",prior=0", ",belief=off", ",prior=0,belief=off", ",base=risk", ",base=peek")
OPPONENTS = ("greedy", "risk")
AGAINST = {
    "montecarlo:samples=128": 10_000,
    "ismcts": 2_000,
    "pimc": 2_000,
    "learned": 2_000,
    "expert:learned=off": 2_500,
    "expert:turns=0": 2_500,
    "expert:turns=99": 2_500,
    "expert:base=greedy": 2_500,
    "expert:base=peek": 2_500,
    "expert:base=learned": 2_500,
    "expert:belief=off": 2_500,
    "expert:tells=0": 5_000,
    "expert:prior=0": 2_500,
    "expert:halving=off": 2_500,
    "expert:nodes=0": 2_500,
}
ELSEWHERE = {
    "miami": Rules.preset("miami"),
    "five-up": Rules.preset("five-up"),
    "fives-and-threes": Rules.preset("fives-and-threes"),
    "draw": Rules.preset("draw"),
    "block": Rules.preset("block"),
    "article, 3 players": Rules(players=3),
    "article, 4 players": Rules(players=4),
    "article, partners": Rules(players=4, partners=True),
}


def main() -> None:
    """Print three tables: montecarlo against cheap agents, expert against others and itself, expert elsewhere."""
    print("| | " + " | ".join(f"over `{agent}`" for agent in OPPONENTS) + " |")
    print("|---" * (1 + len(OPPONENTS)) + "|")
    for variant in VARIANTS:
        spec = f"montecarlo:samples=32{variant}"
        cells = [margin(compare([spec, agent], deals=3_000, seed=2026).figures[0]) for agent in OPPONENTS]
        print(f"| `{spec}` | " + " | ".join(cells) + " |", flush=True)
    print()
    print("| `expert` against | its margin | their time a play |")
    print("|---|---|---|")
    own = cost("expert")
    for agent, deals in AGAINST.items():
        pair = compare(["expert", agent], deals=deals, seed=2027).figures[0]
        print(f"| `{agent}` | {margin(pair)} | × {cost(agent) / own:.2f} |", flush=True)
    print()
    print("| `expert` over `montecarlo:samples=128` | its margin |")
    print("|---|---|")
    for name, rules in ELSEWHERE.items():
        pair = compare(["expert", "montecarlo:samples=128"], rules, deals=2_500, seed=2029).figures[0]
        print(f"| {name} | {margin(pair)} |", flush=True)


def margin(figures: dict[str, Any]) -> str:
    """A pair's margin with its 95% interval."""
    return f"{figures['margin']:+.2f} ± {figures['margin_high'] - figures['margin']:.2f}"


def cost(agent: str) -> float:
    """Seconds a play against greedy, on one thread: the least of three."""
    runs = [compare([agent, "greedy"], deals=200, seed=2028, threads=1).figures[0] for _ in range(3)]
    return min(run["seconds"] for run in runs) / runs[0]["plays_per_hand"]


if __name__ == "__main__":
    main()

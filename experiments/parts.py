"""What the parts of `montecarlo` and `expert` are worth (docs/agents.md): each with a part switched off."""

from __future__ import annotations

from typing import Any

from allfives_sim import compare

VARIANTS = ("", ",prior=0", ",belief=off", ",prior=0,belief=off", ",base=risk", ",base=peek")
OPPONENTS = ("greedy", "risk")
AGAINST = {
    "montecarlo:samples=128": 10_000,
    "ismcts": 3_000,
    "pimc": 3_000,
    "learned": 3_000,
    "expert:learned=off": 4_000,
    "expert:turns=0": 4_000,
    "expert:turns=99": 4_000,
    "expert:base=greedy": 4_000,
    "expert:base=peek": 4_000,
    "expert:base=learned": 4_000,
    "expert:belief=off": 4_000,
    "expert:tells=0": 8_000,
    "expert:prior=0": 4_000,
    "expert:halving=off": 4_000,
    "expert:nodes=0": 4_000,
}


def main() -> None:
    """Print two tables: variants of montecarlo against cheap agents, and expert against variants of itself."""
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


def margin(figures: dict[str, Any]) -> str:
    """A pair's margin with its 95% interval."""
    return f"{figures['margin']:+.2f} ± {figures['margin_high'] - figures['margin']:.2f}"


def cost(agent: str) -> float:
    """Seconds a play against greedy, on one thread: the least of three."""
    runs = [compare([agent, "greedy"], deals=200, seed=2028, threads=1).figures[0] for _ in range(3)]
    return min(run["seconds"] for run in runs) / runs[0]["plays_per_hand"]


if __name__ == "__main__":
    main()

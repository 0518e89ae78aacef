"""The ladder of docs/agents.md: every built-in agent's margin over greedy, under several rules, as a Markdown table."""

from __future__ import annotations

from allfives_sim import Rules, compare

HOUSES = {
    "article": Rules(),
    "miami": Rules.preset("miami"),
    "article, 3 players": Rules(players=3),
    "article, partners": Rules(players=4, partners=True),
    "five-up": Rules.preset("five-up"),
}
# Deals for each: fewer for an agent that thinks longer.
AGENTS = {
    "random": 200_000,
    "heaviest": 200_000,
    "defensive": 200_000,
    "risk": 200_000,
    "montecarlo:samples=32": 4_000,
    "montecarlo:samples=128": 2_000,
}


def main() -> None:
    """Print the table, and the hands a second of each agent against greedy on one thread."""
    print("| agent | " + " | ".join(HOUSES) + " | hands a second |")
    print("|---" * (len(HOUSES) + 2) + "|")
    for agent, deals in AGENTS.items():
        cells = []
        for rules in HOUSES.values():
            figures = compare([agent, "greedy"], rules, deals=deals, seed=2026).pairs[0].figures()
            half = figures["margin_high"] - figures["margin"]
            cells.append(f"{figures['margin']:+.2f} ± {half:.2f}")
        speed = compare([agent, "greedy"], deals=max(deals // 10, 200), threads=1).pairs[0].figures()
        print(f"| `{agent}` | " + " | ".join(cells) + f" | {speed['hands_per_second']:,.0f} |", flush=True)


if __name__ == "__main__":
    main()

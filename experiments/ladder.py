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
    "learned": 100_000,
    "endgame:nodes=2000": 40_000,
    "pimc": 2_000,
    "ismcts": 2_000,
    "montecarlo:samples=32": 4_000,
    "montecarlo:samples=128": 2_000,
    "expert": 2_000,
    "peek": 200_000,
    "omniscient": 20_000,
}


def main() -> None:
    """Print the table, with hands a second and cost a play of each agent against greedy on one thread."""
    print("| agent | " + " | ".join(HOUSES) + " | hands a second | µs a play |")
    print("|---" * (len(HOUSES) + 3) + "|")
    for agent, deals in AGENTS.items():
        cells = []
        for rules in HOUSES.values():
            figures = compare([agent, "greedy"], rules, deals=deals, seed=2026, cheats=True).figures[0]
            half = figures["margin_high"] - figures["margin"]
            cells.append(f"{figures['margin']:+.2f} ± {half:.2f}")
        timed = compare([agent, "greedy"], deals=max(deals // 10, 200), threads=1, cheats=True).figures[0]
        speed = timed["hands_per_second"]
        cost = 2e6 / (speed * timed["plays_per_hand"])  # the agent makes half of the plays, and greedy's cost nothing
        print(f"| `{agent}` | " + " | ".join(cells) + f" | {speed:,.0f} | {cost:,.1f} |", flush=True)


if __name__ == "__main__":
    main()

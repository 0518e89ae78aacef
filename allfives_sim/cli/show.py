"""What the commands print."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from allfives_sim.agents import Agent
from allfives_sim.core.game import MAX_HANDS
from allfives_sim.core.rules import Rules
from allfives_sim.core.switches import valid_values, written_value
from allfives_sim.lab.runner import Comparison

if TYPE_CHECKING:
    import pandas as pd


def comparison_json(result: Comparison) -> dict[str, Any]:
    """A comparison as the object that ``--json`` prints."""
    answer: dict[str, Any] = {
        "rules": result.rules.to_dict() | {"players": result.rules.players},
        "seed": result.seed,
        "games": result.games,
        "pairs": [pair.figures() for pair in result.pairs],
    }
    return answer | {"partial": True} if result.partial else answer


def print_comparison(result: Comparison) -> None:
    """A table with a row a pair, and what it is about."""
    figures = [pair.figures() for pair in result.pairs]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("agents", no_wrap=True)
    for heading in ("margin", "95% interval", "hands won", "blocked", "hands/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    if result.games:
        table.add_column("games won", justify="right", no_wrap=True)
    for pair in figures:
        cells = [
            escape(f"{pair['a']} over {pair['b']}"),
            f"{pair['margin']:+.2f}" if pair["margin"] is not None else "–",
            f"{pair['margin_low']:+.2f} to {pair['margin_high']:+.2f}" if pair["margin_low"] is not None else "–",
            f"{_percent(pair['a_wins'])} : {_percent(pair['b_wins'])}",
            _percent(pair["blocked"]),
            f"{pair['hands_per_second']:,.0f}" if pair["hands_per_second"] else "–",
        ]
        if result.games:
            cells.append(f"{_percent(pair.get('a_games'))} : {_percent(pair.get('b_games'))}")
        table.add_row(*cells)
    console = _console()
    console.print(f"\n{result.rules.title}, seed {result.seed}", highlight=False, markup=False)
    console.print(table)
    unfinished = max((pair.get("unfinished_games", 0) for pair in figures), default=0)
    if unfinished:
        console.print(f"up to {_percent(unfinished)} of a pair's games were left unfinished after {MAX_HANDS} hands")
    hands = sum(pair["hands"] for pair in figures)
    deals = sum(pair["deals"] for pair in figures)
    console.print(
        f"{hands:,} hands of {deals:,} paired {'games' if result.games else 'deals'}; margin: points a hand"
        f"{' per seat' if result.rules.players > 2 and not result.rules.partners else ''}; "
        "hands won: most points in the hand, the rest are ties."
        f"{'  PARTIAL: interrupted before all were played.' if result.partial else ''}",
        highlight=False,
    )


def print_presets() -> None:
    """The presets and how each differs from the article's rules."""
    table = Table("preset", "changes to the article's rules", box=box.SIMPLE_HEAD, pad_edge=False)
    for name, changes in Rules.PRESETS.items():
        table.add_row(
            name, ", ".join(f"{switch} {written_value(value)}" for switch, value in changes.items()) or "none"
        )
    _console().print(table)


def print_rules(rules: Rules) -> None:
    """Every switch with its value and what else is valid."""
    table = Table("switch", "value", "valid", box=box.SIMPLE_HEAD, pad_edge=False)
    changed = rules.differences()[1]
    for name, value in rules.values().items():
        table.add_row(name, f"{written_value(value)}{' *' if name in changed else ''}", valid_values(name))
    console = _console()
    console.print(f"\n{rules.title}", highlight=False, markup=False)
    console.print(table)
    if changed:
        console.print("* differs from the preset", highlight=False)


def print_agents(agents: list[Agent], *, whole: bool) -> None:
    """The agents: a line each, or all about them."""
    console = _console()
    if whole:
        for agent in agents:
            parameters = agent.shown_parameters
            console.print(f"{agent.name}{f' ({parameters})' if parameters else ''}\n", highlight=False, markup=False)
            console.print(agent.description, highlight=False, markup=False)
        return
    table = Table("agent", "parameters", "what it does", box=box.SIMPLE_HEAD, pad_edge=False)
    for agent in agents:
        parameters = agent.shown_parameters
        table.add_row(agent.name, parameters, escape(agent.description.partition("\n")[0]))
    console.print(table)


def print_analysis(frame: pd.DataFrame, title: str, base: str, worlds: int) -> None:
    """A row a play, the best first; the title says whose."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("play", "end", "points", "margin", "95% interval", "wins hand", ""):
        table.add_column(heading, justify="left" if heading in ("play", "") else "right", no_wrap=True)
    for row in frame.to_dict("records"):
        table.add_row(
            row["tile"],
            row["end"],
            str(row["points"]),
            f"{row['margin']:+.1f}",
            f"{row['margin_low']:+.1f} to {row['margin_high']:+.1f}",
            _percent(row["win_chance"]),
            "played" if row["played"] else "",
        )
    console = _console()
    console.print(f"\n{title}; {worlds:,} worlds played out by {escape(base)}", highlight=False)
    console.print(table)


def print_review(plays: pd.DataFrame, seats: pd.DataFrame, reviewed: int) -> None:
    """What each seat lost, and the five worst plays."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("seat", "agent", "choices", "lost a choice", "lost a hand"):
        table.add_column(heading, justify="left" if heading == "agent" else "right", no_wrap=True)
    for row in seats.to_dict("records"):
        half = "" if math.isnan(row["lost_hand_half"]) else f" ± {row['lost_hand_half']:.2f}"
        table.add_row(
            str(row["seat"]),
            escape(row["agent"]),
            str(row["choices"]),
            f"{row['lost_choice']:.2f}",
            f"{row['lost_hand']:.2f}{half}",
        )
    worst = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("line", "event", "seat", "played", "better", "lost"):
        worst.add_column(heading, justify="right", no_wrap=True)
    for play in plays.sort_values("lost", ascending=False, kind="stable").head(5).to_dict("records"):
        worst.add_row(
            str(play["line"]),
            str(play["event"]),
            str(play["seat"]),
            f"{play['tile']} on {play['end']}",
            f"{play['best_tile']} on {play['best_end']}",
            f"{play['lost']:.1f} ± {play['lost_half']:.1f}",
        )
    console = _console()
    console.print(f"\n{hands(reviewed)}, points lost against the best play", highlight=False)
    console.print(table)
    console.print("the five worst plays")
    console.print(worst)


def print_bench(rows: list[dict[str, Any]]) -> None:
    """A row a setting, and the threads."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("players", "tiles", "agents", "hands/s", "C hands/s", "ratio"):
        table.add_column(heading, justify="left" if heading == "agents" else "right")
    for row in rows[:-1]:
        theirs, ratio = row["reference_hands_per_second"], row["ratio"]
        table.add_row(
            str(row["players"]),
            str(row["hand_size"]),
            row["agent"],
            f"{row['hands_per_second']:,.0f}",
            f"{theirs:,.0f}" if theirs else "–",
            f"{ratio:.2f}" if ratio else "–",
        )
    console = _console()
    console.print(table)
    console.print(f"{rows[-1]['threads']} threads: {rows[-1]['speedup']:.2f} times one", highlight=False)
    if rows[0]["ratio"] is None:
        console.print("no C compiler (gcc or cc) was found: no ratios", highlight=False)


def hands(number: int) -> str:
    """A number of hands in words."""
    return f"{number:,} hand{'' if number == 1 else 's'}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=max(console.width, 120))

"""What the commands print."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from allfives_sim.agents import Agent
from allfives_sim.core.game import MAX_HANDS
from allfives_sim.core.rules import Rules
from allfives_sim.core.switches import valid_values, written_value
from allfives_sim.lab.planning import Plan
from allfives_sim.lab.results import Results
from allfives_sim.lab.tally import HANDS

if TYPE_CHECKING:
    import pandas as pd


def results_json(results: Results) -> dict[str, Any]:
    """Results as the object that ``--json`` prints."""
    study = results.study
    rules = [one.to_dict() | {"players": one.players} for one in study.rules]
    answer: dict[str, Any] = {
        "rules": rules[0] if len(rules) == 1 else rules,
        "seed": study.seed,
        "games": study.games,
        "pairs": [_plain(figures) for figures in results.figures],
        "notes": results.notes,
    }
    if results.several_agents:
        answer["agents"] = [_plain(row) for row in results.agents.to_dict("records")]
    return answer | {"partial": True} if results.partial else answer


def _plain(figures: Mapping[Any, Any]) -> dict[str, Any]:
    """Figures as JSON takes them: none instead of what is no number."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in figures.items()
    }


def print_results(results: Results) -> None:
    """For each set of rules a table with a row a pair, and what it is about."""
    console, study, figures = _console(), results.study, results.figures
    for rules in dict.fromkeys(pair["rules"] for pair in figures):
        console.print(f"\nrules: {rules}, seed {study.seed}", highlight=False, markup=False)
        console.print(_pairs_table([pair for pair in figures if pair["rules"] == rules], games=study.games))
    if results.several_agents and not results.agents["rating"].isna().all():
        console.print(_agents_table(results.agents))
    for note in results.notes:
        console.print(note, highlight=False, markup=False)
    unfinished = max((pair.get("unfinished_games", 0) for pair in figures), default=0)
    if unfinished:
        console.print(f"up to {_percent(unfinished)} of a pair's games were left unfinished after {MAX_HANDS} hands")
    played = [one.tally for one in results.cells]
    total = sum(int(tally.sums[HANDS]) for tally in played)
    deals = sum(int(tally.deals) for tally in played)
    per_seat = any(rules.players > 2 and not rules.partners for rules in study.rules)
    console.print(
        f"{total:,} hands of {deals:,} paired {'games' if study.games else 'deals'}; margin: points a hand"
        f"{' per seat' if per_seat else ''}; hands won: most points in the hand, the rest are ties; "
        "hands/s: of one worker."
        f"{'  PARTIAL: interrupted before all were played.' if results.partial else ''}",
        highlight=False,
    )


def _pairs_table(figures: list[dict[str, Any]], *, games: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("agents", no_wrap=True)
    stopped = any("outcome" in pair for pair in figures)
    headings = ["margin", "95% interval", "hands won", "blocked", "hands/s"]
    headings += [*(["games won"] if games else []), *(["deals", "stopped"] if stopped else [])]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for pair in map(_plain, figures):
        cells = [
            escape(f"{pair['a']} over {pair['b']}"),
            f"{pair['margin']:+.2f}" if pair["margin"] is not None else "–",
            f"{pair['margin_low']:+.2f} to {pair['margin_high']:+.2f}" if pair["margin_low"] is not None else "–",
            f"{_percent(pair['a_wins'])} : {_percent(pair['b_wins'])}",
            _percent(pair["blocked"]),
            f"{pair['hands_per_second']:,.0f}" if pair["hands_per_second"] else "–",
        ]
        if games:
            cells.append(f"{_percent(pair.get('a_games'))} : {_percent(pair.get('b_games'))}")
        if stopped:
            cells += [f"{pair['deals']:,}", pair.get("outcome", "not decided")]
        table.add_row(*cells)
    return table


def _agents_table(agents: pd.DataFrame) -> Table:
    """The ratings, best first."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    several = agents["rules"].nunique() > 1
    for heading in [*(["rules"] if several else []), "agent", "rating", "95% interval", "margin over all"]:
        table.add_column(heading, justify="left" if heading in ("rules", "agent") else "right", no_wrap=True)
    for row in agents.sort_values(["rules", "rating"], ascending=[True, False], kind="stable").to_dict("records"):
        table.add_row(
            *([row["rules"]] if several else []),
            escape(row["agent"]),
            f"{row['rating']:+.0f}",
            f"{row['rating_low']:+.0f} to {row['rating_high']:+.0f}",
            f"{row['margin']:+.2f}",
        )
    return table


def print_plan(plan: Plan) -> None:
    """How many deals, and what that rests on."""
    _console().print(
        f"To find a difference of {plan.difference:g} points a hand between {plan.a} and {plan.b} with a chance of "
        f"{_percent(plan.power)}, play {plan.deals:,} paired deals ({plan.deals_low:,} to {plan.deals_high:,}): "
        f"about {plan.seconds:,.1f} seconds of one processor.\nA deal's margin has a standard deviation of "
        f"{plan.sd:.1f} points ({plan.pilot_deals:,} deals); without pairing it would take {plan.pairing_saves:.2f} "
        "times as many.",
        highlight=False,
        markup=False,
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

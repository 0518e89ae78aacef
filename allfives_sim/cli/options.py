"""The options that several commands share, and what they mean together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from allfives_sim.agents import REGISTER, load_code
from allfives_sim.core.rules import Rules
from allfives_sim.core.switches import SWITCHES, parse_switch

INTERRUPTED = 130  # the exit code after Ctrl-C

Command = TypeVar("Command", bound=Callable[..., Any])


def _complete(names: Callable[[], Any]) -> Callable[[Any, Any, str], list[CompletionItem]]:
    return lambda _context, _parameter, start: [CompletionItem(name) for name in names() if name.startswith(start)]


complete_agents = _complete(lambda: REGISTER)
complete_presets = _complete(lambda: Rules.PRESETS)


out_option = click.option(
    "--out", metavar="DIR", help="Keep the run in this folder: what is finished, frames (CSV, Parquet), plots (PNG)."
)
on_option = click.option(
    "--on",
    default="threads",
    show_default=True,
    metavar="WHERE",
    help="threads, threads:N, processes:N, dask (a cluster on this machine), or dask:ADDRESS.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")


def game_options(command: Command) -> Command:
    """The rules, the seed and the user's own agents."""
    for option in reversed(
        (
            click.option(
                "--rules",
                "rules_name",
                default="article",
                metavar="NAME|FILE.toml",
                show_default=True,
                shell_complete=complete_presets,
                help="House rules: a preset, or a file (see `allfives rules`).",
            ),
            click.option(
                "--set",
                "switches",
                multiple=True,
                metavar="SWITCH=VALUE …",
                shell_complete=_complete(lambda: [f"{switch}=" for switch in SWITCHES]),
                help="Change a switch: --set spinner=none, or --set 'hand_size=7 5 5'; as often as needed.",
            ),
            click.option("--players", type=int, help="2, 3 or 4.  [default: the rules']"),
            click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same deals."),
            click.option("--games", is_flag=True, help="Whole games to the target, instead of single hands."),
            click.option("--code", metavar="FILE", multiple=True, help="A Python file with agents of your own."),
        )
    ):
        command = option(command)
    return command


def gather(
    words: tuple[str, ...], rules_name: str, switches: tuple[str, ...], players: int | None, code: tuple[str, ...]
) -> tuple[list[str], Rules]:
    """The agents' specs, and the rules that the options make together; the user's agents are loaded.

    Words after ``--set switch=value`` that set a switch too are taken as such.
    """
    for path in code:
        load_code(path)
    more = [word for word in words if word.partition("=")[0] in SWITCHES]
    changes = dict(parse_switch(text) for text in (*switches, *more))
    if players is not None:
        changes["players"] = players
    rules = Rules.read(rules_name)
    return [word for word in words if word not in more], rules.replace(**changes)

"""The commands of ``allfives``."""

from __future__ import annotations

import json

import click

from allfives_sim.agents import REGISTER, find_agent, load_code
from allfives_sim.cli import show
from allfives_sim.cli.analysis import analyse_command, lines_of, review_command
from allfives_sim.cli.options import INTERRUPTED, complete_agents, complete_presets, game_options, gather, json_option
from allfives_sim.cli.pictures import show_command
from allfives_sim.cli.progress import progress_bar
from allfives_sim.cli.studies import compare_command, plan_command, report_command, results_command, run_command
from allfives_sim.core.records import Fault, RecordError, Replayer
from allfives_sim.core.rules import Rules
from allfives_sim.lab.bench import bench
from allfives_sim.lab.interrupt import CtrlC
from allfives_sim.lab.recording import record_hands, write_records


@click.command("record")
@click.argument("agents", nargs=-1, required=True, shell_complete=complete_agents)
@game_options
@click.option("--hands", type=int, required=True, help="How many hands; with --games the last game is played out.")
@click.option("--out", required=True, metavar="FILE.jsonl", help="The file to write.")
def record_command(
    agents: tuple[str, ...],
    rules_name: str,
    switches: tuple[str, ...],
    players: int | None,
    seed: int,
    games: bool,
    code: tuple[str, ...],
    hands: int,
    out: str,
) -> int:
    """Play hands and write them down, every event, as JSON Lines.

    One agent sits at every seat; as many as there are seats sit one at each.
    """
    specs, rules = gather(agents, rules_name, switches, players, code)
    records = record_hands(specs, rules, hands=hands, seed=seed, games=games)
    with progress_bar("hands", hands) as progress:
        written, partial = write_records(out, records, progress)
    click.echo(f"wrote {show.hands(written)} to {out}{', interrupted' if partial else ''}", err=True)
    return INTERRUPTED if partial else 0


@click.command("replay")
@click.argument("file", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each record.")
def replay_command(file: str, as_json: bool) -> int:
    """Check every event, count, score, settlement and end of the hands in FILE.

    Exit code 1 where a hand is not played by the rules, with its line and event (the first is event 0); 2 where a
    line is no record.
    """
    replayer = Replayer()
    wrong = checked = 0
    with CtrlC() as ctrl_c, progress_bar("hands") as progress:
        for number, line in enumerate(lines_of(file), 1):
            if ctrl_c.pressed:
                break
            if not line.strip():
                continue
            try:
                fault = replayer.check(line)
            except RecordError as error:
                if as_json:
                    _print_check(number, Fault(str(error)))
                raise RecordError(f"{file}, line {number}: {error}") from error
            checked += 1
            wrong += fault is not None
            progress(1)
            if as_json:
                _print_check(number, fault)
            elif fault is not None:
                event = "" if fault.event is None else f", event {fault.event}"
                click.echo(f"{file}, line {number}{event}: {fault.error}")
    if not checked and not ctrl_c.pressed:
        raise RecordError(f"{file} holds no record; a record is a JSON object on one line")
    if not as_json:
        click.echo(f"{show.hands(checked)} checked, {f'{wrong:,} wrong' if wrong else 'all right'}")
    if ctrl_c.pressed:
        click.echo("allfives: interrupted; the hands after these were not checked", err=True)
        return INTERRUPTED
    return 1 if wrong else 0


def _print_check(line: int, fault: Fault | None) -> None:
    error, event = (None, None) if fault is None else (fault.error, fault.event)
    click.echo(json.dumps({"line": line, "valid": fault is None, "error": error, "event": event}))


@click.command("rules")
@click.argument("name", required=False, shell_complete=complete_presets)
def rules_command(name: str | None) -> None:
    """List the presets; or show every switch of the rules NAME, a preset or a FILE.toml."""
    if name is None:
        show.print_presets()
    else:
        show.print_rules(Rules.read(name))


@click.command("agents")
@click.argument("name", required=False, shell_complete=complete_agents)
@click.option("--code", metavar="FILE", multiple=True, help="A Python file with agents of your own.")
def agents_command(name: str | None, code: tuple[str, ...]) -> None:
    """List the agents; or tell all about the agent NAME."""
    for path in code:
        load_code(path)
    show.print_agents([find_agent(name)] if name else list(REGISTER.values()), whole=name is not None)


@click.command("bench")
@json_option
@click.option("--rounds", type=click.IntRange(1, 1000), default=7, show_default=True, help="Runs of each.")
def bench_command(as_json: bool, rounds: int) -> None:
    """Time the engine in turn with a plain C engine, where there is a C compiler.

    One thread; every figure is the median over the rounds, the ratio that of the ratios round by round.
    """
    rows = []
    with progress_bar("settings", 7) as progress:
        for row in bench(rounds):
            rows.append(row)
            progress(1)
    if as_json:
        click.echo(json.dumps({"single_thread": rows[:-1], "threads": rows[-1]}))
    else:
        show.print_bench(rows)


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the script that completes commands, agents and rules in SHELL.

    In bash: eval "$(allfives completion bash)"
    """
    from click.shell_completion import get_completion_class

    from allfives_sim.cli import allfives

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(kind(allfives, {}, "allfives", "_ALLFIVES_COMPLETE").source())


COMMANDS = {
    command.name: command
    for command in (
        compare_command,
        run_command,
        results_command,
        report_command,
        plan_command,
        record_command,
        replay_command,
        analyse_command,
        review_command,
        show_command,
        rules_command,
        agents_command,
        bench_command,
        completion_command,
    )
}

"""The commands that run studies and show what they found."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from allfives_sim.cli import show
from allfives_sim.cli.options import (
    INTERRUPTED,
    complete_agents,
    game_options,
    gather,
    json_option,
    on_option,
    out_option,
)
from allfives_sim.cli.progress import progress_bar
from allfives_sim.core.errors import InputError
from allfives_sim.lab.planning import plan
from allfives_sim.lab.results import Results
from allfives_sim.lab.runner import read_results
from allfives_sim.lab.store import NAME, read_run
from allfives_sim.lab.study import Study
from allfives_sim.lab.study_file import read_study


@click.command("compare")
@click.argument("agents", nargs=-1, required=True, shell_complete=complete_agents)
@game_options
@click.option("--deals", type=int, default=100_000, show_default=True, help="Deals for each pair of agents.")
@click.option("--threads", type=int, help="How many to play on.  [default: all processors]")
@on_option
@click.option("--cheats", is_flag=True, help="Let agents that see all hands take part.")
@out_option
@json_option
def compare_command(
    agents: tuple[str, ...],
    rules_name: str,
    switches: tuple[str, ...],
    players: int | None,
    seed: int,
    games: bool,
    code: tuple[str, ...],
    deals: int,
    threads: int | None,
    on: str,
    cheats: bool,
    out: str | None,
    as_json: bool,
) -> int:
    """Play every pair of AGENTS against each other on the same paired deals.

    Each deal is played with every rotation of the two agents over the seats, so that luck in the tiles cancels.  A
    margin is the points a hand per seat of the first agent less those of the second, with its 95% interval.  An agent
    is a name, or a name with parameters: defensive:weight=0.5 (see `allfives agents`).

    Ctrl-C gives the result of what was finished until then.  With --out the same command goes on where it was.
    """
    if threads is not None and on != "threads":
        raise click.UsageError("--threads and --on both say where to play: give one of them")
    specs, rules = gather(agents, rules_name, switches, players, code)
    study = Study(specs, rules, deals=deals, seed=seed, games=games, cheats=cheats, code=code)
    return _run(study, out, on if threads is None else f"threads:{threads}", as_json=as_json)


@click.command("run")
@click.argument("study", metavar="STUDY.toml|DIR")
@click.option("--deals", type=int, help="Deals for each pair or table, instead of the study's.")
@on_option
@out_option
@json_option
def run_command(study: str, deals: int | None, on: str, out: str | None, as_json: bool) -> int:
    """Run a study: a file (docs/studies.md), or a folder in which a run was begun.

    What is finished is kept in the folder --out, as it is finished; without it, in results/ under the name of the file.
    Run it again, and it goes on with what is missing; with more --deals, they are added.
    """
    changes = {} if deals is None else {"deals": deals}
    if Path(study).is_dir():
        if out is not None:
            raise click.UsageError("--out is the folder itself, where a run goes on: leave it out")
        return _run(read_run(Path(study), **changes), study, on, as_json=as_json)
    folder = out if out is not None else str(Path("results") / Path(study).stem)
    return _run(read_study(study, **changes), folder, on, as_json=as_json)


@click.command("results")
@click.argument("folder", metavar="DIR")
@json_option
def results_command(folder: str, as_json: bool) -> None:
    """Make the frames and plots of a run again, from the blocks in its folder DIR, and show its results."""
    results = _read(folder)
    _show(results, as_json=as_json)
    _write(results, folder)


@click.command("report")
@click.argument("folder", metavar="DIR")
def report_command(folder: str) -> None:
    """Write a report of the run in DIR: report.html, and report.md with its pictures."""
    from allfives_sim.report.build import write_report

    for path in write_report(_read(folder), Path(folder)):
        click.echo(f"wrote {path}", err=True)


def _read(folder: str) -> Results:
    results = read_results(folder)
    if not results.cells:
        raise InputError(f"{folder} holds a run of which nothing is finished yet; go on with: allfives run {folder}")
    return results


@click.command("plan")
@click.argument("agents", nargs=2, shell_complete=complete_agents)
@game_options
@click.option("--difference", type=float, required=True, help="Points a hand that are to be found out.")
@click.option("--power", type=float, default=0.9, show_default=True, help="The chance that it will be.")
@click.option("--pilot", type=int, default=2000, show_default=True, help="Deals that are played for it.")
@json_option
def plan_command(
    agents: tuple[str, ...],
    rules_name: str,
    switches: tuple[str, ...],
    players: int | None,
    seed: int,
    games: bool,
    code: tuple[str, ...],
    difference: float,
    power: float,
    pilot: int,
    as_json: bool,
) -> None:
    """Tell how many deals it takes to find a difference between two agents, from a pilot."""
    specs, rules = gather(agents, rules_name, switches, players, code)
    study = Study(specs, rules, deals=pilot, seed=seed, games=games, code=code)
    with progress_bar("deals", pilot) as progress:
        found = plan(study, difference, power, progress)
    if as_json:
        click.echo(json.dumps(vars(found)))
    else:
        show.print_plan(found)


def _run(study: Study, out: str | None, on: str, *, as_json: bool) -> int:
    """Run a study, show and write what it found."""
    go_on = f"; go on with: allfives run {shlex.quote(out)}" if out is not None else ""
    try:
        with progress_bar("deals", study.cell_count() * study.deals) as progress:
            results = study.run(out, on=on, progress=progress)
        if not results.cells:
            raise KeyboardInterrupt
        _show(results, as_json=as_json)
        if out is not None:
            _write(results, out)
    except KeyboardInterrupt:
        if out is None or not (Path(out) / NAME).exists():
            raise
        click.echo(f"allfives: interrupted; what was finished is kept{go_on}", err=True)
        return INTERRUPTED
    if results.partial:
        click.echo(f"allfives: interrupted; the result is partial{go_on}", err=True)
        return INTERRUPTED
    return 0


def _show(results: Results, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(show.results_json(results)))
    else:
        show.print_results(results)


def _write(results: Results, folder: str) -> None:
    from allfives_sim.lab.files import write_results

    written = write_results(results, folder)
    click.echo(f"wrote to {folder}: {', '.join(path.name for path in written)}", err=True)

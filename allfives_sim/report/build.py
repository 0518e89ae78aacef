"""Putting a report together: figures, tables and sentences for the templates."""

from __future__ import annotations

import io
import platform
import re
from collections.abc import Callable
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib
import numpy as np
from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from allfives_sim.core.switches import valid_values, written_value
from allfives_sim.lab import plots
from allfives_sim.lab.output import check_folder, write_text, write_whole
from allfives_sim.lab.recording import record_cell
from allfives_sim.lab.results import Results
from allfives_sim.lab.study_file import study_text
from allfives_sim.pictures.hand import ending, read_hand
from allfives_sim.pictures.svg import layout_svg
from allfives_sim.report.sentences import answers

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

INK = "#010203"  # stands for the page's own ink, light or dark
MOST_HOUSES = 4  # that get plots; all are in the tables
MOST_AGENTS = 7  # in the plots of details; the best ones
MOST_PAIRS = 15  # in the plot of margins
SAMPLE_HANDS = 3

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "allfives",
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}
INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")


class Picture(NamedTuple):
    """A plot of a report: a name for its files, what it shows, and the function that draws it of a frame."""

    name: str
    alt: str
    plot: Callable[[Any], Axes]
    frame: pd.DataFrame


class House(NamedTuple):
    """A set of rules in a report."""

    title: str
    pictures: list[Picture]


class Report:
    """A report of a run's results."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.palette = plots.palette_of(results.agents["agent"])
        self._drawn: dict[str, str] = {}

    @cached_property
    def houses(self) -> list[House]:
        """The plots for each set of rules; of those that a run collected."""
        titles = list(dict.fromkeys(self.results.pairs["rules"]))[:MOST_HOUSES]
        return [
            House(title, self._pictures(title, f"{number}-" if number else "")) for number, title in enumerate(titles)
        ]

    def _pictures(self, house: str, prefix: str) -> list[Picture]:
        results = self.results

        def of(frame: pd.DataFrame) -> pd.DataFrame:
            return frame[frame["rules"] == house]

        pairs, agents = of(results.pairs), of(results.agents)
        best = set(agents.sort_values("margin", ascending=False)["agent"].head(MOST_AGENTS))
        few = f" (the best {MOST_AGENTS} agents)" if len(agents) > MOST_AGENTS else ""
        palette = self.palette

        def best_of(frame: pd.DataFrame) -> pd.DataFrame:
            return frame[(frame["rules"] == house) & frame["agent"].isin(best)]

        found = []
        if len(agents) > 2 and results.study.design != "tables":
            found.append(
                Picture("cross-table", "Each agent's margin over each other one", plots.plot_cross_table, pairs)
            )
            if not agents["rating"].isna().any():
                ratings = partial(plots.plot_ratings, palette=palette)
                found.append(Picture("ratings", "Ratings with their 95% intervals", ratings, agents))
        if len(pairs) <= MOST_PAIRS:  # the cross table says it, else
            found.append(Picture("margins", "Margins with their 95% intervals", plots.plot_margins, pairs))
        for name, what, frame in (
            ("points", "points", results.distribution),
            ("margin", "margins", results.margins),
        ):
            draw = partial(plots.plot_distribution, palette=palette, column=name)
            found.append(
                Picture(f"{what}-of-a-hand", f"How the {what} of a hand are distributed{few}", draw, best_of(frame))
            )
        if results.study.collect.detail:
            for name, what, plot, frame in (
                ("by-play", "Points by the number of the play", plots.plot_by_play, results.by_play),
                ("by-tile", "Points by the tile played", plots.plot_by_tile, results.by_tile),
                ("by-lead", "Points of the leader by the tile led", plots.plot_by_lead, results.by_lead),
            ):
                found.append(Picture(name, f"{what}{few}", partial(plot, palette=palette), best_of(frame)))
            what = f"Points by plays and by settlement, as leader and not{few}"
            found.append(Picture("sources", what, plots.plot_sources, best_of(results.by_role)))
            found.append(Picture("lengths", "How many plays hands have", plots.plot_lengths, of(results.lengths)))
        settling = of(results.settling)
        if len(settling):
            closest = pairs["cell"].to_numpy()[pairs["margin"].abs().to_numpy().argmin()]
            first = settling[settling["cell"] == closest]
            if len(first) > 2:
                what = f"How the margin settled as deals came in: {first['cell'].iloc[0]}"
                found.append(Picture("settling", what, plots.plot_settling, first))
        return [picture._replace(name=prefix + picture.name) for picture in found]

    def svg(self, picture: Picture, ink: str) -> str:
        """A plot as SVG with an ink of one's choice; it is drawn once."""
        if picture.name not in self._drawn:
            self._drawn[picture.name] = _draw(picture)
        return self._drawn[picture.name].replace(INK, ink)

    @property
    def costs(self) -> list[dict[str, Any]]:
        """What a play costs each agent, in microseconds, told apart by who met whom; empty where that cannot be told.

        A pair's agents make half of its plays each, so that its time is half the sum of their costs for each play.
        """
        pairs, names = self.results.figures, list(self.palette)
        if any(len(one.cell.agents) > 2 for one in self.results.cells) or len(names) < 3:
            return []
        rows, times = np.zeros((len(pairs), len(names))), np.zeros(len(pairs))
        for row, time, pair in zip(rows, range(len(pairs)), pairs, strict=True):
            row[names.index(pair["a"])] += 0.5
            row[names.index(pair["b"])] += 0.5
            times[time] = 1e6 * pair["seconds"] / (pair["hands"] * pair["plays_per_hand"])
        if np.linalg.matrix_rank(rows) < len(names) or not (times > 0).all():
            return []
        # Times are wrong in proportion to what they are: without weights a slow agent's would hide the quick ones.
        costs = np.linalg.lstsq(rows / times[:, None], np.ones(len(times)), rcond=None)[0]
        return [{"agent": name, "cost": max(float(cost), 0.0)} for name, cost in zip(names, costs, strict=True)]

    def hands(self) -> list[tuple[str, str]]:
        """Some whole hands: a caption, and the layout at its end as SVG."""
        study, found = self.results.study, []
        cells = self.results.cells
        first = {one.cell.house: one for one in reversed(cells)}  # one of each set of rules, before others
        chosen = [*reversed(first.values()), *(one for one in cells if one is not first[one.cell.house])][:SAMPLE_HANDS]
        wanted = SAMPLE_HANDS if len(chosen) == 1 else 1
        for place, one in enumerate(chosen):
            # The next deal for each, and no more deals than were played.
            deals = min(int(one.tally.deals), place + wanted)
            rotations = len(one.cell.seating.seatings)
            records = record_cell(one.cell, study, deals, every=rotations)
            for record in islice(records, min(place, deals - 1), None):
                hand = read_hand(record)
                where = f"{' against '.join(dict.fromkeys(hand.agents))}, {hand.rules.title}, deal {record['deal']}"
                found.append((f"{where}: {ending(record)}", layout_svg(hand, hand.steps[-1])))
        return found[:SAMPLE_HANDS]

    def context(self) -> dict[str, Any]:
        """What the templates are given."""
        from allfives_sim import __version__

        results, study = self.results, self.results.study
        agents = " ".join(study.agents) if study.agents else ""
        return {
            "results": results,
            "study": study,
            "answers": answers(results),
            "houses": self.houses,
            "pairs": results.pairs.to_dict("records"),
            "agents": results.agents.to_dict("records"),
            "costs": {row["agent"]: row["cost"] for row in self.costs},
            "rated": not results.agents["rating"].isna().all() and results.several_agents,
            "detail": study.collect.detail,
            "rules": [
                (
                    rules.title.removeprefix("rules: "),
                    [(name, written_value(value), valid_values(name)) for name, value in rules.values().items()],
                )
                for rules in study.rules
            ],
            "versions": {"allfives-sim": __version__, "Python": platform.python_version(), "NumPy": np.__version__},
            "study_text": study_text(study),
            "title": f"All Fives: {agents}" if agents and len(agents) < 80 else "All Fives: a study",
        }


def report_html(results: Results | Report) -> str:
    """A report as one HTML page that needs nothing from elsewhere."""
    report = results if isinstance(results, Report) else Report(results)
    hands = [(caption, Markup(svg)) for caption, svg in report.hands()]
    return (
        _templates(autoescape=True)
        .get_template("report.html.j2")
        .render(**report.context(), svg=lambda picture: Markup(_inline(report, picture)), hands=hands)
    )


def write_report(results: Results, folder: Path) -> list[Path]:
    """Write ``report.html``, and ``report.md`` with its pictures, as SVG and PNG, in ``pictures``.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    report = Report(results)
    page, text = folder / "report.html", folder / "report.md"
    write_text(page, report_html(report))
    pictures = check_folder(folder / "pictures")
    for house in report.houses:
        for picture in house.pictures:
            write_text(pictures / f"{picture.name}.svg", report.svg(picture, "#222222"))
            write_whole(pictures / f"{picture.name}.png", partial(_save_png, picture))
    markdown = _templates(autoescape=False).get_template("report.md.j2").render(**report.context())
    write_text(text, markdown)
    return [page, text]


def _inline(report: Report, picture: Picture) -> str:
    """A plot as SVG that stands in a page and takes its ink."""
    text = report.svg(picture, "currentColor")
    text = text[text.index("<svg") :]
    label = f'<svg role="img" aria-label="{escape(picture.alt)}" '
    return re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"', label + r"\1", text, count=1)


def _draw(picture: Picture) -> str:
    file = io.StringIO()
    with matplotlib.rc_context(STYLE | dict.fromkeys(INKED, INK)):
        plots.figure_of(picture.plot(picture.frame)).savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _save_png(picture: Picture, path: Path) -> None:
    with matplotlib.rc_context(STYLE | {"savefig.facecolor": "white"}):
        plots.figure_of(picture.plot(picture.frame)).savefig(path, format="png", dpi=110)


def _templates(*, autoescape: bool) -> Environment:
    templates = Environment(
        loader=PackageLoader("allfives_sim", "report"), autoescape=autoescape, trim_blocks=True, lstrip_blocks=True
    )
    templates.filters["signed"] = lambda value, digits=2: "–" if value != value else f"{value:+,.{digits}f}"
    templates.filters["plain"] = lambda value, digits=1: "–" if value != value else f"{value:,.{digits}f}"
    templates.filters["percent"] = lambda value: "–" if value != value else f"{100 * value:.1f}%"
    return templates

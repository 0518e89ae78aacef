"""Reports: what they say, that they need nothing from elsewhere, and how they behave in a browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from allfives_sim import Results, Study, record_hands
from allfives_sim.cli import run
from allfives_sim.lab import plots
from allfives_sim.pictures.hand import read_hand
from allfives_sim.pictures.page import hand_page
from allfives_sim.report.build import Report, report_html, write_report
from allfives_sim.report.sentences import answers, of_pair

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return Study(["greedy", "random"], deals=2000).run(tmp_path_factory.mktemp("pair"))


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return Study(["risk", "greedy", "random"], deals=1500, rules=["article", "miami"]).run(
        tmp_path_factory.mktemp("several")
    )


# --- the answer ---


def figures(low: float, high: float) -> dict[str, Any]:
    return {"a": "x", "b": "y", "deals": 1000, "margin": (low + high) / 2, "margin_low": low, "margin_high": high}


def test_the_answer_says_who_is_better_by_how_much_and_how_sure_that_is() -> None:
    assert of_pair(figures(1.6, 2.0)) == "x beats y by 1.8 points a hand, 95% interval 1.6 to 2.0, over 1,000 deals."
    assert of_pair(figures(-2.0, -1.6)) == "y beats x by 1.8 points a hand, 95% interval 1.6 to 2.0, over 1,000 deals."
    assert of_pair(figures(-0.2, 0.4)).startswith("x and y cannot be told apart: +0.10 points a hand for x")
    assert "too few to say more" in of_pair(figures(float("nan"), float("nan")))


def test_the_answer_of_several_names_the_best_and_the_closest_for_each_house(several: Results) -> None:
    found = answers(several)
    assert [sentence.partition(":")[0] for sentence in found] == ["Under article", "Under miami"]
    assert all("risk beats the 2 others. Closest to it: risk beats greedy by" in sentence for sentence in found)


def test_partners_at_a_table_do_not_count_as_rivals_and_each_table_has_its_answer() -> None:
    tables = [["risk", "greedy", "defensive", "random"], ["risk", "random", "risk", "random"]]
    rules = {"players": 4, "partners": True}
    found = answers(Study(design="tables", tables=tables, rules=rules, deals=1000).run())
    assert found[0].startswith("At the table risk, greedy, defensive, random: risk beats the 2 others.")
    assert found[1].startswith("At the table risk, random, risk, random: risk beats random by")
    assert "deals" in found[1]


def test_the_answer_of_games_is_over_games_and_a_close_one_has_digits_enough() -> None:
    (found,) = answers(Study(["greedy", "random"], games=True, deals=20).run())
    assert "over 20 paired games." in found
    close = {"a": "x", "b": "y", "deals": 10**6, "margin": 0.39, "margin_low": 0.35, "margin_high": 0.43}
    assert "by 0.39 points a hand, 95% interval 0.35 to 0.43" in of_pair(close)


# --- the page ---


@pytest.mark.parametrize("which", ["pair", "several"])
def test_a_report_is_one_file_under_3_mb_that_names_no_other(which: str, request: pytest.FixtureRequest) -> None:
    page = report_html(request.getfixturevalue(which))
    assert len(page.encode()) < 3_000_000
    named = re.findall(r"""(?:\b(?:href|src)="|url\(['"]?)([^"')]*)""", page)
    assert all(place.startswith(("#", "data:image/png")) for place in named)
    for address in set(re.findall(r"https?://[^\"' <)]+", page)):
        assert address.startswith(
            ("http://www.w3.org/", "http://purl.org/", "http://creativecommons.org/", "https://matplotlib.org")
        )


def test_every_picture_of_a_report_has_a_text_that_stands_for_it(several: Results) -> None:
    page = report_html(several)
    pictures = re.findall(r"<svg[^>]*>", page)
    assert len(pictures) > 12
    for picture in pictures:
        assert 'role="img"' in picture


def test_a_report_tells_seed_study_rules_versions_and_how_to_play_it_again(pair: Results) -> None:
    page = report_html(pair)
    for words in ("Seed 1;", pair.study.hash(), "allfives run study.toml", "going_out", "NumPy", "agents = ["):
        assert words in page, words


def test_markdown_and_pictures_say_the_same(several: Results, tmp_path: Path) -> None:
    page, text = write_report(several, tmp_path)
    markdown = text.read_text(encoding="utf-8")
    for sentence in answers(several):
        assert sentence in markdown
        assert sentence in page.read_text(encoding="utf-8")
    named = re.findall(r"\]\((pictures/[^)]+)\)", markdown)
    assert len(named) == len(set(named)) > 12
    for name in named:
        ElementTree.parse(tmp_path / name)
        assert (tmp_path / name).with_suffix(".png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("deals", [60, 400, 25_000])
def test_a_settling_margin_has_plain_numbers_at_its_axis_over_any_span(deals: int) -> None:
    figures = {name: [1.0, 2.0, 1.5] for name in ("margin", "margin_low", "margin_high")}
    ax = plots.plot_settling(pd.DataFrame({"deals": [50, 55, deals], **figures}))
    low, high = ax.get_xlim()
    labels = [one.get_text() for one in ax.get_xticklabels(which="both") if low <= one.get_position()[0] <= high]
    assert labels
    assert all(re.fullmatch("[0-9,]+", label) for label in labels)


def test_names_from_users_are_escaped(pair: Results) -> None:
    bad = "<script>alert(1)</script>"
    page = _page_named(pair, bad)
    assert bad not in page
    assert "&lt;script&gt;" in page


def _page_named(pair: Results, name: str) -> str:
    """The report with an agent's name that no agent can have."""
    results = replace(pair, folder=None)
    for frame in ("pairs", "agents", "distribution", "margins", "by_role", "by_lead", "by_play", "by_tile", "lengths"):
        getattr(results, frame).replace({"greedy": name, "greedy over random": name}, inplace=True)
    for figures in results.figures:
        figures["a"] = name
    return report_html(results)


def test_reports_of_odd_runs_are_made(tmp_path: Path) -> None:
    odd = {
        "one deal": Study(["greedy", "random"], deals=1),
        "the same agent twice": Study(["greedy", "greedy"], deals=50),
        "no blocked hand": Study(["greedy", "random"], deals=30, rules={"hand_size": 2}),
        "without detail": Study(["greedy", "random", "risk"], deals=100, collect={"detail": False}),
        "games": Study(["greedy", "random"], deals=20, games=True),
        "a table": Study(design="tables", tables=[["greedy", "random", "risk"]], rules={"players": 3}, deals=50),
        "nobody scores": Study(
            ["greedy", "random"], deals=20, rules={"score_units": [], "going_out": "none", "blocked": "none"}
        ),
        "stopped": Study(["greedy", "random"], stop={"better_by": 2}),
    }
    for name, study in odd.items():
        page = report_html(study.run(tmp_path / name))
        assert "<h2>Pairs</h2>" in page, name
        assert "nan" not in re.sub(r"<svg.*?</svg>", "", page, flags=re.S), name


def test_a_report_of_twelve_agents_has_a_cross_table_of_all_and_details_of_the_best() -> None:
    weights = [round(0.1 * n, 1) for n in range(1, 12)]
    page = report_html(Study(["greedy", {"agent": "defensive", "weight": weights}], deals=40).run())
    assert len(page.encode()) < 3_000_000
    assert page.count("margin over each other one.") == 1
    assert "(the best 7 agents)" in page
    assert page.count('<td class="left">defensive:weight=1.1</td>') >= 12


def test_a_report_of_an_interrupted_run_says_so(pair: Results) -> None:
    assert "Interrupted: not all deals were played" in report_html(replace(pair, partial=True))


def test_costs_are_told_apart_where_three_agents_met_each_other(several: Results) -> None:
    results, costs = replace(several), {"risk": 3.0, "greedy": 0.5, "random": 0.25}
    for pair in results.figures:
        plays = pair["hands"] * pair["plays_per_hand"]
        pair["seconds"] = 1e-6 * plays * (costs[pair["a"]] + costs[pair["b"]]) / 2
    assert {row["agent"]: row["cost"] for row in Report(results).costs} == pytest.approx(costs)


def test_the_cost_of_a_quick_agent_is_told_beside_a_slow_one_whose_times_vary(several: Results) -> None:
    results, costs = replace(several), {"risk": 100.0, "greedy": 0.5, "random": 0.25}
    for number, pair in enumerate(results.figures):
        plays = pair["hands"] * pair["plays_per_hand"]
        slow = "risk" in (pair["a"], pair["b"])
        pair["seconds"] = 1e-6 * plays * (costs[pair["a"]] + costs[pair["b"]]) / 2 * (1 + 0.1 * slow * (-1) ** number)
    told = {row["agent"]: row["cost"] for row in Report(results).costs}
    assert told["greedy"] + told["random"] == pytest.approx(0.75, rel=0.01)
    assert told["risk"] == pytest.approx(100, rel=0.15)


def test_the_command_writes_it_and_tells_of_folders_without_a_run(pair: Results, tmp_path: Path, capsys: Any) -> None:
    assert run(["report", str(pair.folder)]) == 0
    assert (Path(str(pair.folder)) / "report.html").exists()
    capsys.readouterr()
    assert run(["report", str(tmp_path)]) == 2
    assert "holds no run" in capsys.readouterr().err


# --- in a browser ---


class Browser:
    """Pages opened in a headless browser that must log no error and ask for nothing."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def open(self, path: Path, **options: Any) -> Any:
        page = self.browser.new_context(**options).new_page()
        page.on("console", lambda message: pytest.fail(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        assert asked == [path.as_uri()]
        return page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium: install Debian's package of that name to test pages in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield Browser(opened)
        opened.close()


@pytest.fixture(scope="module")
def report(several: Results) -> Path:
    return write_report(several, Path(str(several.folder)))[0]


def test_tables_sort_by_number_and_by_name(browser: Browser, report: Path) -> None:
    page = browser.open(report)
    table = page.locator("table.sortable").first
    column = [head.inner_text() for head in table.locator("thead th").all()].index("margin over all")
    for direction in ("descending", "ascending"):
        table.locator("thead th button").nth(column).click()
        assert table.locator("thead th").nth(column).get_attribute("aria-sort") == direction
        cells = table.locator(f"tbody tr td:nth-child({column + 1})").all_inner_texts()
        values = [float(text.replace(",", "")) for text in cells]
        assert values == sorted(values, reverse=direction == "descending")
    table.locator("thead th button").nth(1).click()
    names = table.locator("tbody tr td:nth-child(2)").all_inner_texts()
    assert names == sorted(names, reverse=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_page_in_light_and_dark(browser: Browser, report: Path, scheme: str) -> None:
    page = browser.open(report, color_scheme=scheme)

    def brightness(selector: str, what: str) -> float:
        colour = page.locator(selector).first.evaluate(f"element => getComputedStyle(element).{what}")
        red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    paper = brightness("body", "backgroundColor")
    assert (paper < 0.1) == (scheme == "dark")
    for selector, what in ((".answer", "color"), (".soft", "color"), ("td", "color"), ("figure svg text", "fill")):
        ink = brightness(selector, what)
        contrast = (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05)
        assert contrast > 4.5, (selector, contrast)  # WCAG 2.2, level AA


def test_on_a_phone_the_page_itself_does_not_scroll_sideways(browser: Browser, report: Path) -> None:
    page = browser.open(report, viewport={"width": 390, "height": 800}, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_it_prints_to_a4_without_cutting_off(browser: Browser, report: Path) -> None:
    page = browser.open(report)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 690, "height": 1000})  # A4 less its margins, in CSS pixels
    for what in ("figure svg", "table"):
        edges = page.locator(what).evaluate_all("all => all.map((one) => one.getBoundingClientRect().right)")
        assert max(edges) <= 690, what
    assert page.pdf().startswith(b"%PDF")


def test_arrow_keys_step_through_a_hand(browser: Browser, tmp_path: Path) -> None:
    record = next(record_hands(["greedy", "random"], hands=1))
    hand = read_hand(record)
    path = tmp_path / "hand.html"
    path.write_text(hand_page(hand, {0: "5-5 on lead is better by 3.0 ± 1.0 points"}), encoding="utf-8")
    page = browser.open(path)
    plays = [number for number, event in enumerate(record["events"], 1) if "play" in event]

    def shown() -> int:
        return page.locator("g.piece:not(.hidden)").count()

    assert (shown(), page.locator("#what").inner_text()) == (0, "the deal")
    page.keyboard.press("ArrowRight")
    assert shown() == 1
    assert page.locator("#better").inner_text() == "5-5 on lead is better by 3.0 ± 1.0 points"
    page.keyboard.press("End")
    assert shown() == len(plays)
    held = [
        [tile.get_attribute("aria-label") for tile in seat.locator(".domino").all()]
        for seat in page.locator(".hand").all()
    ]
    assert held == hand.steps[-1].hands
    last = len(record["events"]) - 1
    assert page.locator("#where").inner_text() == f"event {last} of {last}"
    assert page.url.endswith(f"#{last + 1}")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert shown() == 0
    page.locator("#on").click()
    assert shown() == 1
    assert json.loads(page.locator("#steps").inner_text() or page.locator("#steps").text_content())[0]["event"] == -1

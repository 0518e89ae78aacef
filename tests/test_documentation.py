"""The documentation: its site is built without a warning, and the commands it shows exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from allfives_sim.cli.commands import COMMANDS
from allfives_sim.core.rules import Rules

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "experiments" / "README.md"])


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", tmp_path],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert (tmp_path / "rules_in_pictures" / "index.html").exists()


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_commands_options_and_files_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name, rest in re.findall(r"^(?:\\$ )?allfives ([a-z]+)([^\n#]*)", text, flags=re.M):
        assert name in COMMANDS, name
        known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        assert {word for word in rest.split() if word.startswith("--")} <= known, (name, rest)
    for place in re.findall(r"\]\(((?!http|#)[^)#]+)", text):
        assert (page.parent / place).exists(), place


def test_the_documented_presets_are_all_there_are() -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert all(name in text for name in Rules.PRESETS)

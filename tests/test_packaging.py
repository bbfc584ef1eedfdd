"""What is installed is what stands in the repository, and the README tells the truth."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import eightsenv

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OUTSIDE = ("agents", "benchmarks", "train")
"""Packages at the top of the repository that are installed inside eightsenv."""


def python(program: str, cwd: Path) -> str:
    """The output of a program in a new Python, run in a folder."""
    done = subprocess.run([sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def fenced(file: str, language: str) -> list[str]:
    """The code blocks of a language in a Markdown file."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


# Packages


def test_the_listed_packages_are_the_folders():
    found = set()
    for top in ("eightsenv", *OUTSIDE):
        for init in (ROOT / top).rglob("__init__.py"):
            parts = init.parent.relative_to(ROOT).parts
            found.add(".".join(parts if top == "eightsenv" else ("eightsenv", *parts)))
    setuptools = PROJECT["tool"]["setuptools"]
    assert sorted(setuptools["packages"]) == sorted(found)
    assert setuptools["package-dir"] == {"eightsenv": "eightsenv"} | {f"eightsenv.{name}": name for name in OUTSIDE}


def test_every_folder_with_modules_is_a_package():
    for top in ("eightsenv", *OUTSIDE):
        for module in (ROOT / top).rglob("*.py"):
            assert (module.parent / "__init__.py").is_file(), module


def test_one_version():
    assert PROJECT["project"]["version"] == eightsenv.__version__
    assert f"## {eightsenv.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_bare_checkout_imports_by_the_long_names():
    names = ", ".join(f"eightsenv.{name}" for name in OUTSIDE)
    python(f"import {names}", ROOT)


def test_the_base_install_is_enough_to_import():
    heavy = ("torch", "matplotlib", "stable_baselines3", "pyspiel", "rlcard")
    loaded = python(f"import sys, eightsenv; print([name for name in {heavy} if name in sys.modules])", ROOT)
    assert loaded.strip() == "[]"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.Path:
    """A wheel, built from the source distribution so that nothing left over in a build folder gets in."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = out.glob("*.whl")
    return file


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    version = PROJECT["project"]["version"]
    assert {name.split("/")[0] for name in names} == {"eightsenv", f"eightsenv-{version}.dist-info"}
    assert "eightsenv/py.typed" in names
    assert f"eightsenv-{version}.dist-info/licenses/LICENSE" in names
    modules = {name for name in names if name.endswith(".py")}
    expected = set()
    for top in ("eightsenv", *OUTSIDE):
        for module in (ROOT / top).rglob("*.py"):
            parts = module.relative_to(ROOT).parts
            expected.add("/".join(parts if top == "eightsenv" else ("eightsenv", *parts)))
    assert modules == expected
    shipped = {f"eightsenv/agents/weights/{file.name}" for file in (ROOT / "agents" / "weights").iterdir()}
    assert shipped and {name for name in names if name.endswith((".safetensors", ".md"))} == shipped


@pytest.mark.slow
def test_the_wheel_imports_by_the_long_names(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    names = ", ".join(f"eightsenv.{name}" for name in OUTSIDE)
    where = python(f"import {names}; print(eightsenv.benchmarks.__file__)", tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path)
    pytest.importorskip("safetensors")
    program = "from eightsenv import agents; print(agents.load('crazy_eights_v0/4p').name, agents.baselines.FOLDER)"
    name, folder = python(program, tmp_path).split()
    assert name == "crazy_eights_v0/4p" and Path(folder).is_relative_to(tmp_path)


# Constraints


def test_constraints_are_plain_versions():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", pin) for pin in pins)
    assert pins == sorted(pins, key=lambda pin: pin.partition("==")[0])
    assert "torch==2.13.0" in pins


def test_constraints_cover_every_extra():
    pins = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()}
    project = PROJECT["project"]
    extras = [entry for name, group in project["optional-dependencies"].items() if name != "all" for entry in group]
    for entry in project["dependencies"] + extras:
        name = re.match(r"[A-Za-z0-9_.-]+", entry)
        assert name is not None and re.sub(r"[-_.]+", "-", name[0]).lower() in pins, entry


def test_all_is_all():
    extras = PROJECT["project"]["optional-dependencies"]
    assert extras["all"] == [f"eightsenv[{','.join(name for name in extras if name != 'all')}]"]


# The README


def test_the_readme_begins_with_setting_up_and_testing():
    first, second = (block.strip() for block in fenced("README.md", "bash")[:2])
    assert first == (
        'python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e ".[all]" && .venv/bin/eights train crazy_eights_v0'
    )
    assert second == ".venv/bin/pytest"


def test_contributing_installs_as_the_readme_does():
    assert fenced("README.md", "bash")[0].startswith(fenced("CONTRIBUTING.md", "bash")[0].strip())


@pytest.mark.parametrize("block", fenced("README.md", "python"), ids=lambda block: ast.unparse(ast.parse(block).body[-1])[:30])
def test_the_readme_code_runs(block, tmp_path, capsys):
    if "sb3" in block:
        pytest.importorskip("sb3_contrib")
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})


def test_the_readme_loop_is_short():
    (loop,) = (block for block in fenced("README.md", "python") if "agent_iter" in block)
    assert len(loop.splitlines()) <= 15


def test_the_readme_names_the_actions_as_they_are():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    env = eightsenv.make("crazy_eights_v0")
    for action, name in re.findall(r'`env\.action_name\((\d+)\)` is `"(.+?)"`', text):
        assert env.action_name(int(action)) == name
    for name, action in re.findall(r'`env\.action_id\("(.+?)"\)` is (\d+)', text):
        assert env.action_id(name) == int(action)


def test_the_readme_lists_what_exists():
    names = re.findall(r"^\| `(\w+_v\d)` \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(names) == eightsenv.variants()


def test_the_options_of_the_readme_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    part = text[text.index("## Options in brief") : text.index("## How fast it is")]
    defaults = re.findall(r"^\| `(\w+)` \| `?([^|`]+)`? \|", part, re.MULTILINE)
    given = {name: ast.literal_eval(value) for name, value in defaults}
    env = eightsenv.make("crazy_eights_v0", **given)
    plain = eightsenv.make("crazy_eights_v0")
    assert env.setting == plain.setting
    (also,) = re.findall(r"take the options of the family: (.+?) and more", part, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", also)) <= set(plain.setting.options)


def test_the_installed_version_is_this_one():
    try:
        installed = importlib.metadata.version("eightsenv")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("a bare checkout")
    assert installed == eightsenv.__version__

"""The pieces under the games: bits, random streams, cards; who imports whom; what is compiled, cached, and named by what."""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightsenv
from eightsenv import bits, cards, engine, game, rng
from eightsenv.variants import get
from eightsenv.variants.eights import CRAZY_EIGHTS, RULE_SET

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "eightsenv"
words = st.integers(0, 2**64 - 1)


def python(code: str, timeout: int = 1400, **environment: str) -> str:
    """The output of a fresh process that runs ``code``."""
    env = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# Bits


@numba.njit
def compiled_bits(x, y, k, row, at, size):
    sums = bits.add64(x, y), bits.mul64(x, y), bits.without_lowest(x) if x != np.uint64(0) else x
    return bits.popcount(x), bits.lowest(x), bits.nth(x, k), bits.put(row, at, y, size), sums, bits.highest(x)


@given(words, words, st.integers(0, 63), st.integers(0, 64), st.integers(0, 70))
def test_bits_plain_and_compiled(x: int, y: int, k: int, size: int, at: int):
    """popcount, lowest, highest, nth, without_lowest, add64, mul64 and put: plain Python, compiled code and a loop agree."""
    elements = [b for b in range(64) if x >> b & 1]
    y &= (1 << size) - 1
    rows = [np.full(140, 7, np.uint8) for _ in range(2)]
    k = k % len(elements) if elements else 0
    a, b = np.uint64(x), np.uint64(y)
    plain_sums = bits.add64(a, b), bits.mul64(a, b), bits.without_lowest(a) if x else a
    plain = bits.popcount(a), bits.lowest(a), bits.nth(a, k), bits.put(rows[0], at, b, size), plain_sums, bits.highest(a)
    fast = compiled_bits(a, b, k, rows[1], at, size)
    if not elements:
        plain, fast = (*plain[:2], 0, *plain[3:]), (*fast[:2], 0, *fast[3:])
    assert fast == plain
    assert plain[0] == len(elements) and plain[1] == (elements[0] if elements else 64)
    assert plain[5] == (elements[-1] if elements else -1)
    if elements:
        assert plain[2] == elements[k] and int(plain_sums[2]) == sum(1 << e for e in elements[1:])
    assert plain[3] == at + size
    assert int(plain_sums[0]) == (x + y) % 2**64 and int(plain_sums[1]) == x * y % 2**64
    expected = [7] * at + [y >> b & 1 for b in range(64)] + [7] * (140 - at - 64)
    assert rows[0].tolist() == rows[1].tolist() == expected
    assert type(plain_sums[0]) is type(plain_sums[1]) is np.uint64


def test_nth_of_every_byte_and_of_full_words():
    for x in [*range(1, 256), *(b << 56 for b in range(1, 256)), 2**64 - 1, 2**63, 0x8000000000000001]:
        elements = [b for b in range(64) if x >> b & 1]
        got = [compiled_bits(np.uint64(x), np.uint64(0), k, np.zeros(64, np.uint8), 0, 0)[2] for k in range(len(elements))]
        assert got == elements == [bits.nth(np.uint64(x), k) for k in range(len(elements))]


def test_rows_have_room_for_the_last_put():
    for columns in range(1, 300):
        assert bits.padded(columns) >= columns + 63 and bits.padded(columns) % 8 == 0


# Random streams


@given(words, words, words)
def test_seeds_of_different_things_differ(seed: int, a: int, b: int):
    """Chance and policy streams, games, episodes and seats, and neighbouring seeds."""
    s, x, y = (np.uint64(v) for v in (seed, a, b))
    one = np.uint64(1)
    seeds = [
        rng.chance_seed(s, x, y),
        rng.policy_seed(s, x, y),
        rng.chance_seed(bits.add64(s, one), x, y),
        rng.chance_seed(s, bits.add64(x, one), y),
        rng.chance_seed(s, x, bits.add64(y, one)),
        rng.policy_seed(s, bits.add64(x, one), y),
        rng.policy_seed(s, x, bits.add64(y, one)),
    ]
    assert len({int(v) for v in seeds}) == len(seeds)
    if a != b:
        assert rng.chance_seed(s, x, y) != rng.chance_seed(s, y, x)


def test_no_collisions_among_many_streams():
    places = [tuple(map(np.uint64, (s, g, k))) for s in range(20) for g in range(60) for k in range(8)]
    seeds = {int(hashed(*place)) for place in places for hashed in (rng.chance_seed, rng.policy_seed)}
    assert len(seeds) == 2 * 20 * 60 * 8


def test_bounded_covers_its_range():
    top = np.uint64(2**32 - 1)
    for n in (1, 2, 3, 52, 104, 2**31 - 1):
        assert rng.bounded(np.uint64(0), n) == 0 and rng.bounded(top, n) == n - 1


def test_policy_randomness_never_touches_chance():
    """The same actions give the same game, however often and by whom actions were drawn; later deals too."""
    quiet = eightsenv.make_vec("crazy_eights_v0", num_envs=20, seed=1, bury="random", stock_end="reshuffle")
    noisy = eightsenv.make_vec("crazy_eights_v0", num_envs=20, seed=1, bury="random", stock_end="reshuffle")
    quiet.reset()
    noisy.reset()
    for step in range(300):
        for _ in range(step % 3):
            noisy.sample()
            noisy.choose("greedy")
        actions = noisy.sample()
        quiet.step(actions)
        noisy.step(actions)
        assert quiet.batch.observation.tobytes() == noisy.batch.observation.tobytes()
    assert [quiet.reveal(i) for i in range(20)] == [noisy.reveal(i) for i in range(20)]
    assert quiet.snapshot(0) != noisy.snapshot(0), "the policy streams differ"


# Cards


def test_card_texts():
    assert len(cards.CARDS) == 52 and len(set(cards.CARDS)) == 52
    assert cards.CARDS[0] == "2C" and cards.CARDS[51] == "AS" and cards.CARDS[4 * 6 + 3] == "8S"
    for card in range(54):
        text = cards.card_text(card)
        assert cards.card_id(text) == cards.card_id(text.lower()) == cards.card_id(f" {text} ") == card
    assert cards.card_id("10h") == cards.card_id("TH") == 34
    for bad in ("", "1C", "CC", "2", "C2", "X3", "100C", "2CC", None, 5, b"2C", ["2C"]):
        with pytest.raises(ValueError, match="is not a card"):
            cards.card_id(bad)
    assert cards.set_texts(np.uint64(0b11), np.uint64(0b10)) == ["2C", "2D", "2D"]


# Who imports whom (a module may import what stands to its left, and its own room)

ORDER = ["cards", "bits", "rng", "game", "variants", "engine", "adapters", "agents", "train", "benchmarks"]
ROOMS = {"cards": 0, "bits": 0, "atomics": 0, "rng": 0, "game": 1, "variants": 2, "kernels": 3, "search_kernels": 3,
         "crew": 3, "snapshots": 3, "engine": 3, "render": 3, "search": 4, "adapters": 4, "docs": 5,
         **dict.fromkeys(eightsenv.variants(), 5), "testing": 5, "agents": 6, "train": 7, "play": 7, "benchmarks": 8}  # fmt: skip
FAMILIES = [path.name for path in (PACKAGE / "variants").iterdir() if (path / "__init__.py").is_file()]
"""The rooms of the variants."""
DOORS = {"__init__", "__main__", "cli", "commands"}
"""The package itself and the command line, which stand above everything."""


def sources() -> list[Path]:
    folders = [PACKAGE, *(ROOT / name for name in ("agents", "train", "benchmarks"))]
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def room(path: Path) -> str:
    parts = path.relative_to(PACKAGE if path.is_relative_to(PACKAGE) else ROOT).with_suffix("").parts
    return parts[0]


def imports(path: Path, top_level: bool) -> set[str]:
    """The dotted names that a file imports (those of the module's own level only, or all)."""
    tree = ast.parse(path.read_text())
    found = set()
    for node in tree.body if top_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_imports_go_one_way():
    for path in sources():
        own = room(path)
        if own in DOORS:
            continue
        for name in imports(path, top_level=False):
            parts = name.split(".")
            if parts[0] in ("agents", "train", "benchmarks"):
                raise AssertionError(f"{path}: import eightsenv.{name}, not a second copy")
            if parts[0] != "eightsenv" or len(parts) == 1 or parts[1] not in ROOMS:
                continue
            if own in ROOMS and parts[1] != own:
                assert ROOMS[parts[1]] <= ROOMS[own], f"{path} imports {name}"


def test_every_room_has_its_place():
    """A new module of the core must be put into the order."""
    known = set(ROOMS) | DOORS | {"py"}
    assert {room(path) for path in sources() if not path.is_relative_to(PACKAGE)} <= set(ROOMS)
    unknown = {room(path) for path in sources() if path.is_relative_to(PACKAGE)} - known
    unknown -= {name for name in unknown if name.endswith("_v0")}
    assert not unknown - {"gym", "gymnasium_env", "sb3", "warmup"}, unknown


def test_a_variant_knows_no_doors_and_an_adapter_no_rules():
    for path in sources():
        names = imports(path, top_level=False)
        if room(path) in ("variants", "game", "cards", "bits", "atomics", "rng", "kernels", "search_kernels", "crew"):
            assert not any(name.split(".")[0] in ("pettingzoo", "gymnasium", "torch") for name in names), path
        if room(path) in ("adapters", "engine", "render"):
            assert not any(name.startswith(f"eightsenv.variants.{family}") for name in names for family in FAMILIES), path


def test_importing_the_package_is_light():
    """No torch, no matplotlib, none of the training or benchmark libraries."""
    heavy = ["torch", "matplotlib", "stable_baselines3", "pyspiel", "open_spiel", "tensorboard", "hypothesis", "pytest"]
    loaded = python(f"import sys, eightsenv; print([name for name in {heavy!r} if name in sys.modules])")
    assert loaded == "[]"


def test_importing_the_package_compiles_nothing():
    """A constant that is worked out by a compiled function costs half a second."""
    program = (
        "import gc, eightsenv; from numba.core.dispatcher import Dispatcher\n"
        "made = [d for d in gc.get_objects() if isinstance(d, Dispatcher)]\n"
        "print(len(made) > 100, [str(d) for d in made if d.signatures])"
    )
    assert python(program) == "True []"


# What is compiled


def compiled_by_playing(**environment: str) -> dict[str, dict]:
    """What a fresh process has compiled or loaded after playing through every door (``reference/compiled.py``)."""
    code = (ROOT / "tests" / "reference" / "compiled.py").read_text()
    return json.loads(python(code, **environment))


@pytest.mark.slow
def test_a_second_process_loads_what_the_first_compiled():
    """Nothing is compiled again, and every kernel has one signature."""
    compiled_by_playing()
    kernels = compiled_by_playing()["kernels"]
    assert {"kernel_reset", "kernel_lead", "kernel_serve", "kernel_choose", "kernel_rollout"} <= set(kernels)
    assert all(counts == [1, 1, 0] for counts in kernels.values() if counts != [0, 0, 0]), kernels
    assert kernels["kernel_lead"] == [1, 1, 0]


@pytest.mark.slow
def test_one_signature_each(tmp_path: Path):
    """With an empty cache everything is compiled, and each rule function, helper and kernel for one tuple of types only.

    What several families share is compiled once for the records of each. How well it is optimised is no matter here.
    """
    found = compiled_by_playing(NUMBA_CACHE_DIR=str(tmp_path), NUMBA_OPT="0")
    counts = found["functions"] | {name: signatures for name, (signatures, _, _) in found["kernels"].items()}
    rule_sets = len({get(name).rule_set.name for name in eightsenv.variants()})

    def most(name: str) -> int:
        own = not name.startswith("eightsenv.") or any(name.startswith(f"eightsenv.variants.{family}.") for family in FAMILIES)
        return 1 if own else rule_sets

    assert {name: count for name, count in counts.items() if count > most(name)} == {}
    assert all(count == 1 for name, count in counts.items() if name.endswith((".apply", ".legal", ".deal", "kernel_lead")))
    assert sum(counts.values()) > 40


MARK = "from eightsenv import engine; from eightsenv.variants.eights import RULE_SET; print(engine.fingerprint(RULE_SET))"


def test_the_fingerprint_names_what_compiled_code_depends_on(monkeypatch):
    """It is the same in every process, and another one under bounds checks, another optimisation level, or an edited source."""
    plain = {"NUMBA_BOUNDSCHECK": "", "NUMBA_OPT": ""}
    for flag in plain:
        monkeypatch.delenv(flag, raising=False)
    here = engine.fingerprint(RULE_SET)
    assert python(MARK) == here
    assert len({here, python(MARK, NUMBA_BOUNDSCHECK="1"), python(MARK, NUMBA_OPT="1")}) == 3
    true = inspect.getsource
    seen = {here}
    for module in (bits, rng, *RULE_SET.modules):
        monkeypatch.setattr(inspect, "getsource", lambda m, edited=module: true(m) + ("\n# edited\n" if m is edited else ""))
        seen.add(engine.fingerprint(RULE_SET))
    assert len(seen) == 3 + len(RULE_SET.modules)


def test_the_rule_functions_follow_the_contract():
    """Every function of the contract's table is there, and the records begin with the common headers."""

    names = {"fill", "choose_dealer", "deal", "legal", "apply", "observe", "state_vector", "winners", "greedy", "determinize"}
    assert names <= set(RULE_SET.functions)
    state, rules = RULE_SET.state_dtype.names, RULE_SET.rules_dtype.names
    assert state[:8] == tuple(field[0] for field in game.header(8))
    assert rules[: len(game.RULES_HEADER)] == tuple(field[0] for field in game.RULES_HEADER)
    assert 100 <= RULE_SET.state_dtype.itemsize <= 960


def test_records_have_no_bytes_between_their_fields():
    """NumPy's copy leaves such bytes undefined: equal states would have other bytes."""
    odd = game.record_dtype([("a", "u1"), ("b", "i8"), ("c", "i1", (3,)), ("d", "i4"), ("e", "u8", (9,)), ("f", "i1")])
    for dtype in (odd, RULE_SET.state_dtype, RULE_SET.rules_dtype, RULE_SET.scratch_dtype):
        ends = 0
        for name in dtype.names:
            assert dtype.fields[name][1] == ends, name
            ends += dtype.fields[name][0].itemsize
        assert ends == dtype.itemsize
    assert odd.fields["b"][1] == 8 and odd.fields["d"][1] % 4 == 0 and odd.itemsize % 64 == 0


def test_the_rules_of_a_setting_are_the_same_bytes_each_time():
    """Also between the fields: kernels of default settings are compiled for these bytes, once."""
    setting = engine.resolve(CRAZY_EIGHTS)
    rows = {game.rules_row(CRAZY_EIGHTS, setting).tobytes() for _ in range(50) if np.full(4096, 255, np.uint8).any()}
    assert len(rows) == 1
    assert len({id(eightsenv.make_vec("crazy_eights_v0", num_envs=1)._stepping) for _ in range(20)}) == 1

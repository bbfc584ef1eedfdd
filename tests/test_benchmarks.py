"""The benchmark runs, and reports in the shape that it promises. No times are judged here."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest

import eightsenv
from eightsenv.benchmarks import endgame, measure, peers, throughput
from eightsenv.benchmarks.measure import PER_SECOND, Case, Measured, NotInstalledError


def constant(*values: float) -> measure.Run:
    """A run that gives these values in turn."""
    iterator = iter(values)
    return lambda seconds: next(iterator)


def measured(name: str, group: str, *values: float) -> Measured:
    return Measured(Case(name, group, PER_SECOND, lambda: constant(*values)), values)


def test_quick_run_prints_tables_and_writes_json(tmp_path, capsys):
    file = tmp_path / "speed.json"
    assert throughput.main(["--quick", "--only", "fused,batched,variants,aec,threads", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    found = json.loads(file.read_text(encoding="utf-8"))

    names = [case["name"] for case in found["measured"]]
    assert len(set(names)) == len(names)
    assert {throughput.FUSED, throughput.RAW, throughput.CHECKED, throughput.IDLE, "batched step, 256 games"} <= set(names)
    for variant in eightsenv.variants():
        assert {throughput.fused_variant(variant), throughput.batched_variant(variant)} <= set(names)
    others = [variant for variant in eightsenv.variants() if variant != throughput.VARIANT]
    for case in found["measured"]:
        assert case["unit"] == PER_SECOND
        assert len(case["rounds"]) == found["scale"]["rounds"] == 1
        assert case["median"] > 0 and math.isfinite(case["median"])
    assert found["missing"] == []
    assert {"cpu", "cores", "python", "system"} <= set(found["machine"])
    assert {"numpy", "numba", "pettingzoo", "eightsenv"} <= set(found["versions"])
    assert found["date"].endswith("+00:00")
    # Both sides of these were measured; OpenSpiel was not asked for.
    assert [bound["over"] for bound in found["bounds"]] == [
        throughput.RAW,
        throughput.CHECKED,
        throughput.FUSED_TWO,
        throughput.batched_name(throughput.THREADS_SIZE, 2),
        *(name(variant) for variant in others for name in (throughput.fused_variant, throughput.batched_variant)),
    ]
    assert "Bounds" in printed and throughput.FUSED in printed and "reached" in printed


def test_the_endgame_solver_is_measured(tmp_path, capsys):
    file = tmp_path / "speed.json"
    assert throughput.main(["--quick", "--only", "endgame", "--json", str(file)]) == 0
    found = json.loads(file.read_text(encoding="utf-8"))
    assert [(case["name"], case["unit"]) for case in found["measured"]] == [
        (throughput.ENDGAME, "µs"),
        (throughput.POSITIONS_SEARCHED, "positions"),
    ]
    time, positions = (case["median"] for case in found["measured"])
    assert time > 0 and 100 < positions < 10_000
    assert [bound["over"] for bound in found["bounds"]] == [throughput.ENDGAME]
    assert "µs" in capsys.readouterr().out


def test_random_endgames_are_whole_deals():
    hands, trumps = endgame.deals(50, seed=1)
    assert (np.bitwise_count(hands) == 5).all() and set(trumps) == {0, 1, 2, 3}
    together = np.bitwise_or.reduce(hands, axis=1)
    assert (np.bitwise_count(together) == 20).all() and len(set(together.tolist())) > 10


def test_fresh_processes(tmp_path):
    file = tmp_path / "speed.json"
    assert throughput.main(["--quick", "--only", "import,start", "--json", str(file)]) == 0
    found = json.loads(file.read_text(encoding="utf-8"))
    assert [case["name"] for case in found["measured"]] == [throughput.IMPORT, throughput.IMPORT_BASE, throughput.WARM]
    assert all(case["unit"] == "s" and case["median"] > 0 for case in found["measured"])


@pytest.mark.slow
def test_a_cold_start_is_measured_once_and_says_that_it_compiles(tmp_path, capfd):
    file = tmp_path / "speed.json"
    assert throughput.main(["--quick", "--only", "start", "--cold", "--json", str(file)]) == 0
    found = json.loads(file.read_text(encoding="utf-8"))
    cold = [throughput.cold_variant(variant) for variant in throughput.COLD_LIMITS]
    assert [case["name"] for case in found["measured"]] == [throughput.WARM, *cold]
    assert "compiling" in capfd.readouterr().err


@pytest.mark.parametrize("case", peers.CASES, ids=lambda case: case.name)
def test_peers_play_or_are_reported_missing(case):
    found, missing = measure.measure([case], rounds=1, seconds=0.01)
    assert len(found) + len(missing) == 1
    if found:
        assert found[0].values[0] > 0
    else:
        assert missing[0].reason


def test_an_absent_peer_is_missing():
    absent = Case("absent", "peers", PER_SECOND, lambda: peers._peer("no_such_peer"))
    found, missing = measure.measure([absent], rounds=2, seconds=0.01)
    assert found == []
    assert "no_such_peer" in missing[0].reason
    with pytest.raises(NotInstalledError):
        peers._peer("no_such_peer.observation")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--only", "nonsense"], "nonsense"),
        (["--quack"], "--quack"),
        (["--json"], "--json"),
        (["surplus"], "surplus"),
        (["--quick", "--json", "/no/such/folder/a.json"], "/no/such/folder"),
    ],
)
def test_bad_arguments_exit_2_with_one_line(arguments, word, capsys):
    assert throughput.main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1 and word in printed.err


def test_help_exits_0(capsys):
    assert throughput.main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(group in printed for group in throughput.GROUPS)


def test_rounds_are_interleaved_after_one_unmeasured_run():
    order: list[str] = []

    def noted(name: str) -> Case:
        def run(seconds: float) -> float:
            order.append(name)
            return float(len(order))

        return Case(name, "fused", PER_SECOND, lambda: run)

    cases = [noted("a"), noted("b"), dataclasses.replace(noted("long"), once=True)]
    found, _ = measure.measure(cases, rounds=2, seconds=1)
    assert order == ["a", "b", "a", "b", "long", "a", "b"]
    assert [m.values for m in found] == [(3.0, 6.0), (4.0, 7.0), (5.0,)]


def test_a_ratio_is_the_median_of_the_rounds_ratios():
    assert measure.ratio(measured("a", "fused", 30, 2, 40), measured("b", "fused", 10, 1, 10)) == 3
    assert measured("a", "fused", 30, 2, 40).median == 30


def test_bounds_are_judged_honestly():
    values = [
        measured(throughput.FUSED, "fused", 14.9),
        measured(peers.OPENSPIEL_BOTS, "peers", 1),
        measured("batched step, 256 games", "batched", 50),
        measured("batched step, 1024 games", "batched", 61),
        measured(peers.OPENSPIEL_LEAN, "peers", 1),
        measured(throughput.IMPORT, "import", 2.1),
        measured(throughput.IMPORT_BASE, "import", 1),
        measured(throughput.WARM, "start", 0.5),
    ]
    verdicts = {verdict.bound.over: verdict for verdict in throughput.judge(values)}
    assert not verdicts[throughput.FUSED].reached
    assert verdicts["batched step, 1024 games"].reached  # the best batch size counts
    assert "batched step, 256 games" not in verdicts
    assert not verdicts[throughput.IMPORT].reached
    assert verdicts[throughput.WARM].reached
    assert len(verdicts) == 4  # nothing is said about what was not measured


def test_a_variant_is_measured_as_it_is_practised(monkeypatch):
    """High-low Eights leaves nothing to decide by default."""
    asked = []
    rollout, make_vec = eightsenv.rollout, eightsenv.make_vec
    monkeypatch.setattr(eightsenv, "rollout", lambda variant, **options: asked.append(options) or rollout(variant, **options))
    monkeypatch.setattr(eightsenv, "make_vec", lambda variant, **options: asked.append(options) or make_vec(variant, **options))
    for variant, practice in (("high_low_eights_v0", {"voluntary_pass": True}), ("crazy_eights_v0", {})):
        throughput.fused(10, variant=variant)(0.0)
        throughput.batched(8, variant=variant)(0.0)
        for options in asked:
            chosen = {"num_games", "num_envs", "num_threads", "seed"}
            assert {name: value for name, value in options.items() if name not in chosen} == practice
        asked.clear()


def test_steady_counts_decisions_per_second(monkeypatch):
    clock = iter([0.0, 0.5, 1.0, 2.0])
    monkeypatch.setattr(measure.time, "perf_counter", lambda: next(clock))
    assert measure.steady(lambda: 10)(1.5) == 30 / 2.0


def test_the_idle_environment_has_the_same_agents_and_spaces():
    from eightsenv import crazy_eights_v0

    env, idle = crazy_eights_v0.raw_env(), throughput.idle()
    assert idle.possible_agents == env.possible_agents
    for agent in env.possible_agents:
        assert idle.observation_space(agent) == env.observation_space(agent)
        assert idle.action_space(agent) == env.action_space(agent)
    idle.reset()
    seen = [agent for agent in idle.agent_iter(max_iter=6) if idle.step(0) is None]
    assert seen == ["agent_0", "agent_1", "agent_2", "agent_3", "agent_0", "agent_1"]

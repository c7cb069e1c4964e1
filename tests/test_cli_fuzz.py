"""Random and mutated bytes through the command line: only verdicts come out."""

from __future__ import annotations

import pytest

from command import document, run
from sobre.profiles import judge
from strategies import fixed_random, mutated
from vector_cases import CASES, data_of

SEEDS = [data_of(case) for case in CASES["reader"] if "max_bytes" not in case]
SEEDS = [data for data in SEEDS if len(data) < 2000]


@pytest.mark.parametrize("profile", ["core", "mcp-2026-07-28"])
def test_every_file_gets_the_verdict_of_the_library(tmp_path, profile):
    rng = fixed_random(f"cli {profile}")
    inputs = {tmp_path / f"{number}.json": mutated(rng.choice(SEEDS), rng) for number in range(300)}
    for path, data in inputs.items():
        path.write_bytes(data)
    paths = list(map(str, inputs))
    value = document(run("validate", "--profile", profile, "--json", *paths))
    assert [row["file"] for row in value["details"]["files"]] == paths
    for row, data in zip(value["details"]["files"], inputs.values(), strict=True):
        assert row["conformant"] is judge(profile, data).conformant
    text = run("validate", "--profile", profile, *paths)
    assert text.status == 1
    assert "Traceback" not in text.err
    assert all(byte >= 32 or byte == 10 for byte in text.out)


def test_random_receipts_and_evidence_end_in_a_verdict(tmp_path):
    rng = fixed_random("evidence")
    for number in range(12):
        for name in ("success", "failure", "tool", "receipt"):
            (tmp_path / name).write_bytes(mutated(rng.choice(SEEDS), rng))
        pair = ["--success", "success", "--failure", "failure", "--tool-definition", "tool"]
        profile = ["core", "mcp-2025-11-25"][number % 2]
        judged = run("evidence", "--profile", profile, *pair, "--json", cwd=tmp_path)
        assert judged.status in (0, 1)
        document(judged)
        verified = run("verify", "receipt", "--json", cwd=tmp_path)
        assert document(verified)["error_code"] in ("receipt_malformed", "invalid_json_input")

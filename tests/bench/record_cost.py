#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs: training steps with the default `record` settings against the same steps with next to none.

Runs interleaved pairs (plain, recorded, recorded, plain, …) of equal spec, seed and thread count, and takes from each run what
the same run costs with a single step, so that start, data and evaluation drop out. Prints the median over the pairs of the extra
processor time and of the extra wall time, as shares of the plain steps. Needs an idle machine for the wall time to mean much.

    tests/bench/record_cost.py [--spec FILE] [--steps 400] [--pairs 5] [--threads 1] [--set path=value]…
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAIN = ["record.scalars_every=1000000", "record.histograms_every=0", "record.maps_every=0"]


def cost(options, folder, steps, assignments):
    """(wall seconds, processor seconds) of one run of `steps` steps in a database of its own."""
    database = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "cost.heddle"
    command = [options.program, "--db", database, "train", options.spec, "--steps", str(steps)]
    for assignment in [f"train.threads={options.threads}", "train.checkpoint_every=0", "evaluate.every_epochs=0",
                       "evaluate.bleu_sentences=1", "evaluate.test_at_end=false", *options.set, *assignments]:
        command += ["--set", assignment]
    began = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"heddle train ended with {child.returncode}:\n{said}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime


def steps_only(options, folder, assignments, base):
    return [total - start for total, start in zip(cost(options, folder, options.steps, assignments), base)]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "heddle")
    p.add_argument("--spec", type=pathlib.Path, default=ROOT / "resources" / "sample" / "eau-full.json")
    p.add_argument("--steps", type=int, default=400)
    p.add_argument("--pairs", type=int, default=5)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # The cheapest of three: what disturbs a start only ever adds to it.
        base = {kind: [min(column) for column in zip(*(cost(options, folder, 1, sets) for _ in range(3)))]
                for kind, sets in (("plain", PLAIN), ("recorded", []))}
        shares = []
        for pair in range(options.pairs):
            spent = {}
            for kind in ("plain", "recorded") if pair % 2 == 0 else ("recorded", "plain"):
                spent[kind] = steps_only(options, folder, PLAIN if kind == "plain" else [], base[kind])
            shares.append([recorded / plain - 1 for recorded, plain in zip(spent["recorded"], spent["plain"])])
            print(f"pair {pair + 1}: wall {shares[-1][0]:+.2%}, processor {shares[-1][1]:+.2%}; plain step "
                  f"{1e3 * spent['plain'][1] / (options.steps - 1):.2f} ms of processor time", file=sys.stderr, flush=True)
    wall, processor = (statistics.median(column) for column in zip(*shares))
    print(json.dumps({"steps": options.steps, "pairs": options.pairs, "threads": options.threads,
                      "extra_wall": round(wall, 5), "extra_processor": round(processor, 5)}))


if __name__ == "__main__":
    main()

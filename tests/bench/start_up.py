#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon a training is under way: from the start of `heddle train` to the beginning and the end of its first step.

Takes a spec's first step several times, each in a new process and a new database. One run before them fills the caches of data
and files. Prints medians and extremes in seconds.

    tests/bench/start_up.py [--spec FILE] [--runs 5] [--threads N] [--set path=value]…
"""
import argparse
import json
import pathlib
import sqlite3
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def first_step(options, folder):
    """Seconds from the start of a process until its first step began, and until it was done."""
    database = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "start.heddle"
    command = [options.program, "--db", database, "train", options.spec, "--steps", "1", "--set", "evaluate.test_at_end=false",
               "--set", "evaluate.bleu_sentences=1"]
    if options.threads:
        command += ["--set", f"train.threads={options.threads}"]
    for assignment in options.set:
        command += ["--set", assignment]
    began = time.time()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"heddle train ended with {done.returncode}:\n{done.stderr}")
    with sqlite3.connect(database) as stored:
        started, context = stored.execute("SELECT started, context FROM v_attempts").fetchone()
        (step,) = stored.execute("SELECT value FROM v_points WHERE name = 'step_seconds' AND step = 1").fetchone()
    end = started - began + json.loads(context)["first_step_seconds"]
    return end - step, end


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "heddle")
    p.add_argument("--spec", type=pathlib.Path, default=ROOT / "resources" / "sample" / "eau-full.json")
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--threads", type=int, default=0, help="0: as many as heddle takes by itself")
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        first_step(options, folder)
        runs = [first_step(options, folder) for _ in range(options.runs)]
    for name, values in zip(("begins", "ends"), zip(*runs)):
        print(f"first step {name} after {statistics.median(values):.2f} s ({min(values):.2f} to {max(values):.2f}, "
              f"n = {len(values)})")


if __name__ == "__main__":
    main()

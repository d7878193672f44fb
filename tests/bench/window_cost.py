#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the studio's window costs a training: the same run with the Watch page open on it and without, interleaved.

Trains in a process of its own (the command line), the studio follows it through the database as it follows its own runs. Prints
for each pair the steps per second with the window divided by those without (wall time of the steps alone, as recorded), their
median, and the stalls of the window. Uses the display where there is one, else Qt's offscreen platform. Needs an idle machine.

    tests/bench/window_cost.py [--spec FILE] [--steps 400] [--pairs 5] [--set path=value]…
"""
import argparse
import json
import os
import pathlib
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "release" / "bin"


def steps_per_second(database):
    """Of all steps but the first ten, which warm up."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        rows = connection.execute("SELECT value FROM v_points WHERE run = (SELECT run FROM v_runs) AND name = 'step_seconds'"
                                  " AND step > 10").fetchall()
    return len(rows) / sum(value for value, in rows)


def one(options, folder, window):
    """(steps per second, stalls or None) of one run in a database of its own."""
    place = pathlib.Path(tempfile.mkdtemp(dir=folder))
    database, stalls = place / "window.heddle", place / "stalls.json"
    command = [BIN / "heddle", "--db", database, "train", options.spec, "--steps", str(options.steps), "--set",
               "train.epochs=0", "--set", "evaluate.test_at_end=false"]
    for assignment in options.set:
        command += ["--set", assignment]
    training = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    studio = None
    if window:
        while not database.exists():
            time.sleep(0.05)
        environment = dict(os.environ, XDG_STATE_HOME=str(place))
        if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            environment["QT_QPA_PLATFORM"] = "offscreen"
        studio = subprocess.Popen([BIN / "heddle-studio", database, "--page", "watch", "--stalls", stalls], env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if training.wait() != 0:
        raise SystemExit(f"heddle train ended with {training.returncode}")
    report = None
    if studio:
        studio.send_signal(signal.SIGTERM)
        studio.wait(timeout=30)
        report = json.loads(stalls.read_text())
    return steps_per_second(database), report


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--spec", type=pathlib.Path, default=ROOT / "resources" / "sample" / "eau-full.json")
    p.add_argument("--steps", type=int, default=400)
    p.add_argument("--pairs", type=int, default=5)
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    options = p.parse_args()
    ratios, reports = [], []
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(options.pairs):
            rates = {}
            for window in ([False, True] if pair % 2 == 0 else [True, False]):
                rates[window], report = one(options, folder, window)
                reports += [report] if report else []
            ratios.append(rates[True] / rates[False])
            print(f"pair {pair + 1}: {rates[True]:.2f} with the window, {rates[False]:.2f} without, ratio {ratios[-1]:.4f}; "
                  f"stalls {json.dumps(reports[-1])}", file=sys.stderr)
    print(json.dumps({"pairs": options.pairs, "steps": options.steps, "ratio": round(statistics.median(ratios), 4),
                      "longest_turn_ms": max(report["max_ms"] for report in reports)}))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the studio's window costs a training: the same run with the Watch page open on it and without, interleaved.

Trains in a process of its own (the command line); the studio follows it through the database as it follows its own runs. After
the studio has been open for --settle seconds, the same --seconds of every training are looked at: steps by the wall time of the
steps alone, as recorded, and the processor seconds of the studio. The studio's start is in neither. Prints the median of the
pairs and how long events kept the window from answering (these with the start). Uses the display where there is one, else Qt's
offscreen platform. Needs an idle machine.

    tests/bench/window_cost.py [--pairs 5] [--seconds 30] [--spec FILE] [--steps 4000] [--set path=value]…
    tests/bench/window_cost.py --window-only --seconds 600        the stalls of ten minutes
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
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def ask(database, question, *values):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10) as connection:
        return connection.execute(question, values).fetchall()


def step_of(database):
    """The last recorded step; 0 before there is a run."""
    try:
        rows = ask(database, "SELECT step FROM v_runs")
    except sqlite3.OperationalError:
        return 0
    return rows[0][0] if rows else 0


def steps_per_second(database, first, last):
    rows = ask(database, "SELECT value FROM v_points WHERE name = 'step_seconds' AND step > ? AND step <= ?", first, last)
    return len(rows) / sum(value for value, in rows)


def processor_seconds(process):
    """Of all threads of the process till now."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start_training(options, database):
    command = [BIN / "heddle", "--db", database, "train", options.spec, "--steps", str(options.steps), "--set",
               "train.epochs=0", "--set", "evaluate.test_at_end=false"]
    for assignment in options.set:
        command += ["--set", assignment]
    return subprocess.Popen([str(word) for word in command], **QUIET)


def start_studio(database, stalls):
    environment = dict(os.environ, XDG_STATE_HOME=str(database.parent))
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    return subprocess.Popen([BIN / "heddle-studio", database, "--page", "watch", "--stalls", stalls], env=environment, **QUIET)


def one(options, folder, window):
    """One training in a database of its own: {"rate": steps a second} and, with the window, {"processor", "stalls"}."""
    place = pathlib.Path(tempfile.mkdtemp(dir=folder))
    database, stalls = place / "window.heddle", place / "stalls.json"
    training, studio, result = start_training(options, database), None, {}
    try:
        while step_of(database) < 1 and training.poll() is None:
            time.sleep(0.2)
        if window:
            studio = start_studio(database, stalls)
        time.sleep(options.settle)
        first, spent = step_of(database), processor_seconds(studio) if studio else 0
        time.sleep(options.seconds)
        last = step_of(database)
        if studio:
            result["processor"] = (processor_seconds(studio) - spent) / options.seconds
        if training.poll() is not None:
            raise SystemExit(f"the training ended ({training.returncode}) before it was measured: more --steps")
        result["rate"] = steps_per_second(database, first, last)
    finally:
        for process in filter(None, (studio, training)):
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
    if studio:
        result["stalls"] = json.loads(stalls.read_text())
    return result


def compare(options, folder):
    """Pairs of runs, each time in the other order."""
    ratios, windows = [], []
    for pair in range(options.pairs):
        runs = {}
        for window in ([False, True] if pair % 2 == 0 else [True, False]):
            runs[window] = one(options, folder, window)
        windows.append(runs[True])
        ratios.append(runs[True]["rate"] / runs[False]["rate"])
        print(f"pair {pair + 1}: {runs[True]['rate']:.2f} steps/s with the window, {runs[False]['rate']:.2f} without, ratio "
              f"{ratios[-1]:.4f}; the studio took {runs[True]['processor']:.3f} s of processor a second; stalls "
              f"{json.dumps(runs[True]['stalls'])}", file=sys.stderr)
    return {"pairs": options.pairs, "ratio": round(statistics.median(ratios), 4),
            "ratios": [round(ratio, 4) for ratio in ratios],
            "processor": round(statistics.median(run["processor"] for run in windows), 4),
            "longest_turn_ms": max(run["stalls"]["max_ms"] for run in windows)}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--spec", type=pathlib.Path, default=ROOT / "resources" / "sample" / "eau-full.json")
    p.add_argument("--steps", type=int, default=4000, help="the length of the training, as the axes of the curves show it")
    p.add_argument("--pairs", type=int, default=5)
    p.add_argument("--seconds", type=float, default=30, help="how long each training is measured")
    p.add_argument("--settle", type=float, default=10, help="seconds between the start of the studio and the measurement")
    p.add_argument("--window-only", action="store_true", help="one training with the window: its stalls and processor time")
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = one(options, folder, True) if options.window_only else compare(options, folder)
    print(json.dumps({"steps": options.steps, "seconds": options.seconds, **found}))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the studio's window costs a training: the speed of one training with a page open on it and without.

Trains in one process (the command line) and opens a studio on the database in another, as a studio follows its own runs. After
--settle seconds the window stands still (it is stopped) and goes on in turns of --seconds, in the order with, without, without,
with, so that a machine that becomes faster or slower does so for both. Two trainings are not compared: two processes of one
program differ by a few per cent (where their memory lies). Compared are the mean wall times of a turn's steps, as recorded.
Sentences differ in length and shared machines in speed, by 5 % from one turn to the next, so take many turns. Prints the ratio of
the speeds (below 1: the window slows the training) with its 95 % interval over the pairs of turns. Uses the display where there
is one, else Qt's offscreen platform. The window is that of window_bench (ninja window_bench).

    tests/bench/window_cost.py [--pairs 100] [--seconds 2] [--page watch] [--spec FILE] [--steps 200000] [--set path=value]…
    tests/bench/window_cost.py --window-only --seconds 600 --page inspect      stalls, processor time and wakings of ten minutes
"""
import argparse
import json
import math
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
# Seconds left out at the start of a turn: steps are recorded later than they are taken, and a window that goes on has all its
# clocks due.
LAG = 0.75
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


def step_seconds(database):
    """{step: seconds} of all steps."""
    return dict(ask(database, "SELECT step, value FROM v_points WHERE name = 'step_seconds'"))


def mean_of(times, turn):
    """The mean time of the steps of a turn (first, last], as Training.turn() gives it."""
    first, last = turn
    found = [times[step] for step in range(first + 1, last + 1) if step in times]
    if not found:
        raise SystemExit("window_cost: a turn without a recorded step: measure longer turns (--seconds)")
    return statistics.fmean(found)


def spent_by_thread(process):
    """{thread: (name, processor seconds, wakings)} till now."""
    spent = {}
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        try:
            status = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
            seconds = int((task / "schedstat").read_text().split()[0]) / 1e9
        except FileNotFoundError:  # it has ended
            continue
        spent[task.name] = (status["Name"], seconds, int(status["voluntary_ctxt_switches"]))
    return spent


def start_training(options, database):
    command = [BIN / "heddle", "--db", database, "train", options.spec, "--steps", str(options.steps), "--set",
               "train.epochs=0", "--set", "evaluate.test_at_end=false"]
    for assignment in options.set:
        command += ["--set", assignment]
    return subprocess.Popen([str(word) for word in command], **QUIET)


def start_studio(database, page, stalls):
    environment = dict(os.environ, XDG_STATE_HOME=str(database.parent))
    if environment.get("WAYLAND_DISPLAY") or environment.get("DISPLAY"):  # it takes the offscreen platform by itself
        environment.setdefault("QT_QPA_PLATFORM", "wayland" if environment.get("WAYLAND_DISPLAY") else "xcb")
    return subprocess.Popen([BIN / "window_bench", database, page, stalls], env=environment,
                            stdout=subprocess.DEVNULL, stderr=open(f"{stalls}.txt", "w"))  # each as it happens


class Training:
    """A training in a database of its own and the studio that follows it, --settle seconds after the studio's start."""

    def __init__(self, options, folder):
        self.place = pathlib.Path(folder)
        self.database = self.place / "window.heddle"
        self.training = start_training(options, self.database)
        while step_of(self.database) < 1 and self.training.poll() is None:
            time.sleep(0.2)
        self.studio = start_studio(self.database, options.page, self.place / "stalls.json")
        time.sleep(options.settle)

    def turn(self, seconds, window):
        """The first and the last step of a turn with the window, or with the window standing still."""
        os.kill(self.studio.pid, signal.SIGCONT if window else signal.SIGSTOP)
        time.sleep(LAG)
        first = step_of(self.database)
        time.sleep(seconds)
        if self.training.poll() is not None:
            raise SystemExit(f"window_cost: the training ended ({self.training.returncode}) while it was measured: more --steps")
        return first, step_of(self.database)

    def close(self):
        """Ends both; what the studio says of its stalls."""
        for process in (self.studio, self.training):
            if process.poll() is None:
                os.kill(process.pid, signal.SIGCONT)
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=60)
        return {**json.loads((self.place / "stalls.json").read_text()),
                "each": (self.place / "stalls.json.txt").read_text().splitlines()}


def measure_window(options, run):
    """Processor seconds and wakings a second of a window that is open for --seconds, in all and of each thread."""
    before = spent_by_thread(run.studio)
    time.sleep(options.seconds)
    threads = []
    for thread, (name, seconds, wakings) in spent_by_thread(run.studio).items():
        _, seconds_before, wakings_before = before.get(thread, (name, 0, 0))
        threads.append({"thread": name, "processor": (seconds - seconds_before) / options.seconds,
                        "wakings": (wakings - wakings_before) / options.seconds})
    return {key: sum(thread[key] for thread in threads) for key in ("processor", "wakings")} | {"threads": threads}


def compare(options, run):
    """Speed with the window ÷ without, over --pairs pairs of turns."""
    pairs = []
    for number in range(options.pairs):
        order = (True, False) if number % 2 == 0 else (False, True)
        pairs.append({window: run.turn(options.seconds, window) for window in order})
    times = step_seconds(run.database)
    logs = [math.log(mean_of(times, turns[False]) / mean_of(times, turns[True])) for turns in pairs]
    mean, spread = statistics.fmean(logs), 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))
    return {"pairs": len(logs), "ratio": round(math.exp(mean), 4),
            "interval": [round(math.exp(mean - spread), 4), round(math.exp(mean + spread), 4)]}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--spec", type=pathlib.Path, default=ROOT / "resources" / "sample" / "eau-full.json")
    p.add_argument("--steps", type=int, default=200000, help="the length of the training, as the axes of the curves show it")
    p.add_argument("--pairs", type=int, default=100, help="pairs of turns, with the window and without; at least 2")
    p.add_argument("--seconds", type=float, default=2, help="how long a turn is measured, or the window with --window-only")
    p.add_argument("--settle", type=float, default=10, help="seconds between the start of the studio and the measurement")
    p.add_argument("--window-only", action="store_true", help="one training with the window: its stalls and processor time")
    p.add_argument("--page", default="watch", help="the page that the window shows: watch, inspect")
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    options = p.parse_args()
    if options.pairs < 2:
        p.error("--pairs: an interval needs 2 at least")
    with tempfile.TemporaryDirectory() as folder:
        run = Training(options, folder)
        try:
            found = measure_window(options, run) if options.window_only else compare(options, run)
        finally:
            stalls = run.close()
    if options.window_only:
        found["stalls"] = stalls
    print(json.dumps({"steps": options.steps, "seconds": options.seconds, **found}))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the studio's window costs a training: the same run with a page open on it and without.

Trains the same run twice, in processes of their own (the command line), each followed by a studio through the database as a
studio follows its own runs. After --settle seconds the two trainings take turns (the other one is stopped), so that a machine
that is fast now and slow later is so for both. Their steps are compared by the wall time of the steps alone, as recorded, over
the same steps; a step within which a training was stopped is left out. In the first half of a pair the one has its window and
the other's window stands still, in the second half it is the other way round: two processes of one program differ by a few per
cent (where their memory lies), and so each is with and without. Prints the median of the pairs. Uses the display where there is
one, else Qt's offscreen platform.

    tests/bench/window_cost.py [--pairs 5] [--seconds 30] [--spec FILE] [--steps 60000] [--set path=value]…
    tests/bench/window_cost.py --window-only --seconds 600 --page inspect      stalls and processor time of ten minutes
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
TURN = 4.0  # seconds: a stopped window has all its clocks due when it goes on, as if it looked more often
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
    """{step: seconds} of the steps that no turn of the other training interrupted."""
    return dict(ask(database, "SELECT step, value FROM v_points WHERE name = 'step_seconds' AND value < ?", TURN))


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


def start_studio(database, page, stalls):
    environment = dict(os.environ, XDG_STATE_HOME=str(database.parent))
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    return subprocess.Popen([BIN / "heddle-studio", database, "--page", page, "--stalls", stalls], env=environment,
                            stdout=subprocess.DEVNULL, stderr=open(f"{stalls}.txt", "w"))  # each as it happens


class Training:
    """One training in a database of its own and the studio that follows it, --settle seconds after the studio's start."""

    def __init__(self, options, folder):
        self.place = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.database = self.place / "window.heddle"
        self.training = start_training(options, self.database)
        while step_of(self.database) < 1 and self.training.poll() is None:
            time.sleep(0.2)
        self.studio = start_studio(self.database, options.page, self.place / "stalls.json")
        time.sleep(options.settle)

    def go(self, window):
        """Goes on, with its window or with the window standing still."""
        if self.training.poll() is not None:
            raise SystemExit(f"the training ended ({self.training.returncode}) before it was measured: more --steps")
        os.kill(self.training.pid, signal.SIGCONT)
        if window:
            os.kill(self.studio.pid, signal.SIGCONT)

    def stop(self):
        for process in (self.studio, self.training):
            os.kill(process.pid, signal.SIGSTOP)

    def close(self):
        """Ends both; what the studio says of its stalls."""
        for process in (self.studio, self.training):
            os.kill(process.pid, signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
        return {**json.loads((self.place / "stalls.json").read_text()),
                "each": (self.place / "stalls.json.txt").read_text().splitlines()}


def one(options, folder):
    """The stalls and the processor seconds a second of a window that is open for --seconds."""
    run = Training(options, folder)
    try:
        spent = processor_seconds(run.studio)
        time.sleep(options.seconds)
        processor = (processor_seconds(run.studio) - spent) / options.seconds
    finally:
        stalls = run.close()
    return {"processor": processor, "stalls": stalls}


def half(options, runs, with_window):
    """Turns of --seconds for each; the first and last step that both have taken in them."""
    first = max(step_of(run.database) for run in runs)
    for _ in range(round(options.seconds / TURN)):
        for run in runs:
            run.go(run is with_window)
            time.sleep(TURN)
            run.stop()
    return first, min(step_of(run.database) for run in runs)


def seconds_of(runs, first, last):
    """What the steps that both have recorded between the two took each of them."""
    times = [step_seconds(run.database) for run in runs]
    common = [step for step in times[0] if first < step <= last and step in times[1]]
    return [sum(steps[step] for step in common) for steps in times]


def pair(options, folder):
    """Speed with the window ÷ without; and the second process ÷ the first, which is luck."""
    runs = []
    try:
        for _ in range(2):
            runs.append(Training(options, folder))
            runs[-1].stop()
        halves = [half(options, runs, run) for run in runs]
    finally:
        for run in runs:
            run.close()
    (with_1, plain_1), (plain_2, with_2) = [seconds_of(runs, *steps) for steps in halves]
    if not (with_1 and with_2):
        return None  # one training was so far ahead that they have no step in common
    ratios = plain_1 / with_1, plain_2 / with_2
    return math.sqrt(ratios[0] * ratios[1]), math.sqrt(ratios[1] / ratios[0])


def compare(options, folder):
    ratios = []
    for number in range(options.pairs):
        measured = pair(options, folder)
        if not measured:
            print(f"pair {number + 1}: no step in common, left out; measure longer (--seconds)", file=sys.stderr, flush=True)
            continue
        ratio, luck = measured
        ratios.append(ratio)
        print(f"pair {number + 1}: ratio {ratio:.4f} (second process ÷ first {luck:.4f})", file=sys.stderr, flush=True)
    if not ratios:
        raise SystemExit("window_cost: no pair had steps in common: measure longer (--seconds)")
    return {"pairs": len(ratios), "ratio": round(statistics.median(ratios), 4),
            "ratios": [round(ratio, 4) for ratio in ratios]}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--spec", type=pathlib.Path, default=ROOT / "resources" / "sample" / "eau-full.json")
    p.add_argument("--steps", type=int, default=60000, help="the length of the training, as the axes of the curves show it")
    p.add_argument("--pairs", type=int, default=5)
    p.add_argument("--seconds", type=float, default=30, help="how long each training is measured, with its window and without")
    p.add_argument("--settle", type=float, default=10, help="seconds between the start of the studio and the measurement")
    p.add_argument("--window-only", action="store_true", help="one training with the window: its stalls and processor time")
    p.add_argument("--page", default="watch", help="the page that the window shows: watch, inspect")
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = one(options, folder) if options.window_only else compare(options, folder)
    print(json.dumps({"steps": options.steps, "seconds": options.seconds, **found}))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs: training steps with the default `record` settings against the same steps with next to none.

Each pair is one recorded and one plain run of equal spec, seed and thread count. The two take turns of a fraction of a second
(the other one is stopped), so that a machine that is fast now and slow later is so for both. What the same two cost with a
single step is taken off: start, data and evaluation drop out. Prints the median over the pairs of the extra processor time and
of the extra time in turns, as shares of the plain steps.

    tests/bench/record_cost.py [--spec FILE] [--steps 400] [--pairs 5] [--threads 1] [--turn 0.25] [--set path=value]…
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAIN = ["record.scalars_every=1000000", "record.histograms_every=0", "record.maps_every=0"]


class Training:
    """A stopped `heddle train` in a database of its own, and what its turns have come to."""

    def __init__(self, options, folder, steps, assignments):
        database = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "cost.heddle"
        command = [options.program, "--db", database, "train", options.spec, "--steps", str(steps)]
        for assignment in [f"train.threads={options.threads}", "train.checkpoint_every=0", "evaluate.every_epochs=0",
                           "evaluate.bleu_sentences=1", "evaluate.test_at_end=false", *options.set, *assignments]:
            command += ["--set", assignment]
        self.said = tempfile.TemporaryFile(dir=folder)
        self.child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=self.said)
        os.kill(self.child.pid, signal.SIGSTOP)
        self.wall = self.processor = 0.0
        self.ended = False

    def turn(self, seconds):
        began = time.monotonic()
        os.kill(self.child.pid, signal.SIGCONT)
        while not self.ended and time.monotonic() - began < seconds:
            time.sleep(0.005)
            pid, status, usage = os.wait4(self.child.pid, os.WNOHANG)
            if pid:
                self.end(status, usage)
        if not self.ended:
            os.kill(self.child.pid, signal.SIGSTOP)
        self.wall += time.monotonic() - began

    def end(self, status, usage):
        self.ended = True
        self.child.returncode = os.waitstatus_to_exitcode(status)
        self.processor = usage.ru_utime + usage.ru_stime
        if self.child.returncode != 0:
            self.said.seek(0)
            raise SystemExit(f"heddle train ended with {self.child.returncode}:\n{self.said.read().decode(errors='replace')}")


def in_turns(options, folder, steps):
    """[(wall, processor) of a plain run, of a recorded one]"""
    runs = [Training(options, folder, steps, assignments) for assignments in (PLAIN, [])]
    while not all(run.ended for run in runs):
        for run in runs:
            if not run.ended:
                run.turn(options.turn)
    return [(run.wall, run.processor) for run in runs]


def extra(options, folder, bases):
    """Extra wall and processor time of the recorded steps, and the processor time of a plain step."""
    runs = in_turns(options, folder, options.steps)
    plain, recorded = ([total - start for total, start in zip(run, base)] for run, base in zip(runs, bases))
    return [ours / theirs - 1 for ours, theirs in zip(recorded, plain)], plain[1] / (options.steps - 1)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "heddle")
    p.add_argument("--spec", type=pathlib.Path, default=ROOT / "resources" / "sample" / "eau-full.json")
    p.add_argument("--steps", type=int, default=400)
    p.add_argument("--pairs", type=int, default=5)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--turn", type=float, default=0.25, help="seconds")
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        starts = [in_turns(options, folder, 1) for _ in range(3)]
        bases = [[statistics.median(values) for values in zip(*(start[kind] for start in starts))] for kind in (0, 1)]
        shares = []
        for pair in range(options.pairs):
            share, step = extra(options, folder, bases)
            shares.append(share)
            print(f"pair {pair + 1}: wall {share[0]:+.2%}, processor {share[1]:+.2%}; plain step {1e3 * step:.2f} ms of "
                  "processor time", file=sys.stderr, flush=True)
    wall, processor = (statistics.median(column) for column in zip(*shares))
    print(json.dumps({"steps": options.steps, "pairs": options.pairs, "threads": options.threads,
                      "extra_wall": round(wall, 5), "extra_processor": round(processor, 5)}))


if __name__ == "__main__":
    main()

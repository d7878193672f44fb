#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills the program thousands of times and looks whether anything is lost.

    tests/kills/run.py [--kills N] [--seconds N] [--only KIND] [--seed S] [--workers N] [--spec FILE] [--json FILE]

Trains one small run without a kill. Then starts `heddle train`, `resume`, `serve`, `evaluate`, `translate`, `runs import`, `export`,
`delete`, `tag`, `trash`, `restore` and whatever creates a database or updates its schema, kills each with SIGKILL after a random
time or right after a file event (a checkpoint's file is opened or closed, its folder renamed, the log, the journal, the lock or the
inbox made, …) and up to 3 ms, and starts the next in what is left. A kill counts when waitpid() says that it ended the program.

After every kill: `runs list` works, SQLite's integrity_check passes, no run, no acknowledged change and no recorded row is lost,
every recorded checkpoint has its files with their SHA-256. At the end of every chain of kills the weights, curves, evaluations,
samples, histograms and maps are bit for bit those of the uninterrupted run, and nothing is left over. Prints a table; the exit
status is 1 if anything was lost, and the folders of the failures stay. Which command is killed at which event follows from --seed,
the moment within it from the machine.
"""
import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import queue
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from chain import Aims  # noqa: E402
from facts import Loss  # noqa: E402
from row_chains import Create, Delete, Edit, EditByOwner, Export, Import, Schema  # noqa: E402
from training_chains import Evaluate, Serve, TrainAndResume, Translate  # noqa: E402
from world import ROOT, World  # noqa: E402

# Of 10,000 kills, by the chain that makes them. A chain with LibTorch costs a second a kill, one without a fifth.
CHAINS = {TrainAndResume: (("train", "resume"), 2000), Serve: (("serve",), 400), Evaluate: (("evaluate",), 350),
          Translate: (("translate",), 350), Create: (("create",), 1400), Import: (("import",), 1100),
          Export: (("export",), 1000), Delete: (("delete",), 1100), Edit: (("tag", "trash"), 900),
          EditByOwner: (("tag by owner", "trash by owner"), 800), Schema: (("schema",), 600)}
KINDS = [kind for kinds, _ in CHAINS.values() for kind in kinds]
FOLDERS_KEPT = 20


class Stop(Exception):
    """Enough kills."""


class Worker:
    """Runs chains, each time of the kind that lags behind its share most, and reports every shot."""

    def __init__(self, world, options, number, results, stop):
        self.world, self.options, self.results, self.stop = world, options, results, stop
        self.folder = world.folder / f"worker-{number}"
        self.aims, self.number, self.kills = Aims(), number, collections.Counter()
        self.goal = options.kills / options.workers
        self.chains = [chain for chain, (kinds, _) in CHAINS.items() if not options.only or set(options.only) & set(kinds)]

    def tally(self, chain, kind, outcome):
        if outcome.killed:
            self.kills[chain] += 1
            self.results.put(("kill", kind, outcome.event))
        if self.stop.is_set() or self.kills.total() >= self.goal:
            raise Stop

    def work(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to end
        self.folder.mkdir()
        number = 0
        while not self.stop.is_set() and self.kills.total() < self.goal:
            chain = min(self.chains, key=lambda chain: self.kills[chain] / CHAINS[chain][1])
            number += 1
            self.one(chain, number)
        self.results.put(("end",))

    def one(self, chain, number):
        folder = self.folder / f"{number}-{chain.__name__.lower()}"
        rng = random.Random(f"{self.options.seed} {self.number} {number}")
        made = chain(self.world, folder, rng, self.aims, lambda kind, outcome: self.tally(chain, kind, outcome))
        try:
            made.run()
        except Stop:
            pass
        except Loss as loss:
            self.fail(chain, made, str(loss))
            return
        except Exception:  # a fault of this script must not look like none
            self.fail(chain, made, "fault of the script: " + traceback.format_exc())
            return
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(made.scratch, ignore_errors=True)

    def fail(self, chain, made, what):
        (made.folder / "history.txt").write_text(f"{what}\n\nseed {self.options.seed}, {made.folder.name}\n\n"
                                                 + "\n".join(made.history) + "\n")
        shutil.rmtree(made.scratch, ignore_errors=True)
        self.kills[chain] += 0 if made.last else 1  # a chain that fails before its first shot must not be tried for ever
        self.results.put(("loss", made.last or CHAINS[chain][0][0], what, str(made.folder), "\n".join(made.history[-4:])))


class Report:
    """What all workers found."""

    def __init__(self, options):
        self.options, self.begun = options, time.monotonic()
        self.kills, self.aimed, self.losses = collections.Counter(), collections.defaultdict(collections.Counter), []

    def take(self, kind, *rest):
        if kind == "kill":
            self.kills[rest[0]] += 1
            if rest[1]:
                self.aimed[rest[0]][rest[1]] += 1
        elif kind == "loss":
            self.losses.append(rest)
            what, folder, history = rest[1:]
            print(f"LOST ({rest[0]}): {what}\n  seed {self.options.seed}, {folder}\n  " + history.replace("\n", "\n  "),
                  file=sys.stderr)
            if len(self.losses) > FOLDERS_KEPT:
                shutil.rmtree(folder, ignore_errors=True)

    def progress(self):
        minutes = (time.monotonic() - self.begun) / 60
        print(f"{self.kills.total():,} of {self.options.kills:,} kills, {len(self.losses)} lost, {minutes:.0f} min",
              file=sys.stderr, flush=True)

    def table(self):
        lost = collections.Counter(loss[0] for loss in self.losses)
        lines = [f"{'kind':<16}{'kills':>7}{'aimed':>7}{'lost':>6}  after file events"]
        for kind in KINDS:
            if not self.kills[kind] and not lost[kind]:
                continue
            lines.append(f"{kind:<16}{self.kills[kind]:>7,}{self.aimed[kind].total():>7,}{lost[kind]:>6}")
            lines += [f"{'':<38}{count:>5}  {event}" for event, count in self.aimed[kind].most_common()]
        aimed = sum(events.total() for events in self.aimed.values())
        at_checkpoints = sum(count for kind in ("train", "resume", "serve") for event, count in self.aimed[kind].items()
                             if ".tmp-" in event or "step-N" in event or ".trash-" in event)
        lines.append(f"{'all':<16}{self.kills.total():>7,}{aimed:>7,}{len(self.losses):>6}  "
                     f"{at_checkpoints:,} of them while a checkpoint was written, renamed or removed")
        return "\n".join(lines)

    def document(self):
        return {"schema": "heddle.kills/1", "seed": self.options.seed, "seconds": round(time.monotonic() - self.begun, 1),
                "kills": self.kills.total(), "aimed": sum(events.total() for events in self.aimed.values()),
                "lost": len(self.losses),
                "kinds": {kind: {"kills": self.kills[kind], "aimed": self.aimed[kind].total(),
                                 "lost": sum(loss[0] == kind for loss in self.losses), "events": dict(self.aimed[kind])}
                          for kind in KINDS if self.kills[kind]},
                "losses": [{"kind": kind, "what": what, "folder": folder, "history": history}
                           for kind, what, folder, history in self.losses]}


def listen(results, workers, report, stop, options):
    """Until all workers have ended."""
    end = time.monotonic() + options.seconds if options.seconds else float("inf")
    said = time.monotonic()
    left = len(workers)
    while left:
        if time.monotonic() > end:
            stop.set()
        if time.monotonic() - said > 60:
            report.progress()
            said = time.monotonic()
        try:
            message = results.get(timeout=1)
        except queue.Empty:
            if not any(worker.is_alive() for worker in workers) and results.empty():
                raise SystemExit("a worker of this script died")
            continue
        left -= message[0] == "end"
        if message[0] != "end":
            report.take(*message)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=10000)
    parser.add_argument("--seconds", type=float, help="end after so long, whatever the number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--heddle", default=ROOT / "build" / "release" / "bin" / "heddle")
    parser.add_argument("--only", action="append", choices=KINDS, help="may be given several times")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--spec", type=pathlib.Path, help="train this run spec instead of the small one")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the summary there")
    parser.add_argument("--folder", type=pathlib.Path, help="work in this folder (default: a temporary one)")
    return parser.parse_args()


def main():
    options = arguments()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle-kills-", dir=options.folder))
    world = World(folder, options.heddle, options.spec)
    world.build()
    print(f"{folder}: the uninterrupted run takes {world.duration:.1f} s", file=sys.stderr)
    context = multiprocessing.get_context("fork")
    results, stop, report = context.Queue(), context.Event(), Report(options)
    workers = [context.Process(target=Worker(world, options, number, results, stop).work) for number in range(options.workers)]
    for worker in workers:
        worker.start()
    for number in (signal.SIGINT, signal.SIGTERM):  # also where a shell in the background ignores them
        signal.signal(number, signal.default_int_handler)
    try:
        listen(results, workers, report, stop, options)
    except KeyboardInterrupt:
        stop.set()
        listen(results, workers, report, stop, options)
    print(report.table())
    if options.json:
        options.json.write_text(json.dumps(report.document(), indent=1) + "\n")
    if report.losses:
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a change made training slower: the small workloads by two builds of heddle, in turn, each time a new process.

A workload's ratio is the old build's step time ÷ the new one's, the median over pairs of neighbouring turns; the order within a
pair changes, so that a machine that slows down does so to both. A workload counts as slower (or faster) when every pair agrees:
of six pairs that is by luck once in 32 times (two-sided sign test). Exits with 1 if one is slower by more than --tolerance.

    tests/bench/two_builds.py OLD/bin/heddle NEW/bin/heddle [--workloads W1 W6…] [--pairs 6] [--steps 5] [--full] [--threads 2]
                  [--device cpu]
    tests/bench/two_builds.py bin/heddle --without KERNEL [the same options]

With --without, the old build is the new one without its own kernel of this name (engine/kernels/own_kernels.h).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

REGRESSION_SET = ["W1", "W1r-bkt", "W5s-acc", "W5s-g", "W6", "W7"]


def step_ms(program, without, workload, options):
    command = [program, "bench", "train", workload, "--device", options.device, "--json", "--threads", str(options.threads),
               "--steps", str(options.steps), "--repeats", "1", "--pool", "4"]
    if options.device == "cpu":
        command += ["--warmup", "1"]  # on a GPU the program's own number: graphs are captured in these steps
    done = subprocess.run(command + ([] if options.full else ["--small"]), capture_output=True, text=True,
                          env={**os.environ, "HEDDLE_WITHOUT": without})
    if done.returncode != 0:
        raise SystemExit(f"{program} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)["rows"][0]["step_ms"]


def compare(workload, options):
    """[(old, new)] in ms"""
    pairs = []
    for number in range(options.pairs):
        old, new = (options.old, options.without), (options.new, "")
        took = {build: step_ms(*build, workload, options) for build in ((old, new) if number % 2 == 0 else (new, old))}
        pairs.append((took[old], took[new]))
    return pairs


def verdict(ratios):
    if all(ratio < 1 for ratio in ratios):
        return "slower"
    return "faster" if all(ratio > 1 for ratio in ratios) else "no difference shown"


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("old")
    p.add_argument("new", nargs="?")
    p.add_argument("--without", default="", metavar="KERNEL")
    p.add_argument("--workloads", nargs="+", default=REGRESSION_SET)
    p.add_argument("--pairs", type=int, default=6)
    p.add_argument("--steps", type=int, default=5)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--device", default="cpu")
    p.add_argument("--tolerance", type=float, default=0.03, help="a slowdown that is let pass, as a share")
    p.add_argument("--full", action="store_true", help="the workloads at full size")
    options = p.parse_args()
    if options.without:
        options.new = options.new or options.old
    elif options.new in (None, options.old):
        p.error("give two programs, or one and --without: the same one twice cannot be told apart")
    failed = False
    for workload in options.workloads:
        pairs = compare(workload, options)
        ratios = [old / new for old, new in pairs]
        ratio, said = statistics.median(ratios), verdict(ratios)
        failed |= said == "slower" and ratio < 1 - options.tolerance
        old, new = (statistics.median(times) for times in zip(*pairs))
        print(f"{workload:8} old {old:7.1f} ms  new {new:7.1f} ms  old ÷ new {ratio:.3f} "
              f"({min(ratios):.3f} to {max(ratios):.3f}, {len(pairs)} pairs)  {said}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the kernels of a training step took and moved, from the files quarter-ncu-*.txt of tests/gpu/quarter.sh.

    tests/gpu/kernels.py RESULTS/quarter-ncu-W1.txt… [--rows 12]

A step lies between two updates (the kernel "adam"). Products before its first look-up are those whose speed `bench` measures as
the ceiling; they are left out. Times are those of each kernel alone, so their sum is a little more than the step; bytes are those of the
device's memory.
"""
import argparse
import collections
import csv
import re


def launches(path):
    """[(kernel, µs, MB)] in their order"""
    lines = open(path, encoding="utf-8").read().split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    made = {}
    for row in csv.DictReader(lines[first:]):
        launch = made.setdefault(int(row["ID"]), {"name": row["Kernel Name"]})
        launch[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return [(l["name"], l["gpu__time_duration.sum"] / 1e3, l["dram__bytes.sum"] / 1e6) for l in made.values()]


def last_step(all_launches):
    updates = [i for i, (name, *_) in enumerate(all_launches) if "adam" in name.lower()]
    if len(updates) < 2:
        raise SystemExit("no whole step was recorded: there are fewer than two updates")
    step = all_launches[updates[-2] + 2:updates[-1] + 2]  # the update is followed by the record of its numbers
    while step[0][0].startswith("nvjet") or "FillFunctor" in step[0][0]:
        step = step[1:]
    return step


def called(name):
    """A kernel's name without its template arguments but the one that says what it computes."""
    plain = re.sub(r"<unnamed>::|\(anonymous namespace\)::|at::native::|at::|void ", "", name)
    word = re.match(r"[\w:]+", plain).group(0)
    does = re.search(r"heddle::(?:\w+::)*(\w+)[<,>]", plain[len(word):]) if word.startswith("heddle") else \
        re.search(r"(\w*Functor\w*|\w+_kernel_cuda)", plain[len(word):])
    return word + (f" ({does.group(1)})" if does else "")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("files", nargs="+")
    p.add_argument("--rows", type=int, default=12)
    options = p.parse_args()
    for path in options.files:
        step = last_step(launches(path))
        took = sum(us for _, us, _ in step)
        print(f"{path}: {len(step)} kernels, {took / 1e3:.2f} ms, {sum(mb for *_, mb in step) / 1e3:.2f} GB")
        kinds = collections.defaultdict(lambda: [0, 0.0, 0.0])
        for name, us, mb in step:
            kind = kinds[called(name)]
            kind[0], kind[1], kind[2] = kind[0] + 1, kind[1] + us, kind[2] + mb
        for name, (count, us, mb) in sorted(kinds.items(), key=lambda kind: -kind[1][1])[:options.rows]:
            print(f"{us:9.0f} µs {100 * us / took:5.1f} % {count:5} × {mb:8.0f} MB  {name}")


if __name__ == "__main__":
    main()

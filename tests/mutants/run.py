#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants single faults in the blocks, one after the other, and asks whether `heddle verify` sees each of them.

    tests/mutants/run.py [--only WORD] [--jobs N]

Works on a copy of the tree in build/mutants, so that nothing of yours is touched. faults.json lists the faults: the file, the text
to replace (it must stand there exactly once), what replaces it, and what is wrong then. A fault that does not compile, or that
verify does not see, is a failure. The first run builds the engine (minutes); a fault takes about half a minute. Exit status: the
number of faults that were not caught.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "mutants"
BUILD = COPY / "build"


def libtorch():
    return os.environ.get("HEDDLE_LIBTORCH", str(ROOT / ".deps" / "torch-2.11.0" / "torch"))


def copy_tree():
    """The files that git knows or would know, where they differ; what is built from them stays valid."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        source, target = ROOT / name, COPY / name
        if not source.is_file():
            continue
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
            target.touch()


def configure():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DHEDDLE_STUDIO=OFF",
                        f"-DHEDDLE_LIBTORCH:PATH={libtorch()}"], check=True, stdout=subprocess.DEVNULL)


def build(jobs):
    done = subprocess.run(["ninja", "-C", BUILD, "-j", str(jobs), "heddle", "heddle_engine"], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def failed_checks():
    """The names of the checks that fail, or None when verify itself broke down."""
    done = subprocess.run([BUILD / "bin" / "heddle", "verify", "--json"], capture_output=True, text=True,
                          env={**os.environ, "HEDDLE_LIBTORCH": libtorch()})
    try:
        return [check["name"] for check in json.loads(done.stdout)["checks"] if check["status"] == "fail"]
    except (json.JSONDecodeError, KeyError):
        return None


def plant(fault):
    path = COPY / fault["file"]
    text = path.read_text()
    if text.count(fault["find"]) != 1:
        raise SystemExit(f"{fault['file']}: the text to replace stands there {text.count(fault['find'])} times: {fault['find']}")
    path.write_text(text.replace(fault["find"], fault["replace"]))
    return path, text


def try_fault(fault, jobs):
    path, original = plant(fault)
    try:
        compiles, output = build(jobs)
        if not compiles:
            return False, "does not compile: " + next((line for line in output.splitlines() if "error" in line), output[-200:])
        failed = failed_checks()
        if failed is None:
            return True, "verify broke off"
        return bool(failed), f"{len(failed)} checks fail, first {failed[0]}" if failed else "NOT SEEN"
    finally:
        path.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="faults whose file or description has this word")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    faults = json.loads((pathlib.Path(__file__).parent / "faults.json").read_text())
    faults = [fault for fault in faults if options.only in fault["file"] + fault["fault"]]
    copy_tree()
    configure()
    compiles, output = build(options.jobs)
    if not compiles or failed_checks() != []:
        raise SystemExit("without a fault verify must pass: " + output[-2000:])
    missed = 0
    for number, fault in enumerate(faults, 1):
        caught, what = try_fault(fault, options.jobs)
        missed += not caught
        print(f"{number:3}/{len(faults)} {'caught' if caught else 'MISSED'}  {fault['file']}: {fault['fault']} ({what})", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} faults caught")
    return missed


if __name__ == "__main__":
    sys.exit(main())

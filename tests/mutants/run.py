#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants single faults, one after the other, and asks whether `heddle verify`, or a test, sees each of them.

    tests/mutants/run.py [--only WORD…] [--jobs N] [--json FILE]

Works on a copy of the tree in build/mutants, so that nothing of yours is touched. faults.json lists the faults: the file, the text
to replace (it must stand there exactly once), what replaces it, and what is wrong then. A fault of the blocks and models must be
seen by `heddle verify`; one with "program" and "tests" by one of these tests (faults of ui/ need the studio's libraries). A fault
that does not compile, or that nothing sees, is a failure. The first run builds what the faults need (half an hour for all); a
fault takes about half a minute. Prints which check or test saw each, and writes it to --json. Exit status: the number of faults
that were not caught.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "mutants"
BUILD = COPY / "build"
MOST_SECONDS = 300  # of a test program: a fault that makes a test wait for ever is caught too


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


def configure(faults):
    studio = any(fault["file"].startswith("ui/") for fault in faults)
    subprocess.run(["cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    f"-DHEDDLE_STUDIO={'ON' if studio else 'OFF'}", f"-DHEDDLE_LIBTORCH:PATH={libtorch()}"], check=True,
                   stdout=subprocess.DEVNULL)


def build(jobs, targets):
    done = subprocess.run(["ninja", "-C", BUILD, "-j", str(jobs), *targets], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def environment():
    return {**os.environ, "HEDDLE_LIBTORCH": libtorch(), "QT_QPA_PLATFORM": "offscreen"}


def targets_of(fault):
    return [fault["program"]] if "program" in fault else ["heddle", "heddle_engine"]


def failed_checks():
    """The names of the checks of `heddle verify` that fail, or None when it broke down."""
    done = subprocess.run([BUILD / "bin" / "heddle", "verify", "--json"], capture_output=True, text=True, env=environment())
    try:
        return [check["name"] for check in json.loads(done.stdout)["checks"] if check["status"] == "fail"]
    except (json.JSONDecodeError, KeyError):
        return None


def failed_tests(fault):
    """The names of the tests that fail, or None when the program broke down or did not end."""
    command = [BUILD / "bin" / fault["program"], f"--gtest_filter={fault['tests']}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment(), timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    ran = re.search(r"^\[==========\] (\d+) tests? from .* ran\.", done.stdout, re.MULTILINE)
    if ran and ran[1] != "0":
        return sorted(set(re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", done.stdout, re.MULTILINE)))
    if not ran:
        return None
    raise SystemExit(f"{fault['file']}: no test is called {fault['tests']}")


def seen_by(fault):
    return failed_tests(fault) if "program" in fault else failed_checks()


def plant(fault):
    path = COPY / fault["file"]
    text = path.read_text()
    if text.count(fault["find"]) != 1:
        raise SystemExit(f"{fault['file']}: the text to replace stands there {text.count(fault['find'])} times: {fault['find']}")
    path.write_text(text.replace(fault["find"], fault["replace"]))
    return path, text


def try_fault(fault, jobs):
    """Whether it was caught, and what saw it."""
    path, original = plant(fault)
    try:
        compiles, output = build(jobs, targets_of(fault))
        if not compiles:
            return False, "does not compile: " + next((line for line in output.splitlines() if "error" in line), output[-200:])
        failed = seen_by(fault)
        if failed is None:
            return True, "broke off"
        return bool(failed), f"{failed[0]}, {len(failed)} in all" if failed else "NOT SEEN"
    finally:
        path.write_text(original)


def require_clean(faults, jobs):
    """Without a fault everything that is to see one must pass."""
    compiles, output = build(jobs, sorted({target for fault in faults for target in targets_of(fault)}))
    if not compiles:
        raise SystemExit("without a fault it does not build: " + output[-2000:])
    if any("program" not in fault for fault in faults) and failed_checks() != []:
        raise SystemExit("without a fault verify fails")
    for program in sorted({fault["program"] for fault in faults if "program" in fault}):
        filters = ":".join(sorted({fault["tests"] for fault in faults if fault.get("program") == program}))
        if failed := failed_tests({"file": program, "program": program, "tests": filters}):
            raise SystemExit(f"without a fault {failed[0]} fails")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[""], help="faults whose file or description has one of these words")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="writes there what saw each fault")
    options = parser.parse_args()
    faults = json.loads((pathlib.Path(__file__).parent / "faults.json").read_text())
    faults = [fault for fault in faults if any(word in fault["file"] + fault["fault"] for word in options.only)]
    copy_tree()
    configure(faults)
    require_clean(faults, options.jobs)
    missed, rows = 0, []
    for number, fault in enumerate(faults, 1):
        caught, what = try_fault(fault, options.jobs)
        missed += not caught
        rows.append({"file": fault["file"], "fault": fault["fault"], "caught": caught, "by": what})
        print(f"{number:3}/{len(faults)} {'caught' if caught else 'MISSED'}  {fault['file']}: {fault['fault']} ({what})", flush=True)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(faults) - missed} of {len(faults)} faults caught")
    return missed


if __name__ == "__main__":
    sys.exit(main())

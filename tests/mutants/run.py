#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants single faults, one after the other, and asks whether `heddle-dev verify`, or a test, sees each of them.

    packaging/build.sh && tests/mutants/run.py [--only WORD…] [--workers N] [--json FILE]

faults.json lists the faults: the file, the text to replace (it must stand there exactly once), what replaces it, and what is wrong
then. A fault of the blocks and models must be seen by `heddle-dev verify`; one with "program" and "tests" by one of these tests. A
fault that does not compile, or that nothing sees, is a failure. Prints which check or test saw each, and writes it to --json. Exit
status: the number of faults that were not caught.

Each worker has a copy of the tree and of build/release in build/mutants, mounted in the place of the tree for its own processes
(Linux mount namespaces): nothing of yours is touched, and only what a fault changes is built. A fault takes about half a minute,
all of them 40 minutes with two workers on two cores.
"""
import argparse
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
COPIES = ROOT / "build" / "mutants"
MOST_SECONDS = 300  # of a test program: a fault that makes a test wait for ever is caught too


def libtorch():
    return os.environ.get("HEDDLE_LIBTORCH", str(ROOT / ".deps" / "torch-2.11.0" / "torch"))


def copy_tree(copy):
    """The files that git knows or would know and build/release, with their times: what is built stays valid."""
    shutil.rmtree(copy, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    (copy / "build").mkdir()
    (copy / ".deps").mkdir()
    subprocess.run(["cp", "--archive", BUILD, copy / "build"], check=True)


def lock_copies():
    """The copies are those of one run at a time."""
    COPIES.mkdir(parents=True, exist_ok=True)
    lock = open(COPIES / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"{COPIES}: another run of this program uses the copies; wait until it ends") from None
    return lock


def start_worker(number, workers, options):
    """This program again, with its copy in the place of the tree."""
    copy = COPIES / str(number)
    copy_tree(copy)
    mount = 'mount --bind "$1/.deps" "$2/.deps" && mount --rbind "$2" "$1" && cd "$1" && shift 2 && exec "$@"'
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    command = ["unshare", "--mount", *user, "sh", "-c", mount, "sh", ROOT, copy, sys.executable, ROOT / "tests/mutants/run.py",
               "--part", f"{number}/{workers}", "--json", ROOT / "rows.json", "--only", *options.only]
    return subprocess.Popen(command), copy


def build(targets):
    done = subprocess.run(["ninja", "-C", BUILD, *targets], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def environment():
    return {**os.environ, "HEDDLE_LIBTORCH": libtorch(), "QT_QPA_PLATFORM": "offscreen"}


def targets_of(fault):
    return [fault["program"]] if "program" in fault else ["heddle_dev"]


def failed_checks():
    """The names of the checks of `heddle-dev verify` that fail, or None when it broke down."""
    done = subprocess.run([BUILD / "bin" / "heddle-dev", "verify", "--json"], capture_output=True, text=True, env=environment())
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
    path = ROOT / fault["file"]
    text = path.read_text()
    if text.count(fault["find"]) != 1:
        raise SystemExit(f"{fault['file']}: the text to replace stands there {text.count(fault['find'])} times: {fault['find']}")
    path.write_text(text.replace(fault["find"], fault["replace"]))
    return path, text


def try_fault(fault):
    """Whether it was caught, and what saw it."""
    path, original = plant(fault)
    try:
        compiles, output = build(targets_of(fault))
        if not compiles:
            return False, "does not compile: " + next((line for line in output.splitlines() if " error: " in line), output[-200:])
        failed = seen_by(fault)
        if failed is None:
            return True, "broke off"
        return bool(failed), f"{failed[0]}, {len(failed)} in all" if failed else "NOT SEEN"
    finally:
        path.write_text(original)


def require_clean(faults):
    """Without a fault everything that is to see one must pass."""
    compiles, output = build(sorted({target for fault in faults for target in targets_of(fault)}))
    if not compiles:
        raise SystemExit("without a fault it does not build: " + output[-2000:])
    if any("program" not in fault for fault in faults) and failed_checks() != []:
        raise SystemExit("without a fault verify fails")
    for program in sorted({fault["program"] for fault in faults if "program" in fault}):
        filters = ":".join(sorted({fault["tests"] for fault in faults if fault.get("program") == program}))
        if failed := failed_tests({"file": program, "program": program, "tests": filters}):
            raise SystemExit(f"without a fault {failed[0]} fails")


def try_all(faults, results):
    require_clean(faults)
    rows = []
    for fault in faults:
        caught, what = try_fault(fault)
        rows.append({"file": fault["file"], "fault": fault["fault"], "caught": caught, "by": what})
        print(f"{'caught' if caught else 'MISSED'}  {fault['file']}: {fault['fault']} ({what})", flush=True)
        results.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[""], help="faults whose file or description has one of these words")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path, help="writes there what saw each fault")
    parser.add_argument("--part", help=argparse.SUPPRESS)  # "1/2": what a worker is started with
    options = parser.parse_args()
    faults = json.loads((pathlib.Path(__file__).parent / "faults.json").read_text())
    faults = [fault for fault in faults if any(word in fault["file"] + fault["fault"] for word in options.only)]
    if options.part:
        number, workers = map(int, options.part.split("/"))
        return try_all(faults[number - 1::workers], options.json)
    if not (BUILD / "build.ninja").exists():
        raise SystemExit(f"{BUILD} is not there: run packaging/build.sh first")
    lock = lock_copies()
    workers = min(options.workers, len(faults))
    started = [start_worker(number, workers, options) for number in range(1, workers + 1)]
    broken = sum(process.wait() != 0 for process, _ in started)
    results = [copy / "rows.json" for _, copy in started]
    rows = [row for file in results if file.exists() for row in json.loads(file.read_text())]
    for _, copy in started:
        shutil.rmtree(copy, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    lock.close()
    caught = sum(row["caught"] for row in rows)
    print(f"{caught} of {len(faults)} faults caught" + (f"; {broken} workers broke off" if broken else ""))
    return len(faults) - caught


if __name__ == "__main__":
    sys.exit(main())

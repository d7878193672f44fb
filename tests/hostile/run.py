#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drives heddle over files that a stranger made: databases, checkpoints, tokenizers, specs, data.

    tests/hostile/run.py [HEDDLE] [--seconds N] [--each N] [--only WORD] [--seeds N] [--patience S] [--keep FOLDER] [--jobs N]

HEDDLE is the program (default: build/release/bin/heddle). All files are made anew by the generators beside this script, the same
every time; --seeds adds so many files of each kind with random bits changed (default 20). The kinds take turns: with --seconds until
the time is over, with --each until so many files of each kind were tried. Every command runs in a folder of its own, beside files
that are not its business, with a terminal as its output.
A command fails when it is killed by a signal or takes longer than 20 s (--patience), takes more than 1 GB of memory or disk, ends
with an undocumented exit status, reports a fault of Heddle's or a sanitizer's finding, writes raw control characters, or creates, changes
or deletes a file that does not belong to its database. --keep writes the folders of failed cases there. Exit status: 1 if anything
failed.
"""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time

import checkpoints
import corpus
import data_files
import databases
import exchange
import foreign
import specs
import tokenizers

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_MEMORY = 1 << 30    # bytes
MOST_DISK = 1 << 30      # bytes that a command may add
KNOWN_CODES = {0, 1, 2, 3, 4, 5, 75, 130}
FAULTS = re.compile(rb"please report|report this text|SQL logic error|backtrace|Exception raised from|terminate called|"
                    rb"Assertion|AddressSanitizer|LeakSanitizer|ThreadSanitizer|runtime error:|frame #\d|\.cpp:\d+")
# C0 but tab and line feed, DEL, C1, bidirectional controls, as UTF-8
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c")
OWN = re.compile(r"(own/t\.heddle(\.d/.*|\.d|-wal|-shm|-journal|\.lock|\.inbox.*|\.backup.*|\.bak-v\d+)?|own/out(/.*)?|cache.*|home.*)$")


def environment(folder):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HEDDLE_DB", "XDG_"))}
    return {**kept, "XDG_CACHE_HOME": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder / "home"),
            "TERM": "dumb", "LC_ALL": "C.UTF-8"}


def snapshot(folder):
    """All below the folder that does not belong to the database: path → mode, size and time."""
    seen = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            relative = os.path.relpath(path, folder)
            if OWN.match(relative):
                continue
            status = os.lstat(path)
            seen[relative] = (status.st_mode, status.st_size if not os.path.isdir(path) else 0, status.st_mtime_ns
                              if not os.path.isdir(path) else 0)
    return seen


def used(folder):
    """Bytes that the files below a folder take on the disk."""
    return sum(os.lstat(os.path.join(place, name)).st_blocks * 512 for place, _, files in os.walk(folder) for name in files)


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if "libasan" not in os.environ.get("LD_PRELOAD", "") and not os.environ.get("HEDDLE_HOSTILE_SANITIZER"):
        resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))  # the machine must live on


def run(heddle, arguments, folder, patience):
    """Runs one command with a terminal as its output; returns status, output, memory in bytes, whether it took too long."""
    if "--db" not in arguments:
        arguments = [*arguments, "--db", "t.heddle"]
    ours, theirs = pty.openpty()
    mode = termios.tcgetattr(theirs)
    mode[1] &= ~termios.OPOST
    termios.tcsetattr(theirs, termios.TCSANOW, mode)
    program = subprocess.Popen([heddle, *arguments], cwd=folder / "own", env=environment(folder), stdin=subprocess.DEVNULL,
                               stdout=theirs, stderr=theirs, preexec_fn=limit, start_new_session=True)
    os.close(theirs)
    output, end = b"", time.monotonic() + patience
    while time.monotonic() < end:
        if select.select([ours], [], [], max(0, end - time.monotonic()))[0]:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            output = output + piece if len(output) < 1 << 24 else output
    else:
        os.killpg(program.pid, signal.SIGKILL)
    os.close(ours)
    _, status, usage = os.wait4(program.pid, 0)
    program.returncode = 0
    return os.waitstatus_to_exitcode(status), output, usage.ru_maxrss * 1024, time.monotonic() >= end


def faults(heddle, arguments, folder, patience):
    before, room = snapshot(folder), used(folder)
    try:
        code, output, memory, late = run(heddle, arguments, folder, patience)
    except (OSError, ValueError) as error:
        return [] if "null byte" in str(error) or "too long" in str(error) else [str(error)]
    found = []
    if late:
        found.append(f"took longer than {patience:g} s")
    elif code not in KNOWN_CODES:
        found.append(f"ended with {code}")
    if memory > MOST_MEMORY and not os.environ.get("HEDDLE_HOSTILE_SANITIZER"):
        found.append(f"took {memory >> 20} MiB")
    if match := FAULTS.search(output):
        found.append(f"says {match.group()!r}")
    if match := CONTROLS.search(output):
        found.append(f"writes {match.group()!r} to the terminal")
    if used(folder) - room > MOST_DISK:
        found.append(f"fills the disk with {(used(folder) - room) >> 20} MiB")
    after = snapshot(folder)
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            found.append(f"touches {path}")
    return [f"{fault}; output: {output[:600]!r}" for fault in found]


def tried(options, case, place):
    """The faults of one case, one line each."""
    folder = place / "case"
    shutil.rmtree(folder, ignore_errors=True)
    own = folder / "own"
    own.mkdir(parents=True)
    for victim in (folder / "victim", own / "victim"):
        corpus.write(victim / "kept.txt", "mine")
        corpus.write(victim / "mine.tmp", "mine")
        corpus.write(victim / "step-6" / "weights.safetensors", "mine")
    case.make(own)
    lines = []
    for arguments in case.commands:
        found = faults(options.heddle, arguments, folder, options.patience)
        shown = " ".join(argument if len(argument) < 60 else argument[:60] + "…" for argument in arguments)
        lines += [f"{case.name}: heddle {shown!r}: {fault}" for fault in found]
    if lines and options.keep:
        shutil.copytree(folder, options.keep / case.name.replace("/", "-"), symlinks=True, dirs_exist_ok=True,
                        ignore=lambda _, names: [name for name in names if name == "cache"], ignore_dangling_symlinks=True)
    return lines


def in_turn(kinds):
    """One case of each kind after the other. A case is made when its turn comes: together they would take gigabytes of memory."""
    return (case for row in itertools.zip_longest(*kinds) for case in row if case is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle", nargs="?", default=str(ROOT / "build/release/bin/heddle"))
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--each", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--patience", type=float, default=20)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    options.heddle, began = os.path.abspath(options.heddle), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="heddle-hostile-") as name:
        place = pathlib.Path(name)
        base = corpus.Base(options.heddle, place / "base", environment(place))
        modules = (databases, checkpoints, tokenizers, specs, data_files, foreign, exchange)
        kinds = [kind.cases(base, options.seeds) for kind in modules]
        wanted = [itertools.islice((case for case in kind if options.only in case.name), options.each) for kind in kinds]
        cases, lock = in_turn(wanted), threading.Lock()

        def next_case():
            with lock:
                is_over = options.seconds and time.monotonic() - began > options.seconds
                return None if is_over else next(cases, None)

        def work(number):
            mine = []
            while case := next_case():
                mine.append(tried(options, case, place / str(number)))
                for line in mine[-1]:
                    print(line, flush=True)
            return mine
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = [lines for part in pool.map(work, range(options.jobs)) for lines in part]
    done, failed = len(results), [lines for lines in results if lines]
    print(f"{done} cases tried in {time.monotonic() - began:.0f} s, {len(failed)} with faults")
    return 1 if failed or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

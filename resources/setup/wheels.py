#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacks pinned wheels for CPython 3.11 on x86-64 into a folder: LibTorch and the libraries that it needs.

  wheels.py FOLDER LIST... [--from WHEELS] [--json]

LIST is a requirements file of pip with a line NAME==VERSION for each wheel. pip fetches them by its own settings (index, proxy,
certificates, find-links), or takes them from the folder WHEELS without a network. A FOLDER that is not there
yet appears when it is complete. A wheel whose files all have their size is not fetched again; after an interruption the next call goes
on, and a second call at the same time waits for the first. Messages go to standard error. With --json the result, or the error, is one
document on standard output. Used by `heddle setup`, and by packaging/setup.sh before there is a program.
"""
import argparse
import csv
import fcntl
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

PLATFORMS = ["manylinux_2_28", "manylinux_2_27", "manylinux_2_25", "manylinux_2_18", "manylinux2014", "manylinux_2_17"]
TICK_S = 10  # between messages where there is no terminal


class Problem(Exception):
    def __init__(self, what, where, then):
        super().__init__(what)
        self.what, self.where, self.then = what, where, then


def say(text):
    print("heddle: " + text, file=sys.stderr, flush=True)


def wheels_of(path):
    """The wheels of a requirements file, each as (name, version, line)."""
    try:
        with open(path, encoding="utf-8") as lines:
            found = [re.match(r"([\w.-]+)==(\S+)", line) for line in lines]
    except OSError as error:
        raise Problem("the list of wheels cannot be read: " + error.strerror, path, "install Heddle completely")
    return [(match.group(1), match.group(2), match.string.strip()) for match in found if match]


def record_of(wheel):
    return "{}-{}.dist-info".format(re.sub(r"[-.]+", "_", wheel[0]), wheel[1])


def is_whole(tree, wheel):
    """Whether every file that the wheel lists is there in its size: a folder that somebody else unpacked is as good as ours."""
    try:
        with open(os.path.join(tree, record_of(wheel), "RECORD"), encoding="utf-8", newline="") as record:
            return all(
                os.stat(os.path.join(tree, path)).st_size == int(size)
                for path, _, size in csv.reader(record)
                if size and not path.startswith("..")
            )
    except (OSError, ValueError):
        return False


@functools.lru_cache(maxsize=None)
def pip_command():
    """pip of this Python, of the system's, or the one that Python brings for virtual environments."""
    found = [[sys.executable, "-m", "pip"], ["/usr/bin/python3", "-m", "pip"]]
    folders = ["/usr/share/python-wheels"]
    try:
        import ensurepip

        folders.append(os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"))
    except ImportError:
        pass
    for folder in folders:
        found += [[sys.executable, wheel + "/pip"] for wheel in sorted(glob.glob(folder + "/pip-*.whl"))]
    for command in found:
        try:
            # In a folder without modules: with -m, Python would take a pip from the current one.
            check = [*command, "--version"]
            if subprocess.run(check, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                return command
        except OSError:
            continue
    raise Problem("no Python with pip was found", "python3 -m pip", "install python3-pip")


def bytes_below(folder):
    total = 0
    for at, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(at, name)).st_size
            except OSError:  # moved away meanwhile
                pass
    return total


class Ticker:
    """Says how much is there, where pip shows no bar because standard error is no terminal."""

    def __init__(self, folder):
        self.folder, self.end = folder, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.end.wait(TICK_S):
            say("  {} MiB so far".format(bytes_below(self.folder) >> 20))

    def __enter__(self):
        if not sys.stderr.isatty():
            self.thread.start()

    def __exit__(self, *_):
        self.end.set()


def relay(stream, kept):
    for line in stream:
        sys.stderr.write(line)
        if line.startswith("ERROR: "):
            kept.append(line[len("ERROR: "):].strip())


def fetch(wheel, target, source, lock):
    """pip unpacks one wheel into a folder of its own."""
    shutil.rmtree(target, ignore_errors=True)
    temporary = target + ".tmp"  # beside its destination: /tmp may be small, or memory
    shutil.rmtree(temporary, ignore_errors=True)
    os.makedirs(temporary)
    listed = os.path.join(temporary, "wheel.txt")
    with open(listed, "w", encoding="utf-8") as file:
        file.write(wheel[2] + "\n")
    command = [*pip_command(), "install", "--disable-pip-version-check", "--no-cache-dir", "--no-compile", "--no-deps",
               "--only-binary=:all:", "--python-version", "311", "--implementation", "cp", "--abi", "cp311",
               *[word for name in PLATFORMS for word in ("--platform", name + "_x86_64")], "--target", target, "-r", listed]
    command += ["--require-hashes"] if "--hash" in wheel[2] else []
    command += ["--no-index", "--find-links", source] if source else []
    command += [] if sys.stderr.isatty() else ["--quiet"]
    # Settings that users may have for pip and that --target forbids.
    environment = dict(os.environ, TMPDIR=temporary, PIP_USER="0", PIP_REQUIRE_VIRTUALENV="0", PIP_ROOT_USER_ACTION="ignore")
    errors = []
    with Ticker(os.path.dirname(target)):
        # pip inherits the lock, in case this process is killed and pip goes on.
        pip = subprocess.Popen(command, cwd=temporary, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno(),
                               stderr=subprocess.PIPE, universal_newlines=True, errors="replace", pass_fds=[lock.fileno()])
        relay(pip.stderr, errors)
        code = pip.wait()
    shutil.rmtree(temporary, ignore_errors=True)
    if code == 0 and is_whole(target, wheel):
        return
    room = "{} MiB are free there".format(shutil.disk_usage(os.path.dirname(target)).free >> 20)
    what = "pip did not bring {} {}".format(wheel[0], wheel[1]) + (": " + errors[-1] if errors else "")
    then = "put the wheel into that folder" if source else "set an index or proxy in pip's own configuration, or give --from"
    raise Problem(what, "{}; {}".format(source or target, room), then + ", and start again; what is complete stays")


def move_into(tree, wheel, unpacked):
    """Moves a wheel's files; its list of files comes last, so that the wheel counts from then on."""
    last = record_of(wheel)
    for name in sorted(os.listdir(unpacked), key=lambda name: name == last):
        for at, _, files in os.walk(os.path.join(unpacked, name)):
            into = os.path.join(tree, os.path.relpath(at, unpacked))
            os.makedirs(into, exist_ok=True)
            for file in files:
                os.replace(os.path.join(at, file), os.path.join(into, file))


def install(tree, wheels, source):
    """Returns the names of the wheels that were fetched. A folder that is not there appears when all wheels are."""
    missing = [wheel for wheel in wheels if not is_whole(tree, wheel)]
    if not missing:
        return []
    os.makedirs(os.path.dirname(tree), exist_ok=True)
    with open(tree + ".lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("another setup is at work on {}; waiting for it".format(tree))
            fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [wheel for wheel in wheels if not is_whole(tree, wheel)]
        part = tree + ".part"
        os.makedirs(part, exist_ok=True)
        made = tree if os.path.exists(tree) else os.path.join(part, "tree")
        for number, wheel in enumerate(missing, 1):
            unpacked = os.path.join(part, wheel[0])
            if is_whole(unpacked, wheel) or is_whole(made, wheel):  # an interrupted call got so far
                continue
            say("fetching {} {} ({} of {})".format(wheel[0], wheel[1], number, len(missing)))
            fetch(wheel, unpacked, source, lock)
        for wheel in missing:
            if not is_whole(made, wheel):
                move_into(made, wheel, os.path.join(part, wheel[0]))
        wrong = [wheel[0] for wheel in missing if not is_whole(made, wheel)]
        if wrong:
            raise Problem("files of {} are not in the size that the wheel lists".format(", ".join(wrong)), made,
                          "look whether the disk is full, delete {} and start again".format(part))
        if made != tree:
            os.rename(made, tree)
        shutil.rmtree(part, ignore_errors=True)
    return [wheel[0] for wheel in missing]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("lists", nargs="+")
    parser.add_argument("--from", dest="source", default="")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    began = time.monotonic()
    try:
        if options.source and not os.path.isdir(options.source):
            raise Problem("this is no folder", options.source, "name the folder that holds the wheels")
        tree = os.path.abspath(options.folder)
        wheels = [wheel for path in options.lists for wheel in wheels_of(path)]
        fetched = install(tree, wheels, os.path.abspath(options.source) if options.source else "")
        if options.json:
            print(json.dumps({"folder": tree, "fetched": fetched}))
        elif fetched:
            say("{} wheels are in {}, after {:.0f} s".format(len(fetched), tree, time.monotonic() - began))
        return 0
    except Problem as problem:
        error = problem
    except OSError as problem:
        error = Problem(problem.strerror or str(problem), problem.filename or options.folder, "check its rights and its disk")
    if options.json:
        print(json.dumps({"what": error.what, "where": str(error.where), "next": error.then}))
    else:
        say("{} ({}): {}".format(error.what, error.where, error.then))
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("interrupted; what is complete stays, and the next call goes on")
        sys.exit(130)

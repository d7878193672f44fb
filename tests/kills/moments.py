# SPDX-License-Identifier: Apache-2.0
"""Starts a program and kills it with SIGKILL at a chosen moment: after some time, or right after a file event."""
import collections
import ctypes
import dataclasses
import os
import pathlib
import re
import select
import signal
import struct
import time

LIBC = ctypes.CDLL(None, use_errno=True)
MODIFY, CLOSE_WRITE, OPEN, MOVED_TO, CREATE, DELETE = 0x2, 0x8, 0x20, 0x80, 0x100, 0x200
ONLY_FOLDERS, IS_FOLDER = 0x01000000, 0x40000000
WORDS = {MODIFY: "written", CLOSE_WRITE: "closed", OPEN: "opened", MOVED_TO: "renamed", CREATE: "created", DELETE: "removed"}
PATTERNS = [(re.compile(pattern), word) for pattern, word in [
    (r"\.tmp-\d+", ".tmp-*"), (r"\.trash-[^/]*", ".trash-*"), (r"step-\d+", "step-N"), (r"[0-9a-f]{16,}", "HASH"),
    (r"\b[0-9a-f]{12}\b", "RUN"), (r"\.tmp-?[0-9a-zA-Z]{6,}", ".tmp-*"), (r"\.\d+\.\d+\.tmp$", ".*.tmp"), (r"^kills\.heddle", "FILE")]]


def spoken(path):
    for pattern, word in PATTERNS:
        path = pattern.sub(word, path)
    return path


class Watcher:
    """The file events below a folder by name: "FILE-wal created", "FILE.d/RUN/.tmp-*/weights.safetensors closed"."""

    def __init__(self, folder):
        self.root, self.folders = pathlib.Path(folder), {}
        self.descriptor = LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self.add(self.root)

    def add(self, folder):
        """Watches a folder and what is in it; the names of what already is."""
        number = LIBC.inotify_add_watch(self.descriptor, os.fsencode(folder),
                                        MODIFY | CLOSE_WRITE | OPEN | MOVED_TO | CREATE | DELETE | ONLY_FOLDERS)
        if number < 0:
            return []  # gone again already
        self.folders[number] = folder
        found = []
        try:
            for entry in os.scandir(folder):
                found.append(self.name(folder / entry.name, CREATE))
                if entry.is_dir(follow_symlinks=False):
                    found += self.add(folder / entry.name)
        except FileNotFoundError:
            pass
        return found

    def name(self, path, kind):
        return f"{spoken(str(path.relative_to(self.root)))} {WORDS[kind]}"

    def events(self):
        """The names of what happened since the last call, oldest first."""
        try:
            data = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return []
        names, at = [], 0
        while at < len(data):
            number, mask, _, length = struct.unpack_from("iIII", data, at)
            text = os.fsdecode(data[at + 16:at + 16 + length].rstrip(b"\0"))
            at += 16 + length
            folder, kind = self.folders.get(number), mask & 0xfff
            # Openings tell something of checkpoints alone: the database is opened by whoever looks.
            if folder is None or kind not in WORDS or (kind == OPEN and (mask & IS_FOLDER or folder == self.root)):
                continue
            names.append(self.name(folder / text, kind))
            if mask & IS_FOLDER and kind in (CREATE, MOVED_TO):
                inside = self.add(folder / text)
                names += inside if kind == CREATE else []  # a renamed folder was watched before
        return names

    def wait(self, *descriptors):
        """Until something happens, or one of the descriptors can be read."""
        select.select([self.descriptor, *descriptors], [], [], 180)
        return self.events()

    def close(self):
        os.close(self.descriptor)


@dataclasses.dataclass
class Moment:
    """When to kill: `delay` seconds after the start, or after the `nth` event of that name, or `latest` seconds after the start,
    whatever has happened (for programs that do not end by themselves)."""
    event: str = ""
    nth: int = 1
    delay: float = 0.0
    latest: float = 180.0

    def __str__(self):
        return f"{self.delay * 1000:.1f} ms after {f'event {self.nth} {self.event!r}' if self.event else 'the start'}"


@dataclasses.dataclass
class Outcome:
    arguments: list
    killed: bool       # by the SIGKILL, as waitpid tells
    code: int
    seconds: float
    out: str
    err: str
    event: str                 # after which it was killed; empty: at a time
    seen: collections.Counter  # file events by name


class Child:
    """A running program in a process group of its own; standard output and error go to files."""

    def __init__(self, arguments, environment, scratch, text=""):
        self.arguments = [str(argument) for argument in arguments]
        self.begun, self.status = time.monotonic(), None
        Child.number = getattr(Child, "number", 0) + 1
        self.files = [pathlib.Path(scratch) / f"{stream}-{Child.number}" for stream in ("in", "out", "err")]
        self.files[0].write_text(text)
        write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        opened = [(os.POSIX_SPAWN_OPEN, number, str(path), write if number else os.O_RDONLY, 0o600)
                  for number, path in enumerate(self.files)]
        self.pid = os.posix_spawn(self.arguments[0], self.arguments, environment, file_actions=opened, setpgroup=0)
        self.ended = os.pidfd_open(self.pid)

    def output(self):
        return self.files[1].read_text(errors="replace")

    def running(self):
        return not select.select([self.ended], [], [], 0)[0]

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)  # not waited for yet, so the number is still its own

    def wait(self, limit=180.0):
        """The outcome; a program that does not end in time is killed and counts as hanging (TimeoutError)."""
        hangs = not select.select([self.ended], [], [], limit)[0]
        if hangs:
            self.kill()
        _, status = os.waitpid(self.pid, 0)
        os.close(self.ended)
        self.status = status
        err = self.files[2].read_text(errors="replace")
        outcome = Outcome(self.arguments, os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL,
                          os.waitstatus_to_exitcode(status), time.monotonic() - self.begun, self.output(), err,
                          "", collections.Counter())
        for file in self.files:
            file.unlink()
        if hangs:
            raise TimeoutError(f"does not end within {limit:.0f} s: {' '.join(self.arguments)}\n{err[-400:]}")
        return outcome

    def discard(self):
        if self.status is None:
            self.kill()
            self.wait()


def shoot(child, watcher, moment, heard=lambda name: None):
    """Kills the child at the moment (None: never), unless it ends before; calls heard(name) for every file event until then."""
    seen, poll, event = collections.Counter(), select.poll(), ""
    poll.register(child.ended, select.POLLIN)
    poll.register(watcher.descriptor, select.POLLIN)
    latest = child.begun + (moment.latest if moment else 180)
    due = child.begun + moment.delay if moment and not moment.event else latest
    while child.running():
        if time.monotonic() >= due:
            child.kill()
            break
        poll.poll(max(0, int((due - time.monotonic()) * 1000)))
        for name in watcher.events():
            seen[name] += 1
            if moment and name == moment.event and seen[name] == moment.nth:
                event, due = name, time.monotonic() + moment.delay
            elif not event:
                heard(name)
        if due - time.monotonic() < 0.005:  # poll() knows whole milliseconds only
            time.sleep(max(0.0, due - time.monotonic()))
    outcome = child.wait()
    if outcome.killed and not moment:
        raise TimeoutError(f"does not end within 180 s: {' '.join(child.arguments)}\n{outcome.err[-400:]}")
    outcome.event, outcome.seen = event if outcome.killed else "", seen + collections.Counter(watcher.events())
    return outcome

# SPDX-License-Identifier: Apache-2.0
"""Chains of commands that load LibTorch: training and resuming until the run is complete, serving, evaluating, translating."""
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import time

import facts
from chain import Chain
from facts import Loss
from moments import Moment
from row_chains import Marks
from world import copy_database

CHECKPOINT = re.compile(r"\.tmp-|step-N|\.trash-")


class Reader:
    """Another program that looks at the database all the time: what it saw was committed and must still be there."""

    def __init__(self, database):
        self.database, self.connection, self.points = database, None, {}

    def look(self):
        try:
            if self.connection is None:
                if not facts.exists(self.database):
                    return
                self.connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=0)
            seen = self.connection.execute("SELECT r.id, s.name, s.path, s.attempt, s.points FROM series s JOIN run r"
                                           " ON r.num = s.run").fetchall()
            seen += self.connection.execute("SELECT r.id, '', '', 0, count(*) FROM evaluation e JOIN run r ON r.num = e.run"
                                            " GROUP BY r.id").fetchall()
        except sqlite3.OperationalError:
            return  # not made yet, or locked for a moment
        self.points.update((tuple(row[:4]), row[4]) for row in seen)

    def check(self, now, doomed):
        for (run, name, path, attempt), count in self.points.items():
            if run not in now.runs and run in doomed:
                continue
            if run not in now.runs:
                raise Loss(f"run {run} was seen by a reader and is lost")
            found = now.runs[run]
            there = len(found.points.get((name, path, attempt), ())) if name else len(found.tables["evaluation"])
            if there < count:
                raise Loss(f"a reader saw {count} of {name or 'evaluation'} {path}, attempt {attempt} of {run}; {there} are left")

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None


class Training(Chain):
    """What chains have in common that train the uninterrupted run's spec again."""
    prefer = CHECKPOINT

    def prepare(self):
        self.known = facts.Facts(0, {}, {})
        self.reader = None
        self.doomed = set()  # runs that somebody was asked to delete

    def watched(self):
        """A reader for every second shot."""
        self.reader = Reader(self.database) if self.rng.random() < 0.5 else None
        return lambda name: self.reader.look() if self.reader and name == "FILE-wal written" else None

    def verify(self):
        """After a kill: nothing less than before, nothing else than the uninterrupted run has."""
        if self.reader and self.rng.random() < 0.5:
            self.reader.close()
        now = self.read()
        lost = self.known.runs.keys() - now.runs.keys() - self.doomed
        if lost:
            raise Loss(f"runs {lost} are gone")
        for run, found in now.runs.items():
            if run in self.known.runs:
                facts.require_kept(run, self.known.runs[run], found)
            facts.require_on_the_way(run, self.world.results, found)
        if self.reader:
            self.reader.check(now, self.doomed)
            self.reader.close()
        self.known = now
        return now

    def complete(self, run):
        """The end of a chain: the run is what it would be without kills."""
        if self.known.runs[run].row["state"] != "completed":
            self.must("resume", run, "--json")
            self.reader = None
            self.verify()
        expected, found = dict(self.world.results), self.known.runs[run]
        rows = facts.results(found)["checkpoints"]
        kept = expected.pop("checkpoints")  # a process killed right at its end may have kept one more than it should
        if any(rows.get(key) != row for key, row in kept.items()):
            raise Loss(f"the checkpoints of run {run} are not the uninterrupted run's: {rows}, not {kept}")
        facts.require_same_results(run, expected, found)


class TrainAndResume(Training):
    def kill(self):
        run = None
        for _ in range(self.rng.randint(2, 9)):
            heard = self.watched()
            if run is None:
                outcome = self.shoot("train", "train", self.world.spec, "--json", heard=heard)
            else:
                outcome = self.shoot("resume", "resume", run, "--json", heard=heard)
            self.must_have_ended_well(outcome)
            now = self.verify()
            run = next(iter(now.runs), None)
            if run and now.runs[run].row["state"] == "completed":
                break
        if run is None:
            run = json.loads(self.must("train", self.world.spec, "--json").out)["run"]
            self.verify()
        self.complete(run)
        self.end(run)


def stop_without_lock(pid):
    """Stops a process where it holds no lock of the database: whoever reads would wait for it in vain."""
    for _ in range(1000):
        os.kill(pid, signal.SIGSTOP)
        locks = pathlib.Path("/proc/locks").read_text().splitlines()
        if not any(fields[1] == "POSIX" and fields[4] == str(pid) for fields in map(str.split, locks)):
            return
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.01)


class Serve(Training):
    """An owner that others ask, killed again and again; what it acknowledged is there."""
    def prepare(self):
        super().prepare()
        self.marks, self.asked, self.promised = Marks([]), [], set()
        self.deleted = set()  # of those that somebody was asked to delete: acknowledged

    def ask(self):
        """Makes requests of processes that live on when the owner is killed. Deletes what an earlier owner left interrupted."""
        states = {run: found.row["state"] for run, found in self.known.runs.items() if run not in self.doomed}
        for run in [run for run, state in states.items() if state not in ("completed", "queued")][:len(states) - 1]:
            self.doomed.add(run)
            self.asked.append((self.start("runs", "delete", run), lambda outcome, run=run: self.deleted.add(run)))
        if "queued" not in states.values() and len(self.asked) < 3:
            self.asked.append((self.start("train", self.world.spec, "--enqueue", "--json"),
                               lambda outcome: self.promised.add(json.loads(outcome.out)["run"])))
        known = sorted(self.marks.sure.keys() - self.doomed)
        for run in known and [self.rng.choice(known)]:
            arguments, ends = self.marks.command(run, self.rng, "tag")
            ends(False)
            self.asked.append((self.start(*arguments), lambda outcome, ends=ends: ends(True)))

    def collect(self, wait):
        """Takes the outcomes of the requests that have ended. `wait`: waits until all have."""
        for child, acknowledged in list(self.asked):
            if child.running() and not wait:
                continue
            self.asked.remove((child, acknowledged))
            outcome = child.wait()
            self.history.append(f"{' '.join(outcome.arguments[1:])}\n    ended with {outcome.code} {outcome.err.strip()[-200:]}")
            if outcome.code == 0:
                acknowledged(outcome)

    def give_up(self):
        """The requesters that still wait are killed too."""
        for child, _ in self.asked:
            if child.running():
                child.kill()
        self.collect(wait=True)

    def kill(self):
        for _ in range(self.rng.randint(4, 9)):
            self.one_owner()
        self.give_up()
        self.reader = None
        for _ in range(8):
            self.verify()
            # A request to delete a run may still wait in the inbox: whoever resumes another one carries it out.
            kept = [run for run in self.known.runs if run not in self.doomed]
            unfinished = [run for run in kept if self.known.runs[run].row["state"] != "completed"]
            if not unfinished:
                break
            self.must("resume", unfinished[0], "--json")
        self.check_marks()
        for run in kept:
            self.complete(run)
        if kept:
            self.end(kept[0])

    def one_owner(self):
        self.watcher.events()
        look, owner, asked = self.watched(), self.start("serve"), []

        def heard(name):
            look(name)
            if name.startswith("io/out") and not asked and "serving" in owner.output():
                asked.append(True)
                self.ask()

        self.aims.typical["serve"] = 1.5 * self.world.duration  # it does not end by itself
        moment = self.aims.choose("serve", self.rng, self.prefer)
        moment.latest = 2 * self.world.duration
        outcome = self.shoot_at("serve", owner, moment, heard)
        self.must_have_ended_well(outcome)
        if self.rng.random() < 0.5:
            self.give_up()
        for child, _ in self.asked:  # some wait for the next owner, but change nothing while we read
            if "--enqueue" in child.arguments:  # it would train itself if it came too late for the owner
                os.kill(child.pid, signal.SIGKILL)
            else:
                stop_without_lock(child.pid)
        self.collect(wait=False)
        now = self.verify()
        for child, _ in self.asked:
            os.kill(child.pid, signal.SIGCONT)
        for run in now.runs.keys() - self.doomed:
            for mark in (self.marks.sure, self.marks.maybe):
                mark.setdefault(run, set())
            self.marks.trashed.setdefault(run, {False})
        self.check_marks()

    def check_marks(self):
        runs = self.known.runs
        if self.promised - runs.keys() - self.doomed:
            raise Loss(f"runs {self.promised - runs.keys() - self.doomed} were acknowledged and are not there")
        if self.deleted & runs.keys():
            raise Loss(f"runs {self.deleted & runs.keys()} are there after their deletion was acknowledged")
        for run in self.doomed:
            for marks in (self.marks.sure, self.marks.maybe, self.marks.trashed):
                marks.pop(run, None)
        self.marks.check({run: (set(json.loads(found.row["tags"])), found.row["trashed"] is not None)
                          for run, found in runs.items()})


class Reading(Chain):
    """Commands that read a run and print; a kill changes nothing, and an answer is the one of the uninterrupted command."""
    kind = ""

    def prepare(self):
        copy_database(self.world.reference, self.database)

    def command(self):
        raise NotImplementedError

    def check(self, outcome):
        raise NotImplementedError

    def kill(self):
        for _ in range(6):
            arguments, text = self.command()
            shutil.rmtree(self.folder / "cache", ignore_errors=True)  # so that every command fills it anew
            outcome = self.shoot(self.kind, *arguments, text=text)
            self.must_have_ended_well(outcome)
            self.check(outcome)
            now = self.read()
            facts.require_equal(self.world.run, self.world.reference_facts.runs[self.world.run], now.runs[self.world.run])
        arguments, text = self.command()
        self.check(self.must(*arguments, text=text))
        self.end(self.world.run)


class Evaluate(Reading):
    kind = "evaluate"

    def command(self):
        return ("evaluate", "--run", self.world.run, "--split", "test", "--json"), ""

    def check(self, outcome):
        if outcome.killed:
            return
        report = json.loads(outcome.out)
        values = {"samples": report["samples"],
                  "values": [value for value in report["values"] if "seconds" not in value["metric"]]}
        if not hasattr(self.world, "report"):
            self.world.report = values
        if values != self.world.report:
            raise Loss(f"evaluate prints {values}, before it printed {self.world.report}")


class Translate(Reading):
    kind = "translate"

    def command(self):
        self.file = self.folder / "weights.json"
        text = (self.world.data / "test.en").read_text()
        return ("translate", "--run", self.world.run, "--checkpoint", "last", "--attention", self.file), text

    def check(self, outcome):
        if self.file.exists():
            try:
                json.loads(self.file.read_text())
            except json.JSONDecodeError as error:
                raise Loss(f"translate left half a file of attention weights: {error}") from error
        if outcome.killed:
            return
        if not hasattr(self.world, "translation"):
            self.world.translation = outcome.out
        if outcome.out != self.world.translation:
            raise Loss(f"translate prints {outcome.out!r}, before it printed {self.world.translation!r}")

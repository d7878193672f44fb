# SPDX-License-Identifier: Apache-2.0
"""Chains of commands that need no torch: importing, exporting, deleting, tagging, the trash, creating, schema updates."""
import pathlib
import re
import time

import facts
from chain import Chain
from facts import Loss
from moments import Moment
from world import copy_database

NOT_COPIED = ("queued",)  # a run's place in the queue of its database


class Delete(Chain):
    def prepare(self):
        copy_database(self.world.template, self.database)

    def kill(self):
        before = self.world.template_facts.runs
        kept, *victims = self.rng.sample(sorted(before), len(before))
        while victims:
            shot = victims[:self.rng.choice([1, 1, 2])]
            outcome = self.shoot("delete", "runs", "delete", *shot)
            self.must_have_ended_well(outcome)
            now = self.read()
            for run, whole in before.items():
                if run in now.runs:
                    facts.require_equal(run, whole, now.runs[run])
                elif run in victims and run not in shot or run == kept:
                    raise Loss(f"run {run} is gone and nobody deleted it")
            if not outcome.killed and now.runs.keys() & set(shot):
                raise Loss(f"runs {shot} are there after their deletion was acknowledged")
            victims = [run for run in victims if run in now.runs]
        self.end(kept)


class Transfer(Chain):
    """Copies runs one way until all have arrived."""

    def prepare(self):
        self.source = self.folder / "source.heddle"
        copy_database(self.world.template, self.source)
        copy_database(self.world.reference, self.database)

    def command(self, runs):
        raise NotImplementedError

    def kill(self):
        source, there = self.world.template_facts.runs, dict(self.world.reference_facts.runs)
        wanted = self.rng.sample(sorted(source), len(source))
        while wanted:
            outcome = self.command(wanted[:self.rng.randint(1, 4)])
            self.must_have_ended_well(outcome)
            now = self.read()
            if there.keys() - now.runs.keys():
                raise Loss(f"runs {there.keys() - now.runs.keys()} are gone")
            for run in now.runs:
                facts.require_equal(run, there.get(run) or source[run], now.runs[run], NOT_COPIED)
            if not outcome.killed and self.asked - now.runs.keys():
                raise Loss(f"runs {self.asked - now.runs.keys()} are missing though the copy was acknowledged")
            there = now.runs
            wanted = [run for run in wanted if run not in there]
        self.end(self.world.run)
        now = self.read(self.source)
        for run in source:
            facts.require_equal(run, source[run], now.runs[run])


class Import(Transfer):
    def command(self, runs):
        self.asked = set(runs)
        return self.shoot("import", "runs", "import", self.source, *runs)


class Export(Transfer):
    def command(self, runs):
        self.asked = set(runs)
        return self.shoot("export", "runs", "export", self.database, *runs, database=self.source)


class Create(Chain):
    """The first command on a fresh path; the same command afterwards succeeds."""
    prefer = re.compile(r"^FILE(-wal|-shm|-journal|\.lock)? ")

    def kill(self):
        source = self.world.template_facts.runs
        run = self.rng.choice(sorted(source))
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            outcome = self.shoot("create", "runs", "import", self.world.template, run)
            self.must_have_ended_well(outcome)
            now = self.read()
            if run in now.runs:
                break
        else:
            self.must("runs", "import", self.world.template, run)
            now = self.read()
        facts.require_equal(run, source[run], now.runs[run], NOT_COPIED)
        self.end(run)


class Schema(Chain):
    """Whoever opens a database of an older schema first brings it up to date."""

    def prepare(self):
        self.older = self.rng.choice(self.world.older)
        copy_database(self.older, self.database)

    def kill(self):
        before = facts.read(self.older, self.scratch)
        some = self.rng.choice(sorted(before.runs))
        while True:
            command = self.rng.choice([("list", "--json"), ("restore", some), ("show", some)])
            outcome = self.shoot("schema", "runs", *command)
            self.must_have_ended_well(outcome)
            raw = facts.read(self.database, self.scratch, like=before)
            self.compare(before, raw)
            backup = pathlib.Path(f"{self.database}.bak-v{before.schema}")
            if backup.exists():
                copied = facts.read(backup, self.scratch)
                if copied.schema != before.schema:
                    raise Loss(f"the copy {backup.name} has schema {copied.schema}")
                self.compare(before, copied)
            elif raw.schema != before.schema:
                raise Loss(f"the database has schema {raw.schema} and there is no copy of what it was")
            if raw.schema != before.schema:
                break
        self.compare(before, self.read(like=before))
        self.end(some)

    def compare(self, before, now):
        if before.runs.keys() != now.runs.keys():
            raise Loss(f"runs {before.runs.keys() ^ now.runs.keys()} came or went")
        for run in before.runs:
            facts.require_equal(run, before.runs[run], now.runs[run])


class Marks:
    """Tags and trash marks of runs as acknowledged commands left them, and what unacknowledged ones may have made of them."""

    def __init__(self, runs):
        self.sure = {run: set() for run in runs}
        self.maybe = {run: set() for run in runs}
        self.trashed = {run: {False} for run in runs}
        self.number = 0

    def command(self, run, rng, only=""):
        """The arguments of a change, and what is to be told of how it ended."""
        if only != "tag" and rng.random() < 0.5 or only == "trash":
            away = rng.random() < 0.5
            return ("runs", "trash" if away else "restore", run), lambda done: self.put(run, away, done)
        self.number += 1
        added, there = f"t{self.number}", sorted(self.sure[run])
        gone = {rng.choice(there)} if there and rng.random() < 0.5 else set()
        return ("runs", "tag", run, added, *(f"--remove={tag}" for tag in gone)), lambda done: self.tag(run, added, gone, done)

    def put(self, run, away, done):
        if run not in self.sure:
            return  # forgotten: somebody was asked to delete it
        self.trashed[run] = {away} if done else self.trashed[run] | {away}

    def tag(self, run, added, gone, done):
        if run not in self.sure:
            return
        if done:
            self.sure[run].add(added)
            self.sure[run] -= gone
            self.maybe[run] -= gone
        else:
            self.maybe[run] |= {added} | gone
            self.sure[run] -= gone

    def check(self, runs):
        """`runs`: by id, (tags, trashed)."""
        if self.sure.keys() - runs.keys():
            raise Loss(f"runs {self.sure.keys() - runs.keys()} are gone")
        for run, (tags, trashed) in runs.items():
            if run not in self.sure:
                continue
            if not self.sure[run] <= tags:
                raise Loss(f"acknowledged tags {sorted(self.sure[run] - tags)} of run {run} are lost: it has {sorted(tags)}")
            if not tags <= self.sure[run] | self.maybe[run]:
                raise Loss(f"removed tags {sorted(tags - self.sure[run] - self.maybe[run])} of run {run} are back")
            if trashed not in self.trashed[run]:
                raise Loss(f"run {run} is {'' if trashed else 'not '}in the trash against what was acknowledged")


class Edit(Chain):
    """Tags and trash marks, by the command itself or by the owner that it asks."""
    kinds = {"tag": "tag", "trash": "trash"}

    def prepare(self):
        copy_database(self.world.template, self.database)
        self.marks = Marks(self.world.template_facts.runs)

    def check(self):
        self.marks.check({run: (set(shown["tags"]), shown["trashed"]) for run, shown in self.listed().items()})

    def change(self):
        """One shot at a change, now and then while another change is made that nobody kills."""
        runs = sorted(self.marks.sure)
        other = None
        if self.rng.random() < 0.1:
            arguments, other_ends = self.marks.command(self.rng.choice(runs), self.rng, "tag")
            other = self.start(*arguments)
        which = self.rng.choice(sorted(self.kinds))
        arguments, ends = self.marks.command(self.rng.choice(runs), self.rng, which)
        outcome = self.shoot(self.kinds[which], *arguments)
        self.must_have_ended_well(outcome)
        if other:
            ended = other.wait()
            self.history.append(f"beside it: {' '.join(ended.arguments[1:])}\n    ended with {ended.code} {ended.err.strip()}")
            other_ends(ended.code == 0)
        ends(not outcome.killed)
        self.check()

    def finish(self):
        """All else of the runs is as it was."""
        now = self.read()
        for run, whole in self.world.template_facts.runs.items():
            facts.require_equal(run, whole, now.runs[run], ("tags", "trashed"))
        left = facts.leftovers(self.database, now)
        if left:
            raise Loss(f"left over: {', '.join(left[:4])}")

    def kill(self):
        for _ in range(20):
            self.change()
        self.finish()


class EditByOwner(Edit):
    kinds = {"tag": "tag by owner", "trash": "trash by owner"}
    prefer = re.compile(r"inbox")

    def kill(self):
        owner = self.start("serve")
        while "serving" not in owner.output():
            self.watcher.wait(owner.ended)
            if not owner.running():
                raise Loss(f"serve ends with {owner.wait().err}")
        for _ in range(30):
            self.change()
        moment = Moment(delay=time.monotonic() - owner.begun + self.rng.uniform(0, 0.3))
        arguments, ends = self.marks.command(sorted(self.marks.sure)[0], self.rng, "tag")
        asker = self.start(*arguments)
        self.shoot_at("serve", owner, moment)
        if asker.running():
            asker.kill()
        ends(asker.wait().code == 0)
        self.check()
        self.finish()

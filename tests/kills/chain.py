# SPDX-License-Identifier: Apache-2.0
"""A chain of kills on one database: what each kind has in common."""
import collections
import json
import pathlib

import facts
from facts import Loss
from moments import Child, Moment, Watcher, shoot


class Aims:
    """What was seen of each kind of command: how long it takes and which file events it causes."""

    def __init__(self):
        self.events = collections.defaultdict(collections.Counter)
        self.typical = {}

    def learn(self, kind, outcome):
        for name, count in outcome.seen.items():
            self.events[kind][name] = max(self.events[kind][name], count)
        if not outcome.killed:
            self.typical[kind] = 0.7 * self.typical.get(kind, outcome.seconds) + 0.3 * outcome.seconds

    def choose(self, kind, rng, prefer=None):
        """A moment: four of five at a file event, where `prefer` (a pattern) draws three of four of those. None, which is never,
        until one of the kind was seen from its beginning to its end."""
        if kind not in self.typical:
            return None
        names = sorted(self.events[kind])
        preferred = [name for name in names if prefer and prefer.search(name)]
        if rng.random() < 0.2 or not names:
            return Moment(delay=rng.uniform(0, self.typical[kind]))
        if preferred and rng.random() < 0.75:
            names = preferred
        event = rng.choice(names)
        nth = 1
        while nth < self.events[kind][event] and nth < 12 and rng.random() < 0.6:
            nth += 1
        return Moment(event, nth, rng.choice([0.0, rng.uniform(0, 0.0005), rng.uniform(0, 0.003)]))


class Chain:
    """Calls `tally(kind, outcome)` for every shot; raises Loss when something is lost."""
    prefer = None

    def __init__(self, world, folder, rng, aims, tally):
        self.world, self.folder, self.rng, self.aims, self.tally = world, pathlib.Path(folder), rng, aims, tally
        self.database = self.folder / "kills.heddle"
        self.scratch = self.folder.parent / (self.folder.name + "-scratch")
        self.scratch.mkdir()
        (self.folder / "io").mkdir(parents=True)
        self.environment = world.environment(self.folder)
        self.history, self.children, self.last = [], [], ""
        self.watcher = None

    def run(self):
        """The whole chain."""
        try:
            self.prepare()
            self.watcher = Watcher(self.folder)
            self.kill()
        except TimeoutError as error:
            raise Loss(str(error)) from error
        finally:
            for child in self.children:
                child.discard()
            if self.watcher:
                self.watcher.close()

    def prepare(self):
        """Files before the first command."""

    def kill(self):
        raise NotImplementedError

    def start(self, *arguments, text="", database=None):
        """A command in the background."""
        child = Child([self.world.heddle, *arguments, "--db", database or self.database], self.environment, self.folder / "io",
                      text)
        self.children = [other for other in self.children if other.status is None] + [child]
        return child

    def shoot(self, kind, *arguments, text="", database=None, heard=lambda name: None, moment=None):
        """Starts a command and kills it at a moment chosen for its kind; returns the outcome."""
        self.watcher.events()  # of what was before
        moment = moment or self.aims.choose(kind, self.rng, self.prefer)
        return self.shoot_at(kind, self.start(*arguments, text=text, database=database), moment, heard)

    def shoot_at(self, kind, child, moment, heard=lambda name: None):
        self.last = kind
        outcome = shoot(child, self.watcher, moment, heard)
        for name in [name for name in outcome.seen if name.startswith("io/")]:
            del outcome.seen[name]  # our own files
        self.aims.learn(kind, outcome)
        self.tally(kind, outcome)
        what = f"killed {moment}, after {outcome.seconds:.3f} s" if outcome.killed else f"ended with {outcome.code}"
        self.history.append(f"{kind}: {' '.join(outcome.arguments[1:])}\n    {what} {outcome.err.strip()[-300:]}")
        return outcome

    def must(self, *arguments, text="", database=None):
        """Runs a command that nobody kills and that must succeed."""
        outcome = self.start(*arguments, text=text, database=database).wait()
        self.history.append(f"{' '.join(outcome.arguments[1:])}\n    ended with {outcome.code} {outcome.err.strip()[-300:]}")
        if outcome.code != 0:
            raise Loss(f"{' '.join(outcome.arguments[1:4])} after a kill ends with {outcome.code}: {outcome.err.strip()[-400:]}")
        return outcome

    def must_have_ended_well(self, outcome):
        if not outcome.killed and outcome.code != 0:
            raise Loss(f"{' '.join(outcome.arguments[1:4])} ends with {outcome.code}: {outcome.err.strip()[-400:]}")

    def listed(self, database=None, may_be_absent=False):
        """The runs by id, as `heddle runs list` shows them."""
        outcome = self.start("runs", "list", "--all", "--json", database=database).wait()
        if outcome.code == 0:
            return {run["run"]: run for run in json.loads(outcome.out)["runs"]}
        absent = any(text in outcome.err for text in ("no run database", "no such run database", "database is empty"))
        if may_be_absent and absent:
            return {}
        self.history.append(f"runs list\n    ended with {outcome.code} {outcome.err.strip()}")
        raise Loss(f"runs list after a kill ends with {outcome.code}: {outcome.err.strip()[-400:]}")

    def read(self, database=None, like=None):
        """The facts of the database. Checks its checkpoints, and that `heddle runs list` shows the same runs."""
        database = database or self.database
        early = self.rng.random() < 0.5  # before or after the first program that opens it again
        found = facts.read(database, self.scratch, like) if early and facts.exists(database) else None
        listed = self.listed(database, may_be_absent=not found or not found.runs)
        if not facts.exists(database):
            return facts.Facts(0, {}, {})
        now = facts.read(database, self.scratch, like)
        if now.runs.keys() != listed.keys() or (found and found.runs.keys() != now.runs.keys()):
            raise Loss(f"runs list shows {sorted(listed)}, the database holds {sorted(now.runs)}")
        facts.check_checkpoints(database, now)
        return now

    def end(self, run, database=None):
        """Lets an owner open the database; afterwards no leftovers may lie beside it."""
        database = database or self.database
        self.must("runs", "restore", run, database=database)
        left = facts.leftovers(database, self.read(database))
        if left:
            raise Loss(f"left over after the next owner: {', '.join(left[:4])}")

# SPDX-License-Identifier: Apache-2.0
"""What the kills are aimed at: a small corpus, a run that nobody interrupts, databases with short runs, and older ones."""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import struct
import zlib

import facts
from moments import Child

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "sample"
LINES = {"train": 60, "valid": 5, "test": 5}
STEPS, SHORT_STEPS, SHORT_RUNS = 60, 3, 5


def run_spec(data, record):
    """The sample's eau-full as small as it can be, with dropout."""
    spec = json.loads((SAMPLE / "eau-full.json").read_text())
    spec["variant"]["dims"] = {"d": 32, "f": 32, "heads": 2, "layers_enc": 1, "layers_dec": 1, "max_len": 40}
    for split in LINES:
        spec["data"][split] = {"source": f"{data}/{split}.en", "target": f"{data}/{split}.weft"}
    spec["train"].update({"batch": {"tokens": 160}, "checkpoint_every": 5, "keep_last": 2, "threads": 1, "device": "cpu",
                          "epochs": 0, "steps": STEPS})
    spec["evaluate"] = {"every_epochs": 0, "every_steps": 20, "bleu_every_epochs": 1}
    spec["record"] = record
    return spec


def row_checksum(*values):
    """What storage/record_tables.h says of heddle_row_checksum."""
    covered = bytearray()
    for value in values:
        if value is None:
            covered += b"n" + bytes(8)
        elif isinstance(value, int):
            covered += b"i" + struct.pack("<q", value)
        elif isinstance(value, float):
            covered += b"r" + struct.pack("<d", value or 0.0)
        else:
            data = value.encode() if isinstance(value, str) else value
            covered += (b"t" if isinstance(value, str) else b"b") + struct.pack("<q", len(data)) + data
    return zlib.crc32(covered)


def checksum_statements(steps):
    """The newest statement of these steps of the schema that seals all rows of a table, for each table."""
    newest = {}
    for step in steps:
        for table, formula in re.findall(r"UPDATE (\w+) SET row_checksum = (heddle_row_checksum\([^;]*?\))\s*"
                                         r"(?:WHERE row_checksum[^;]*)?;", step):
            newest[table] = f"UPDATE {table} SET row_checksum = {formula}"
    return newest.values()


class World:
    """Made once; the chains copy from it."""

    def __init__(self, folder, heddle, spec=None):
        """`spec`: a file with another run to train than the small one."""
        self.folder, self.heddle = pathlib.Path(folder), pathlib.Path(heddle).resolve()
        self.data, self.spec = self.folder / "data", spec.resolve() if spec else self.folder / "spec.json"
        self.own = not spec
        self.reference, self.template = self.folder / "reference.heddle", self.folder / "template.heddle"
        self.older = []  # databases of older schemas

    def environment(self, folder):
        """That of the caller, with folders of its own and without the user's database."""
        kept = {name: value for name, value in os.environ.items() if name != "HEDDLE_DB" and not name.startswith("XDG_")}
        return {**kept, **{f"XDG_{name}_HOME": f"{folder}/{name.lower()}" for name in ("CACHE", "STATE", "CONFIG", "DATA")}}

    def heddle_now(self, *arguments, text=""):
        child = Child([self.heddle, *arguments], self.environment(self.folder), self.folder, text)
        outcome = child.wait()
        if outcome.code != 0:
            raise SystemExit(f"{' '.join(child.arguments)}\nends with {outcome.code}: {outcome.err}")
        return outcome

    def build(self):
        self.data.mkdir()
        for split, lines in LINES.items():
            for side in ("en", "weft"):
                text = (SAMPLE / f"{split}.{side}").read_text().splitlines(keepends=True)[:lines]
                (self.data / f"{split}.{side}").write_text("".join(text))
        if self.own:
            record = {"maps_every": 20, "histograms_every": 10, "probes": 2}
            self.spec.write_text(json.dumps(run_spec(self.data, record)))
        trained = self.heddle_now("train", self.spec, "--db", self.reference, "--json")
        self.duration = trained.seconds
        self.run = json.loads(trained.out)["run"]
        self.reference_facts = facts.read(self.reference, self.folder)
        self.results = facts.results(self.reference_facts.runs[self.run])
        for part in ("curves", "evaluations", "samples", "histograms", "maps", "checkpoints"):
            if self.own and not self.results[part]:
                raise SystemExit(f"the uninterrupted run recorded no {part}: nothing would be compared")
        if self.results["state"] != "completed" or self.own and self.results["step"] != STEPS:
            raise SystemExit("the uninterrupted run was not completed")

        short = self.folder / "short.json"
        short.write_text(json.dumps(run_spec(self.data, {"maps_every": 2, "histograms_every": 2, "probes": 1})))
        for number in range(SHORT_RUNS):
            self.heddle_now("train", short, "--steps", SHORT_STEPS, "--seed", number, "--name", f"run {number}", "--db",
                            self.template)
        self.template_facts = facts.read(self.template, self.folder)
        facts.check_checkpoints(self.template, self.template_facts)
        self.build_older()

    def build_older(self):
        """The template as earlier releases would have written it, and the golden databases of such releases."""
        steps = sorted((ROOT / "storage" / "schema").glob("[0-9]*.sql"))
        for version in range(1, len(steps)):
            file = self.folder / f"older-{version}.heddle"
            self.write_older(file, [step.read_text() for step in steps[:version]])
            shutil.copytree(f"{self.template}.d", f"{file}.d")
            self.older.append(file)
        for golden in sorted((ROOT / "tests" / "golden" / "databases").glob("*.heddle")):
            file = self.folder / golden.name
            shutil.copyfile(golden, file)
            if facts.read(file, self.folder).schema >= len(steps):
                continue
            file.with_suffix(".golden").touch()  # it has no checkpoints on disk
            self.older.append(file)

    def write_older(self, file, steps):
        source = self.folder / "copied.heddle"
        shutil.copyfile(self.template, source)  # its owner has ended and copied the log
        made = sqlite3.connect(file)
        made.create_function("heddle_row_checksum", -1, row_checksum, deterministic=True)
        made.execute("PRAGMA page_size = 16384")
        made.execute("PRAGMA auto_vacuum = INCREMENTAL")
        for step in steps:
            made.executescript(step)
        made.execute(f"PRAGMA application_id = {0x4844444c}")
        made.execute(f"PRAGMA user_version = {len(steps)}")
        made.execute("ATTACH ? AS source", (str(source),))
        columns = {}
        for schema in ("main", "source"):
            tables = made.execute(f"SELECT name FROM {schema}.sqlite_schema WHERE type = 'table'").fetchall()
            columns[schema] = {name: [row[1] for row in made.execute(f"PRAGMA {schema}.table_info({name})")]
                               for name, in tables if not re.match("sqlite_|lookup_", name)}
        for table, own in columns["main"].items():
            common = ", ".join(name for name in own if name in columns["source"].get(table, ()))
            if common:
                made.execute(f"DELETE FROM main.{table}")
                made.execute(f"INSERT INTO main.{table} ({common}) SELECT {common} FROM source.{table}")
        for statement in checksum_statements(steps):  # of the columns that this schema has
            made.execute(statement)
        made.commit()
        made.execute("DETACH source")
        made.execute("PRAGMA journal_mode = WAL")
        made.close()
        source.unlink()


def copy_database(source, target):
    """A database that nobody has open, with its artifacts."""
    shutil.copyfile(source, target)
    if pathlib.Path(source).with_suffix(".golden").exists():
        pathlib.Path(target).with_suffix(".golden").touch()
    if pathlib.Path(f"{source}.d").is_dir():
        shutil.copytree(f"{source}.d", f"{target}.d")

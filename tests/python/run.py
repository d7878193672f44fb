#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""resources/python/heddle.py against what the program itself prints of a run, and the examples of resources/help/python.md.

    tests/python/run.py --heddle PROGRAM

Trains a tiny run, reads it with heddle.py and compares: evaluations, checkpoints, spec, seed and tags with `heddle runs show --json`,
curves with `heddle runs export --format jsonl`, maps and histograms with their views. Then damaged, newer and other files. Exit
status 77, with a notice, where there is no numpy.
"""
import argparse
import contextlib
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import zlib

try:
    import numpy
except ImportError:
    print("SKIPPED: there is no numpy")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "resources" / "python"))
import heddle

STEPS = 24


class Lab:
    def __init__(self, program, folder):
        self.program, self.folder, self.file = program, folder, folder / "runs.heddle"

    def heddle(self, *words):
        done = subprocess.run([self.program, *map(str, words), "--db", self.file], capture_output=True, text=True, cwd=self.folder)
        if done.returncode != 0:
            raise SystemExit(f"heddle {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def command(self, *words):
        return [self.program, "train", ROOT / "resources/sample/eau-full.json", "--set", "dims.d=32", "--set", "dims.f=32", "--set",
                "dims.heads=2", "--db", self.file, *map(str, words)]


def equal(what, read, told):
    same = numpy.array_equal(read, told, equal_nan=True) if isinstance(read, numpy.ndarray) else read == told
    if not same:
        raise SystemExit(f"{what}: heddle.py read {read}, the program says {told}")


def compare_run(lab):
    told = json.loads(lab.heddle("runs", "show", "base", "--json"))
    with heddle.open(lab.file) as database:
        run = database.run("base")
        equal("id", run.id, told["run"])
        for ours, theirs in (("name", "name"), ("state", "state"), ("seed", "seed"), ("tags", "tags"), ("step", "steps"),
                             ("spec", "spec"), ("parameters", "parameters"), ("run_hash", "run_hash"), ("intervened", "intervened")):
            equal(ours, getattr(run, ours), told[theirs])
        equal("notes", run.notes, [note["text"] for note in told["notes"]])
        equal("number of notes", len(run.notes), 1)
        keys = ("step", "epoch", "split", "metric", "value", "n", "signature")
        order = lambda rows: sorted(rows, key=lambda row: (row[0], row[2], row[3]))
        equal("evaluations", order([tuple(getattr(e, key) for key in keys) for e in run.evaluations()]),
              order([tuple(e[key] for key in keys) for e in told["evaluations"]]))
        equal("checkpoints", sorted((c.kind, c.step, c.path, c.weights_sha256, c.bytes) for c in run.checkpoints()),
              sorted((c["kind"], c["step"], c["path"], c["weights_sha256"], c["bytes"]) for c in told["checkpoints"]))
        points = {}
        lab.heddle("runs", "export", "base.jsonl", "base", "--format", "jsonl")
        for line in (lab.folder / "base.jsonl").read_text().splitlines():
            point = json.loads(line)
            if point["kind"] == "run":
                equal("notes of the export", run.notes, point["notes"])
            if point["kind"] == "point":
                points.setdefault((point["name"], point["path"]), []).append((point["step"], float(point["value"])))
        equal("names of series", set(run.series_names()), set(points))
        for (name, path), curve in points.items():
            series = database.series(run, name, path)
            equal(f"steps of {name} {path}", series.steps, numpy.array([step for step, _ in curve]))
            equal(f"values of {name} {path}", series.values.astype(float), numpy.array([value for _, value in curve]))
        compare_snapshots(database, run)
        print(f"{len(points)} series, {len(told['evaluations'])} evaluations, {len(run.map_places())} maps and "
              f"{len(run.histogram_places())} histograms are equal")


def compare_snapshots(database, run):
    for name, path, step, probe in run.map_places():
        codec, data = database.sql("SELECT codec, data FROM v_maps WHERE run = ? AND name = ? AND path = ? AND step = ? AND probe = ?"
                                   " ORDER BY attempt DESC", run.id, name, path, step, probe)[0]
        read = run.map(name, path, step, probe)
        raw = zlib.decompress(data) if codec == "f16+zlib" else data
        equal("map", read.values.ravel(), numpy.frombuffer(raw, "<f2").astype(numpy.float32))
        equal("tokens", read.values.shape[1:], (len(read.rows), len(read.columns)))
        if name == "weight" and not numpy.allclose(read.values.sum(2), 1, atol=0.01):
            raise SystemExit(f"the attention weights of {path} do not sum to one")
    for name, path, step, _ in run.histogram_places():
        data = database.sql("SELECT data FROM v_histograms WHERE run = ? AND name = ? AND path = ? AND step = ?", run.id, name, path,
                            step)[0][0]
        read = run.histogram(name, path, step)
        equal("histogram", read.counts, numpy.frombuffer(data, "<u4"))
        equal("edges", len(read.edges), len(read.counts) + 1)


def read_while_training(lab):
    training = subprocess.Popen(lab.command("--name", "live", "--steps", "100000"), cwd=lab.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
    try:
        with heddle.open(lab.file) as database:
            while True:
                if training.poll() is not None:
                    raise SystemExit("the training ended by itself")
                try:
                    steps = database.run("live").series("loss").steps
                except heddle.HeddleError:
                    continue  # not yet
                if len(steps) >= 8:
                    equal("steps of a run that trains", steps, numpy.arange(1, len(steps) + 1))
                    equal("state of a run that trains", database.run("live").state, "running")
                    break
    finally:
        training.terminate()
        training.wait()
    print("a run is read while it trains")


def refused(what, kind, said, action):
    try:
        action()
    except kind as error:
        if said not in str(error):
            raise SystemExit(f"{what}: said {error}")
        return
    raise SystemExit(f"{what}: is not refused")


def refuse_others(lab):
    copy = lab.folder / "copy.heddle"

    def changed(sql):
        for name in (copy, pathlib.Path(f"{copy}-wal"), pathlib.Path(f"{copy}-shm")):
            name.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(lab.file)) as source:
            source.execute("VACUUM INTO ?", (str(copy),))
        with contextlib.closing(sqlite3.connect(copy)) as database:
            database.execute("PRAGMA writable_schema = OFF")
            database.execute(sql)
            database.commit()
        return heddle.open(copy)

    refused("no file", heddle.HeddleError, "no such file", lambda: heddle.open(lab.folder / "none.heddle"))
    refused("another file", heddle.HeddleError, "not a Heddle run database", lambda: heddle.open(__file__))
    refused("a newer schema", heddle.HeddleError, "use the heddle.py of the Heddle that wrote it",
            lambda: changed("PRAGMA user_version = 99"))
    refused("an unknown run", heddle.HeddleError, "runs() lists them", lambda: heddle.open(lab.file).run("nobody"))
    base = heddle.open(lab.file).run("base")
    refused("an unknown series", heddle.HeddleError, "series_names() lists them", lambda: base.series("nothing"))
    place, held = base.map_places()[0], base.histogram_places()[0]
    for table, read in (("chunk", lambda run: run.series("loss")), ("map", lambda run: run.map(*place)),
                        ("histogram", lambda run: run.histogram(*held[:3]))):
        with changed(f"UPDATE {table} SET data = zeroblob(length(data))") as database:
            refused(f"a damaged {table}", heddle.DamagedError, "is damaged", lambda: read(database.run("base")))
    with changed("UPDATE run SET trashed = 1") as database:
        equal("runs that are not in the trash", database.runs(), [])
        equal("runs in the trash", len(database.runs(trash=True)), 2)
    print("damaged, newer and other files are refused")


def run_examples(lab):
    """The blocks of the page, one after the other, beside the database as a notebook would be."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "resources/help/python.md").read_text(encoding="utf-8"), re.S)
    before, printed = os.getcwd(), io.StringIO()
    os.chdir(lab.folder)
    try:
        names = {}
        with contextlib.redirect_stdout(printed):
            for block in blocks:
                exec(compile(block, "python.md", "exec"), names)
    finally:
        os.chdir(before)
    for expected in ("base: loss ", " -> ", "/head 0"):
        if expected not in printed.getvalue():
            raise SystemExit(f"the examples did not print {expected!r}: {printed.getvalue()}")
    print(f"{len(blocks)} examples of python.md run")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/release/bin/heddle")
    program = parser.parse_args().heddle.resolve()
    with tempfile.TemporaryDirectory(prefix="heddle-python-") as folder:
        lab = Lab(program, pathlib.Path(folder))
        done = subprocess.run(lab.command("--name", "base", "--steps", STEPS, "--seed", 3), capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"cannot train: {done.stderr}")
        lab.heddle("runs", "tag", "base", "paper", "draft")
        for words in (["warm-up too short?"], ["of another run"], ["--edit", 1, "warm-up was too short"], ["--remove", 2]):
            lab.heddle("runs", "note", "base", *words)
        compare_run(lab)
        run_examples(lab)
        read_while_training(lab)
        refuse_others(lab)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of other programs, written by those programs, and what their own readers say of them.

    tests/oracle/foreign_oracle.py FOLDER      (tests/unit/app/foreign/cases)

Needs tensorboard, tensorboardX and trackio (versions in expected.json). Writes a folder of TensorBoard events in each of the forms of
a scalar, a Trackio database as SQL text, and expected.json, which tests/unit/app/cli/import_runs_test.cpp asks for.
"""
import importlib.metadata
import json
import math
import os
import pathlib
import shutil
import sqlite3
import struct
import sys
import tempfile

FOLDER = pathlib.Path(sys.argv[1]).resolve()
TRACKIO = tempfile.TemporaryDirectory()  # removed at the program's end
os.environ["TRACKIO_DIR"] = TRACKIO.name

import numpy
import tensorboardX
import trackio
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util
from trackio.sqlite_storage import SQLiteStorage


def write_simple(folder):
    with tensorboardX.SummaryWriter(str(folder)) as writer:
        writer.add_text("note", "hello", 0)
        for step in range(0, 50, 10):
            writer.add_scalar("train/loss", 4 - step / 30, step, walltime=1.7e9 + step)
            writer.add_scalar("eval/loss", 3.5 - step / 30, step, walltime=1.7e9 + step)


def write_tensors(folder):
    """tf.summary.scalar's form: a tensor, whose number stands in one of three fields."""
    writer = EventFileWriter(str(folder))
    forms = {"float_val": lambda x: tensor_util.make_tensor_proto(numpy.float32(x)),
             "double_val": lambda x: tensor_util.make_tensor_proto(numpy.float64(x)),
             "content_float": lambda x: tensor_pb2.TensorProto(dtype=1, tensor_content=struct.pack("<f", x)),
             "content_double": lambda x: tensor_pb2.TensorProto(dtype=2, tensor_content=struct.pack("<d", x)),
             "several": lambda x: tensor_util.make_tensor_proto(numpy.zeros((3, 3)))}
    for step in range(3):
        values = [summary_pb2.Summary.Value(tag=tag, tensor=form(1.1 + step)) for tag, form in forms.items()]
        writer.add_event(event_pb2.Event(wall_time=1.7e9 + step, step=step, summary=summary_pb2.Summary(value=values)))
    writer.close()


def told(folder):
    """What TensorBoard reads: tag → [[step, value], …]."""
    reader = EventAccumulator(str(folder))
    reader.Reload()
    curves = {tag: [[e.step, e.value] for e in reader.Scalars(tag)] for tag in reader.Tags()["scalars"]}
    for tag in reader.Tags()["tensors"]:
        arrays = [(e.step, tensor_util.make_ndarray(e.tensor_proto)) for e in reader.Tensors(tag)]
        if all(a.dtype.kind == "f" and a.size == 1 for _, a in arrays):
            curves[tag] = [[step, float(a.reshape(-1)[0])] for step, a in arrays]
    return curves


def write_trackio():
    for seed in (1, 2):
        trackio.init(project="study", name=f"base-s{seed}", group="base", embed=False,
                     config={"lr": 0.1, "seed": seed, "optimizer": {"name": "adam"}})
        for step in range(4):
            values = {"train/loss": math.nan if step == 2 else 4 - step / 4 + seed, "note": f"step {step}"}
            trackio.log(values | ({"val_loss": 3 - step / 8 + seed} if step != 1 else {}))
        trackio.finish()
    with sqlite3.connect(pathlib.Path(TRACKIO.name) / "study.db") as database:
        kept = [line for line in database.iterdump() if '"metrics"' in line or '"configs"' in line or
                line.startswith(("CREATE TABLE metrics", "CREATE TABLE configs"))]
    (FOLDER / "trackio.sql").write_text("\n".join(kept) + "\n")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "board").mkdir(parents=True)
    expected = {"versions": {name: importlib.metadata.version(name) for name in ("tensorboard", "tensorboardX", "trackio")}}
    for name, make in (("simple", write_simple), ("tensors", write_tensors)):
        make(FOLDER / "board" / name)
        expected[name] = told(FOLDER / "board" / name)
        for file in (FOLDER / "board" / name).iterdir():
            file.rename(file.with_name("events.out.tfevents.1"))  # else the machine's name is in it
    write_trackio()
    expected["trackio"] = {name: [[row["step"], row["val_loss"]] for row in SQLiteStorage.get_logs("study", name)
                                  if row.get("val_loss") is not None] for name in ("base-s1", "base-s2")}
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


main()

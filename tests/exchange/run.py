#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `heddle runs export` writes, read by the programs that it is for, and read back by `heddle runs import`.

    tests/exchange/run.py [--heddle PROGRAM] [--venv FOLDER] [--keep FOLDER]

Makes a virtual environment with the readers at their pinned versions (requirements.txt, from PyPI; --venv: where, kept for the next
time), trains tiny runs, imports one with numbers that are not finite, and exports them in every format. Then all numbers are compared,
bit for bit, with those that resources/python/heddle.py reads from the database:
  csv          by pandas and by Python's csv
  jsonl        by json and by pandas
  tensorboard  by EventAccumulator, and by the real server over HTTP
  optuna       by optuna.load_study, and by the real optuna-dashboard over HTTP
and those of each export that is imported again. Exit status 1: something differs; 77, with a notice: PyPI cannot be reached.
"""
import argparse
import contextlib
import csv
import json
import math
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
MARK = "HEDDLE_EXCHANGE_VENV"


def enter_venv(folder):
    """Starts this program again in an environment that has the readers."""
    python, ready = folder / "bin/python", folder / "ready"
    wanted = (HERE / "requirements.txt").read_text()
    if not ready.exists() or ready.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
                               HERE / "requirements.txt"], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"SKIPPED: the readers cannot be installed: {done.stderr.strip().splitlines()[-1]}")
            sys.exit(77)
        ready.write_text(wanted)
    os.execve(python, [str(python), __file__, *sys.argv[1:]], dict(os.environ, **{MARK: "1", "PYTHONDONTWRITEBYTECODE": "1"}))


class Lab:
    def __init__(self, program, folder):
        self.program, self.folder, self.file = program, folder, folder / "runs.heddle"

    def heddle(self, *words, database=None):
        done = subprocess.run([self.program, *map(str, words), "--db", database or self.file], capture_output=True, text=True,
                              cwd=self.folder)
        if done.returncode != 0:
            raise SystemExit(f"heddle {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def train(self, name, seed, *more):
        self.heddle("train", ROOT / "resources/sample/eau-full.json", "--set", "dims.d=32", "--set", "dims.f=32", "--set",
                    "dims.heads=2", "--steps", 12, "--name", name, "--seed", seed, *more)

    def prepare(self):
        self.train("base", 1)
        self.train("base-2", 2)
        self.train("slow, \"quoted\"", 1, "--set", "train.lr=0.002", "--set", "train.schedule.kind=constant")
        (self.folder / "odd.csv").write_text("run,seed,group,step,val_loss,train_loss,lr\nodd,5,g,1,nan,inf,0.25\n"
                                             "odd,5,g,2,-inf,-inf,0.25\nodd,5,g,3,0.1,nan,0.25\nodd,5,g,4,1e-310,1e-45,0.25\n")
        self.heddle("runs", "import", "odd.csv")
        for name, words in (("tables", ["csv"]), ("runs.jsonl", ["jsonl"]), ("board", ["tensorboard"]),
                            ("study.db", ["optuna", "--metric", "valid:loss", "--value", "last"])):
            self.heddle("runs", "export", name, "--format", *words)


def bits(value):
    """A NaN is a NaN; 0 is not -0."""
    value = float(value)
    return "NaN" if math.isnan(value) else struct.pack("<d", value)


def truth(file):
    """name → (Run, {("train", name, path) or (split, metric, None): {step: bits}}) of what the database has."""
    import heddle
    found = {}
    with heddle.open(file) as database:
        for run in database.runs():
            numbers = {}
            for name, path in run.series_names():
                series = run.series(name, path)
                numbers["train", name, path] = {int(s): bits(v) for s, v in zip(series.steps, series.values)}
            for e in run.evaluations():
                numbers.setdefault((e.split, e.metric, None), {})[e.step] = bits(e.value)
            found[run.name] = (run, numbers)
    return found


def count(numbers):
    return sum(len(curve) for curve in numbers.values())


def expect(what, read, told):
    if read != told:
        if isinstance(read, dict) and isinstance(told, dict):
            keys = [key for key in {*read, *told} if read.get(key) != told.get(key)]
            raise SystemExit(f"{what}: differ in {len(keys)}, first {keys[0]}: {read.get(keys[0])} and {told.get(keys[0])}")
        raise SystemExit(f"{what}: read {read}, the database has {told}")


def compare_all(what, read, told):
    """read: name of the run → numbers."""
    expect(f"{what}: runs", sorted(read), sorted(told))
    for name in told:
        expect(f"{what}: {name}", read[name], told[name][1])
    print(f"{what}: {sum(map(count, read.values()))} numbers of {len(read)} runs are equal")


def check_csv(lab, told):
    import pandas
    read, by_csv = {}, {}
    with open(lab.folder / "tables/points.csv", newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        key = (row["split"], row["metric"], row["path"] if row["kind"] == "series" else None)
        by_csv.setdefault(row["name"], {}).setdefault(key, {})[int(row["step"])] = bits(row["value"])
    table = pandas.read_csv(lab.folder / "tables/points.csv", keep_default_na=False,
                            dtype={"path": str, "value": str, "name": str})
    table["value"] = table["value"].astype(float)
    for row in table.itertuples():
        key = (row.split, row.metric, row.path if row.kind == "series" else None)
        read.setdefault(row.name, {}).setdefault(key, {})[int(row.step)] = bits(row.value)
    compare_all("csv by Python's csv", by_csv, told)
    compare_all("csv by pandas", read, told)
    plain = pandas.read_csv(lab.folder / "tables/points.csv")
    expect("csv by pandas without options: lines", len(plain), len(rows))
    expect("csv by pandas without options: type of values", plain["value"].dtype.kind, "f")
    runs = pandas.read_csv(lab.folder / "tables/runs.csv").set_index("name")
    for name, (run, _) in told.items():
        expect(f"runs.csv: run of {name}", runs.loc[name, "run"], run.id)
        expect(f"runs.csv: seed of {name}", int(runs.loc[name, "seed"]), run.seed)
        expect(f"runs.csv: created of {name}", bits(runs.loc[name, "created"]), bits(run.created))
        if "train" in run.spec:
            expect(f"runs.csv: learning rate of {name}", float(runs.loc[name, "spec.train.lr"]), run.spec["train"]["lr"])


def check_json_lines(lab, told):
    import pandas
    read, names, specs = {}, {}, {}
    lines = (lab.folder / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    strict = lambda word: (_ for _ in ()).throw(SystemExit(f"runs.jsonl has {word}, which is no JSON"))
    for line in lines:
        one = json.loads(line, parse_constant=strict)
        if one["kind"] == "run":
            names[one["run"]], specs[one["name"]] = one["name"], one["spec"]
            continue
        key = ("train", one["name"], one["path"]) if one["kind"] == "point" else (one["split"], one["metric"], None)
        read.setdefault(names[one["run"]], {}).setdefault(key, {})[one["step"]] = bits(one["value"])
    compare_all("jsonl by json", read, told)
    expect("jsonl: specs", specs, {name: run.spec for name, (run, _) in told.items()})
    table = pandas.read_json(lab.folder / "runs.jsonl", lines=True)
    expect("jsonl by pandas: lines", len(table), len(lines))


def check_tensorboard(lab, told):
    import numpy
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util
    import heddle
    read, histograms = {}, 0
    with heddle.open(lab.file) as database:
        for name, (run, numbers) in told.items():
            folder = [f for f in (lab.folder / "board").iterdir() if f.name.endswith(run.id)]
            events = EventAccumulator(str(folder[0]), size_guidance={kind: 0 for kind in ("scalars", "tensors", "histograms")})
            events.Reload()
            tags = events.Tags()
            mine = read.setdefault(name, {})
            of_tag = json.loads(events.Tensors("heddle/run")[0].tensor_proto.string_val[0])["tags_of_values"]
            for tag in tags["scalars"]:
                curve = {e.step: e.value for e in events.Scalars(tag)}
                if tag in of_tag:
                    split, metric, path = of_tag[tag]
                    expect(f"tensorboard: split of {tag}", split, "")
                    mine["train", metric, path] = {step: bits(value) for step, value in curve.items()}
                else:  # an evaluation as a float
                    exact = numbers[(*tag.split("/", 1), None)]
                    expect(f"tensorboard: {tag}", {step: bits(value) for step, value in curve.items()},
                           {step: value if value == "NaN" else bits(numpy.float32(struct.unpack("<d", value)[0]))
                            for step, value in exact.items()})
            for tag in tags["tensors"]:
                if tag in of_tag:
                    arrays = [(e.step, tensor_util.make_ndarray(e.tensor_proto)) for e in events.Tensors(tag)]
                    mine[of_tag[tag][0], of_tag[tag][1], None] = {step: bits(array.item()) for step, array in arrays}
            spec = events.Tensors("spec")[0].tensor_proto.string_val[0].decode()
            expect(f"tensorboard: spec of {name}", json.loads(spec.removeprefix("```json\n").removesuffix("\n```")), run.spec)
            fresh = database.run(run.id)
            for sample in fresh.samples()[:1]:
                cells = tensor_util.make_ndarray(events.Tensors("samples")[0].tensor_proto)
                expect(f"tensorboard: sample of {name}", [cell.decode() for cell in cells[1]],
                       [sample.source, sample.reference, sample.hypothesis])
            for place in fresh.histogram_places():
                held = fresh.histogram(place.name, place.path, place.step)
                shown = {e.step: e.histogram_value for e in events.Histograms(f"{place.name}/{place.path}")}[place.step]
                counts = dict(zip(map(bits, shown.bucket_limit), shown.bucket))
                edges = {bits(edge): int(n) for edge, n in zip(held.edges[1:], held.counts)}
                expect("tensorboard: counts", {k: n for k, n in counts.items() if n}, {k: n for k, n in edges.items() if n})
                expect("tensorboard: extremes", (shown.min, shown.max, shown.num),
                       (held.minimum, held.maximum, int(held.counts.sum()) + held.below + held.above))
                histograms += 1
    compare_all("tensorboard by EventAccumulator", read, told)
    print(f"tensorboard by EventAccumulator: {histograms} histograms are equal")
    if not histograms:
        raise SystemExit("tensorboard: there was no histogram to compare")


@contextlib.contextmanager
def server(command, path):
    """Runs the server of another program. Yields a function that fetches JSON from it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([str(word).replace("PORT", str(port)) for word in command], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)

    def fetch(place, **words):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{place}?{urllib.parse.urlencode(words)}", timeout=20) as answer:
            return json.loads(answer.read())

    try:
        for _ in range(240):
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                fetch(path)
                break
            if process.poll() is not None:
                raise SystemExit(f"{command[0]} ended: {process.stdout.read()}")
            time.sleep(0.5)
        else:
            raise SystemExit(f"{command[0]} does not answer")
        yield fetch
    finally:
        process.terminate()
        process.wait()


def check_tensorboard_server(lab, told):
    command = [pathlib.Path(sys.executable).parent / "tensorboard", "--logdir", lab.folder / "board", "--port", "PORT", "--host",
               "127.0.0.1"]
    with server(command, "/data/runs") as fetch:
        for _ in range(120):  # it loads in the background
            scalars, histograms, texts = (fetch(f"/data/plugin/{plugin}/tags") for plugin in ("scalars", "histograms", "text"))
            if len(histograms) == len(told) - 1 and sum("valid/loss" in tags for tags in scalars.values()) == len(told):
                break
            time.sleep(0.5)
        compared = 0
        for name, (run, numbers) in told.items():
            folder = next(key for key in scalars if key.endswith(run.id))
            for key, curve in numbers.items():
                split, metric, path = key
                if name == "odd" or path:
                    continue  # JSON has no NaN, and the server its own words for it
                tag = f"{split}/{metric}"
                if tag not in scalars[folder]:
                    raise SystemExit(f"the server does not list {tag} of {folder}")
                shown = fetch("/data/plugin/scalars/scalars", run=folder, tag=tag)
                for _, step, value in shown:
                    told_value = struct.unpack("<d", curve[step])[0]
                    if struct.pack("<f", value) != struct.pack("<f", told_value):  # the server keeps floats
                        raise SystemExit(f"the server shows {value} for {tag} at {step}, the database has {told_value}")
                    compared += 1
                expect(f"the server's steps of {tag}", [step for _, step, _ in shown], sorted(curve))
            if name != "odd":
                if not any("gate/" in tag for tag in histograms[folder]) or "samples" not in texts[folder]:
                    raise SystemExit(f"the server shows {histograms[folder]} and {texts[folder]} of {folder}")
        print(f"tensorboard by its server: {compared} scalars are equal as floats; histograms and texts are listed")


def check_optuna(lab, told):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.load_study(study_name="study", storage=f"sqlite:///{lab.folder / 'study.db'}")
    expect("optuna: direction", study.direction.name, "MINIMIZE")
    expect("optuna: metric", study.metric_names, ["valid:loss"])
    by_run = {trial.user_attrs["heddle:run"]: trial for trial in study.trials}
    expect("optuna: trials", len(by_run), len(told))
    for name, (run, numbers) in told.items():
        trial, curve = by_run[run.id], numbers["valid", "loss", None]
        expect(f"optuna: state of {name}", trial.state.name, "COMPLETE")
        expect(f"optuna: value of {name}", bits(trial.value), curve[max(curve)])
        expect(f"optuna: intermediate values of {name}", {s: bits(v) for s, v in trial.intermediate_values.items()}, curve)
        expect(f"optuna: seed of {name}", trial.user_attrs["heddle:seed"], run.seed)
        if "train" in run.spec:
            expect(f"optuna: learning rate of {name}", trial.params["train.lr"], run.spec["train"]["lr"])
            schedule = run.spec["train"].get("schedule", {}).get("kind", "constant")
            expect(f"optuna: schedule of {name}", trial.params["train.schedule.kind"], schedule)
        for parameter, value in trial.params.items():
            if not trial.distributions[parameter]._contains(trial.distributions[parameter].to_internal_repr(value)):
                raise SystemExit(f"optuna: {parameter} = {value} is outside of its range")
    expect("optuna: best trial", study.best_trial.user_attrs["heddle:run"],
           min(by_run.values(), key=lambda trial: trial.value).user_attrs["heddle:run"])
    frame = study.trials_dataframe()
    expect("optuna: rows of trials_dataframe()", len(frame), len(told))
    sampled = optuna.load_study(study_name="study", storage=f"sqlite:///{lab.folder / 'study.db'}").ask()
    expect("optuna: the study takes a further trial", sampled.number, len(told))
    study.tell(sampled.number, state=optuna.trial.TrialState.FAIL)
    print(f"optuna {optuna.__version__} by load_study: {len(told)} trials with {len(frame.columns)} columns are equal")


def check_dashboard(lab, told):
    import optuna_dashboard
    command = [pathlib.Path(sys.executable).parent / "optuna-dashboard", f"sqlite:///{lab.folder / 'study.db'}", "--port", "PORT",
               "--host", "127.0.0.1"]
    with server(command, "/api/studies") as fetch:
        studies = fetch("/api/studies")["study_summaries"]
        expect("optuna-dashboard: studies", [one["study_name"] for one in studies], ["study"])
        shown = fetch(f"/api/studies/{studies[0]['study_id']}")
        values = {}
        for trial in shown["trials"]:
            attributes = {one["key"]: one["value"] for one in trial.get("user_attrs", [])}
            if "heddle:run" in attributes and trial.get("values"):
                values[attributes["heddle:run"].strip('"')] = bits(trial["values"][0])
        expect("optuna-dashboard: values", values,
               {run.id: numbers["valid", "loss", None][max(numbers["valid", "loss", None])] for run, numbers in told.values()})
        print(f"optuna-dashboard {optuna_dashboard.__version__} by HTTP: {len(values)} values are equal")


def check_imports(lab, told):
    for name in ("tables", "runs.jsonl", "board"):
        there = lab.folder / f"{name}-back.heddle"
        lab.heddle("runs", "import", name, database=there)
        back = truth(there)
        compare_all(f"heddle runs import {name}", {name: numbers for name, (_, numbers) in back.items()}, told)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=pathlib.Path, default=ROOT / "build/release/bin/heddle")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    parser.add_argument("--venv", type=pathlib.Path, default=cache / "heddle-exchange")
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder where all files stay")
    options = parser.parse_args()
    if MARK not in os.environ:
        enter_venv(options.venv.resolve())
    sys.path.insert(0, str(ROOT / "resources/python"))
    with contextlib.ExitStack() as stack:
        if options.keep:
            options.keep.mkdir(parents=True)
        folder = options.keep or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="heddle-exchange-")))
        lab = Lab(options.heddle.resolve(), folder.resolve())
        lab.prepare()
        told = truth(lab.file)
        for check in (check_csv, check_json_lines, check_tensorboard, check_tensorboard_server, check_optuna, check_dashboard,
                      check_imports):
            check(lab, told)


if __name__ == "__main__":
    main()

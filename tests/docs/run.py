#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of README.md and docs/ as it is printed there.

A folder is prepared once with the files and runs that these pages speak of, small ones. Each command then runs in a copy of it
and must end with exit code 0. Where a command needs more, such as a run in training or a stopped one, other commands make that first.
The studio is started without a screen and must run until it gets SIGTERM. Commands that cannot run everywhere are left out and printed
with the reason.

    tests/docs/run.py [--heddle build/release/bin/heddle] [--only TEXT]
"""
import argparse
import contextlib
import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXT = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
TRAINING = TEXT["training.md"]  # has the spec and the plan that the commands name
SECONDS = 240  # for one command
SMALL = ["--set", "dims.d=32", "--set", "dims.f=32", "--set", "dims.heads=2"]

# (pattern, reason): commands that match are not run here.
LEFT_OUT = [
    (r"^packaging/|^sudo |^heddle setup", "sets up a machine"),
    (r"/usr/share/", "needs an installed package, and minutes"),
    (r"DATA/|multi30k", "needs files of others"),
    (r"<\(", "depends on the machine"),
    (r"…", "has a part for the reader to fill in"),
    (r"^heddle bench train --all", "takes hours"),
    (r"^heddle reproduce .*--markdown", "trains for an hour on the publisher's data"),
]

NEW = f"--set train.epochs=0 --set train.early_stopping.patience=0 {' '.join(SMALL)} >log 2>&1"


def in_training(name, spec="mine.json", steps=100_000):
    """Lines of the shell that start a run in a new database and wait for its first step. The run ends with the shell."""
    return f"""rm -rf runs.heddle*
heddle train {spec} --name {name} --set train.steps={steps} {NEW} &
trap 'kill %1 2>/dev/null && wait %1 || true' EXIT
until heddle runs show {name} --json 2>/dev/null | grep -Eq '"steps": ?[1-9]'; do kill -0 %1; sleep 0.1; done
"""


# (pattern, lines of the shell): run before a command that matches, to make what it needs besides the folder.
BEFORE = [
    (r"^heddle resume gated", in_training("gated", "resources/sample/eau-full.json", 300) + "kill %1; wait %1 || test $? = 75\n"),
    (r"^heddle runs move", in_training("first") + "".join(f"heddle train mine.json --name {name} --enqueue --set train.steps=3 {NEW}\n"
                                                         for name in ("third", "second"))),
    (r"^heddle intervene .*--undo", in_training("wider") + "heddle intervene wider --mute decoder.layers.1.cross:0\n"),
    (r"^heddle intervene .*--", in_training("wider")),
    (r"^heddle study .*--check", "heddle study gates.json >log 2>&1\n"),
]


def script_of(command):
    if command.startswith("heddle-studio"):
        return f"{command} & sleep 5; kill %1; wait %1"
    return next((lines for pattern, lines in BEFORE if re.search(pattern, command)), "") + command


def missing(command):
    """Says which other program a command needs that is not installed; None if there is none."""
    if command.startswith("sqlite3") and not shutil.which("sqlite3"):
        return "sqlite3 is not installed"
    if "import torch" in command and subprocess.run(["python3", "-c", "import torch"], capture_output=True).returncode != 0:
        return "python3 has no torch"
    return None


def commands():
    """The lines of the sh blocks with their page, without comments, in order; continued lines are one."""
    for page, text in TEXT.items():
        for block in re.findall(r"```sh\n(.*?)```", text, re.S):
            for line in block.replace("\\\n", " ").splitlines():
                line = re.sub(r"\s+#\s.*$", "", line).strip()
                if line:
                    yield page, re.sub(r"\s{2,}", " ", line)


def json_blocks():
    return re.findall(r"```json\n(.*?)```", TRAINING, re.S)


class World:
    """The prepared folder."""

    def __init__(self, folder, heddle):
        self.folder, self.heddle = folder, heddle
        self.environment = dict(os.environ, PATH=f"{heddle.parent}:{os.environ['PATH']}", XDG_CACHE_HOME=str(folder / "cache"))
        self.environment.update(XDG_STATE_HOME=str(folder / "state"), XDG_CONFIG_HOME=str(folder / "config"),
                                QT_QPA_PLATFORM="offscreen")
        self.environment.pop("HEDDLE_DB", None)

    def run(self, *arguments):
        done = subprocess.run([self.heddle, *arguments], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"cannot prepare the folder: heddle {' '.join(arguments)}\n{done.stderr}")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(text.encode()))
        else:
            path.write_text(text, encoding="utf-8")

    def make_files(self):
        sample = ROOT / "resources" / "sample"
        (self.folder / "resources").symlink_to(ROOT / "resources")
        english = (sample / "train.en").read_text().splitlines()[:120]
        german = (sample / "train.weft").read_text().splitlines()[:120]

        def lines(some):
            return "\n".join(some) + "\n"

        self.write("train.en.gz", lines(english[:24]))
        self.write("train.de.gz", lines(german[:24]))
        for side, text in (("en", english), ("de", german)):
            self.write(f"valid.{side}", lines(text[80:100]))
            self.write(f"mine.{side}", lines(text[100:110]))
        self.write("test.en", lines(english[110:114]))
        self.write("first.hyp", lines(german[60:80]))
        self.write("wider.hyp", lines(german[70:90]))
        self.write("corpus.txt", lines(english * 5))
        self.write("mine.json", json_blocks()[0])
        plan = json.loads(re.search(r'^`(\{"schema":"heddle.plan/1".*)`\.$', TRAINING, re.M)[1].replace("{…}", json_blocks()[0]))
        for row in plan["rows"]:
            row["set"] = [setting for setting in SMALL if setting != "--set"] + ["train.steps=3", "train.epochs=0"]
        self.write("plan.json", json.dumps(plan))
        rates = [{"name": name, "spec": plan["rows"][0]["spec"], "set": [*plan["rows"][0]["set"], f"train.lr={rate}", "train.steps=30"]}
                 for name, rate in (("slow", 1e-6), ("fast", 0.01))]
        study = {"schema": "heddle.study/1", "rows": rates, "baseline": "slow", "seeds": [1, 2, 3],
                 "claim": {"row": "fast", "verdict": "better"}}
        self.write("gates.json", json.dumps(study))
        pairs = [f"{i % 2}\t{i}\t{i + 1}\t{english[i]}\t{english[i + 1]}" for i in range(60)]
        header = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"
        self.write("MRPC/train.tsv", lines([header, *pairs[:40]]))
        self.write("MRPC/dev.tsv", lines([header, *pairs[40:]]))
        cola = [f"gj04\t{i % 2}\t{'' if i % 2 else '*'}\t{english[i]}" for i in range(60)]
        self.write("CoLA/train.tsv", lines(cola[:40]))
        self.write("CoLA/dev.tsv", lines(cola[40:]))
        self.write("mine.txt", lines(f"{english[i]}\t{'ab'[i % 2]}" for i in range(40)))
        self.write("own.tsv", lines(["text\tlabel", *(f"{english[i]}\t{'ab'[i % 2]}" for i in range(40))]))
        (self.folder / "DIR").mkdir()
        dims = '"dims": {"d": 32, "f": 64, "heads": 2, "layers_enc": 1, "max_len": 64}'
        encoder = f'"variant": {{"preset": "bert-base", {dims}'
        train = '"train": {"steps": 3, "batch": {"sentences": 8}}'
        masked = ('"data": {"task": "mlm", "train": {"source": "corpus.txt"}, "valid": {"source": "valid.en"}, '
                  '"tokenizer": {"mask": true}}')
        mrpc = ('"data": {"task": "classify", "format": "glue/mrpc", "train": {"source": "MRPC/train.tsv"}, '
                '"valid": {"source": "MRPC/dev.tsv"}}')
        reviews = '"data": {"task": "classify", "format": "tsv", "train": {"source": "own.tsv"}, "split": {"valid": 0.2}}'
        head = '"head": {"kind": "classify"}'
        self.write("pretrain.json", f'{{"schema": 1, {encoder}}}, {masked}, {train}}}')
        self.write("mrpc.json", f'{{"schema": 1, {encoder}, {head}}}, {mrpc}, {train}}}')
        self.write("reviews.json", f'{{"schema": 1, {encoder}, {head}}}, {reviews}, {train}}}')
        self.make_published_bert()

    def make_published_bert(self):
        """Makes a BERT that transformers has saved, and the spec of a run that is fine-tuned from it."""
        made = ROOT / "tests/unit/engine/exchange/cases/bert"
        sizes = json.loads((made / "config.json").read_text())
        vocabulary = json.loads((made / "tokenizer.json").read_text())["model"]["vocab"]
        (self.folder / "bert-base-uncased").mkdir()
        shutil.copy(made / "model.safetensors", self.folder / "bert-base-uncased")
        self.write("bert-base-uncased/vocab.txt", "\n".join(sorted(vocabulary, key=vocabulary.get)) + "\n")
        dims = {"d": sizes["hidden_size"], "f": sizes["intermediate_size"], "heads": sizes["num_attention_heads"],
                "layers_enc": sizes["num_hidden_layers"], "max_len": sizes["max_position_embeddings"],
                "token_types": sizes["type_vocab_size"]}
        data = {"task": "classify", "format": "glue/mrpc", "train": {"source": "MRPC/train.tsv"}, "valid": {"source": "MRPC/dev.tsv"},
                "tokenizer": {"kind": "wordpiece", "vocab": "bert-base-uncased/vocab.txt"}}
        variant = {"preset": "bert-base", "dims": dims, "head": {"kind": "classify", "pool": "cls_tanh"}}
        self.write("bert-mrpc.json", json.dumps({"schema": 1, "variant": variant, "data": data,
                                                 "train": {"steps": 3, "batch": {"sentences": 8}}}))

    def make_runs(self):
        few = ["--set", "train.steps=3", "--set", "train.epochs=0"]
        self.run("train", "mine.json", "--name", "wider", *SMALL, *few)
        five = ["--set", "train.steps=5", "--set", "train.checkpoint_every=1", "--set", "train.keep_last=5"]  # for its averages
        self.run("train", "mine.json", "--name", "base", *SMALL, *few, *five, "--set", "preset=eau-base")
        self.run("train", "mine.json", "--name", "G1", *SMALL, *few, "--set", "preset=thesis-G1")
        self.run("train", "pretrain.json", "--name", "pretrained")
        self.run("train", "mrpc.json", "--name", "mrpc")
        self.run("train", "reviews.json", "--name", "reviews")
        text = ["--set", "topology=decoder", "--set", "dims.layers_dec=1", "--set", "data.task=causal_lm"]
        files = ["--set", "data.train.source=corpus.txt", "--set", "data.valid.source=valid.en"]
        self.run("train", "eau-base", "--name", "lm", *SMALL, *few, *text, *files)
        sample = ["train", "resources/sample/eau-full.json", "--set", "train.steps=3", "--set", "train.epochs=0"]
        for name in ("plain", "gated"):
            self.run(*sample, "--name", name)
        self.run("train", "mine.json", "--name", "theirs", *SMALL, *few, "--db", "colleague.heddle")
        self.leave_unfinished()

    def leave_unfinished(self):
        """Starts the run `first` and kills it during its training."""
        arguments = [self.heddle, "train", "mine.json", "--name", "first", "--set", "train.steps=300", "--set", "train.epochs=0",
                     "--set", "train.early_stopping.patience=0", "--set", "record.histograms_every=2", *SMALL]
        started = subprocess.Popen(arguments, cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        while self.steps_of("first") < 5:
            if started.poll() is not None:
                sys.exit("cannot prepare the folder: the training ended by itself")
            time.sleep(0.05)
        started.kill()
        started.wait()

    def steps_of(self, name):
        with contextlib.closing(sqlite3.connect(f"file:{self.folder}/runs.heddle?mode=ro", uri=True)) as database:
            row = database.execute("SELECT step FROM run WHERE name = ?", (name,)).fetchone()
        return row[0] if row else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=Path, default=ROOT / "build/release/bin/heddle")
    parser.add_argument("--only", default="", help="only commands that contain this text")
    options = parser.parse_args()
    failed = run = 0
    with tempfile.TemporaryDirectory(prefix="heddle-docs-") as folder:
        world = World(Path(folder) / "world", options.heddle.resolve())
        world.folder.mkdir()
        world.make_files()
        world.make_runs()
        for page, command in commands():
            if options.only not in command:
                continue
            reason = next((why for pattern, why in LEFT_OUT if re.search(pattern, command)), None) or missing(command)
            if reason:
                print(f"{page}: left out ({reason}): {command}", flush=True)
                continue
            copy = Path(folder) / "copy"
            shutil.copytree(world.folder, copy, symlinks=True)
            began = time.monotonic()
            script = script_of(command).replace("<TAB>", "\t")
            done = subprocess.run(["timeout", str(SECONDS), "bash", "-euc", script], cwd=copy, env=world.environment,
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            shutil.rmtree(copy)
            run += 1
            print(f"{'ok' if done.returncode == 0 else 'FAILED'} {time.monotonic() - began:5.1f} s  {page}: {command}", flush=True)
            if done.returncode != 0:
                failed += 1
                print(f"  exit code {done.returncode}\n  {done.stderr.strip()[-1500:]}", flush=True)
    print(f"{run} commands, {failed} failed")
    return 1 if failed or run == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains runs in several processes and compares them with one process.

    tests/parallel/run.py [--only equal|environment|torchrun|commands|stuck|kills|scaling] [--kills N] [--seed S] [--program HEDDLE]
                          [--python PYTHON]

equal        translation, BERT and StarSaber, 100 steps in float32: two processes end with the weights of one, bit for bit (SHA-256),
             four differ by less than 1e-6 of the largest weight after one step, and by less than 1e-3 after 100, in which training
             amplifies the differences of rounding.
kills        either of two processes gets SIGKILL at random moments: all end within a minute with exit code 75, and `heddle resume`
             goes on to the weights of the uninterrupted run, bit for bit.
stuck        a process that gets SIGSTOP ends all with 75 within a minute.
commands     an intervention and a stop during a training by two processes; resumed in one process, which repeats the intervention
             at its step, every replayed step is equal bit for bit. (Processes.* of engine_test test a pause.)
environment  the same run started with torchrun's variables, with Slurm's and with options; a process with another seed is refused.
torchrun     the same run started by the real torchrun --no-python (Python with torch, see --python), and with --nproc auto.
scaling      steps a second in one and two processes, beside PyTorch's DDP (Python with torch, see --python) on the same machine.

Minutes; prints a table and ends with 1 if anything is not as said. What cannot run here (no Python with torch) says so.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "sample"
STEPS = 100
failures = []


def check(name, holds, said):
    print(f"{'ok  ' if holds else 'FAIL'} {name}: {said}", flush=True)
    if not holds:
        failures.append(name)


class Lab:
    """A folder with small data and specs; each database is used once."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"), XDG_STATE_HOME=str(self.folder / "state"))
        for split, lines in (("train", 400), ("valid", 20)):
            for side in ("en", "weft"):
                text = (SAMPLE / f"{split}.{side}").read_text().splitlines()[:lines]
                (self.folder / f"{split}.{side}").write_text("\n".join(text) + "\n")
            text = (self.folder / f"{split}.en").read_text().splitlines()
            rows = "".join(f"{'long' if len(line.split()) > 6 else 'short'}\t{line}\n" for line in text)
            (self.folder / f"{split}.tsv").write_text("label\ttext\n" + rows)
        dims = {"d": 32, "f": 64, "heads": 2, "layers_enc": 2, "max_len": 40}
        pairs = {split: {"source": f"{split}.en", "target": f"{split}.weft"} for split in ("train", "valid")}
        self.spec("translation", {"preset": "eau-full", "dims": dict(dims, layers_dec=2)},
                  dict(pairs, tokenizer={"kind": "words", "min_count": 1}))
        self.spec("bert", {"preset": "bert-base", "dims": dict(dims, vocab_src="from_data")},
                  {"task": "mlm", "tokenizer": {"kind": "words", "min_count": 1},
                   "train": {"source": "train.en"}, "valid": {"source": "valid.en"}})
        self.spec("star", {"preset": "star-1", "dims": {"d": 32, "heads": 1, "layers_enc": 2, "max_len": 40}, "head": "classify"},
                  {"task": "classify", "format": "tsv", "tokenizer": {"kind": "words", "min_count": 1},
                   "train": {"source": "train.tsv"}, "valid": {"source": "valid.tsv"}})

    def spec(self, name, variant, data):
        train = {"batch": {"tokens": 0, "sentences": 6}, "accumulate": 2, "threads": 1, "device": "cpu", "precision": "fp32",
                 "epochs": 0, "steps": STEPS, "checkpoint_every": 10, "keep_last": 3, "lr": 0.003,
                 "schedule": {"kind": "linear", "warmup": 10}}
        document = {"schema": 1, "name": name, "seed": 3, "variant": variant, "data": data, "train": train,
                    "evaluate": {"every_epochs": 0, "every_steps": 50, "bleu_every_epochs": 0, "test_at_end": False},
                    "record": {"probes": 0}}
        (self.folder / f"{name}.json").write_text(json.dumps(document))

    def start(self, *words, db, variables=None):
        return subprocess.Popen([self.program, *map(str, words), "--db", f"{db}.heddle"], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(self.environment, **(variables or {})))

    def heddle(self, *words, db, codes=(0,)):
        process = self.start(*words, db=db)
        out, err = process.communicate()
        if process.returncode not in codes:
            raise SystemExit(f"heddle {' '.join(map(str, words))} ended with {process.returncode}: {err}{out}")
        return out + err

    def run(self, db):
        """The only run of a database; None: not yet."""
        done = subprocess.run([self.program, "runs", "list", "--json", "--db", f"{db}.heddle"], cwd=self.folder, text=True,
                              capture_output=True, env=self.environment, check=False)
        runs = json.loads(done.stdout).get("runs", []) if done.returncode == 0 else []
        if not runs:
            return None
        return json.loads(self.heddle("runs", "show", runs[0]["run"], "--json", db=db))

    def weights(self, db):
        """(SHA-256, folder) of the checkpoint marked last."""
        run = self.run(db)
        last = [one for one in run["checkpoints"] if one["kind"] == "last"][-1]
        return last["weights_sha256"], self.folder / last["path"]

    def wait_for_step(self, db, step):
        end = time.time() + 120
        while time.time() < end:
            run = self.run(db)
            if run and (run.get("steps") or 0) >= step:
                return run["run"]
            time.sleep(0.1)
        raise SystemExit(f"{db} did not reach step {step}")


def tensors(folder):
    data = (folder / "weights.safetensors").read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    for name, entry in sorted(header.items()):
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            yield name, struct.unpack(f"<{(last - first) // 4}f", data[8 + length + first:8 + length + last])


def difference(one, other):
    """Largest difference of two checkpoints' weights, by the largest weight."""
    most = largest = 0.0
    for (_, a), (_, b) in zip(tensors(one), tensors(other)):
        most = max(most, max(abs(x - y) for x, y in zip(a, b)))
        largest = max(largest, max(map(abs, a)))
    return most / largest


def equal(lab, _):
    for name in ("translation", "bert", "star"):
        for count, accumulate in ((1, 2), (2, 2), (1, 4), (4, 4)):
            lab.heddle("train", f"{name}.json", "--set", f"train.accumulate={accumulate}", "--nproc", count,
                       db=f"{name}-{count}-of-{accumulate}")
        one, two = lab.weights(f"{name}-1-of-2")[0], lab.weights(f"{name}-2-of-2")[0]
        check(f"{name}, two processes", one == two, f"{one[:16]} and {two[:16]} after {STEPS} steps")
        apart = difference(lab.weights(f"{name}-1-of-4")[1], lab.weights(f"{name}-4-of-4")[1])
        check(f"{name}, four processes", apart < 1e-3, f"weights differ by {apart:.1e} of the largest after {STEPS} steps")
        for count in (1, 4):
            lab.heddle("train", f"{name}.json", "--set", "train.accumulate=4", "--steps", 1, "--nproc", count,
                       db=f"{name}-{count}-once")
        apart = difference(lab.weights(f"{name}-1-once")[1], lab.weights(f"{name}-4-once")[1])
        check(f"{name}, four processes", apart < 1e-6, f"weights differ by {apart:.1e} of the largest after one step")


def ranks_of(launcher):
    """Process ids of the ranks, by rank."""
    ids = {}
    children = pathlib.Path(f"/proc/{launcher}/task/{launcher}/children")
    for child in map(int, children.read_text().split()):
        try:
            variables = pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for variable in variables:
            if variable.startswith(b"RANK="):
                ids[int(variable[5:])] = child
    return ids


def kills(lab, options):
    lab.heddle("train", "translation.json", db="uninterrupted")
    wanted = lab.weights("uninterrupted")[0]
    chance = random.Random(options.seed)
    killed, slowest, wrong, number = 0, 0.0, 0, 0
    while killed < options.kills:
        number += 1
        db, command = f"kills-{number}", ["train", "translation.json"]
        for _ in range(50):
            process = lab.start(*command, "--nproc", 2, db=db)
            time.sleep(chance.uniform(0.5, options.longest))
            ids = ranks_of(process.pid) if process.poll() is None else {}
            rank = chance.randrange(2)
            if rank in ids and killed < options.kills:
                began = time.time()
                os.kill(ids[rank], signal.SIGKILL)
                _, err = process.communicate(timeout=90)
                took = time.time() - began
                if process.returncode == 0:
                    break  # it had done all its work
                killed += 1
                slowest = max(slowest, took)
                if process.returncode != 75 or took > 60:
                    wrong += 1
                    print(f"     kill {killed} of rank {rank}: {process.returncode} after {took:.1f} s: {err[-500:]}")
            else:
                process.communicate()
                break
            run = lab.run(db)
            command = ["resume", run["run"]] if run else ["train", "translation.json"]
            if run and run["state"] == "completed":
                break
        run = lab.run(db)
        if run and run["state"] != "completed":
            lab.heddle("resume", run["run"], "--nproc", 2, db=db)
        check(f"chain {number}", lab.weights(db)[0] == wanted, f"ends with the weights of the uninterrupted run, {killed} kills so far")
    check("kills", wrong == 0, f"{killed} kills, all ended with 75, the slowest after {slowest:.1f} s")


def stuck(lab, _):
    for rank in (0, 1):
        db = f"stuck-{rank}"
        process = lab.start("train", "translation.json", "--steps", 100000, "--nproc", 2, db=db)
        lab.wait_for_step(db, 5)
        os.kill(ranks_of(process.pid)[rank], signal.SIGSTOP)
        began = time.time()
        process.communicate(timeout=120)
        took = time.time() - began
        check(f"stuck process {rank}", process.returncode == 75 and took < 65, f"exit code {process.returncode} after {took:.0f} s")


def commands(lab, _):
    db = "commands"
    process = lab.start("train", "translation.json", "--steps", 100000, "--set", "train.keep_last=10000", "--nproc", 2, db=db)
    run = lab.wait_for_step(db, 20)
    before = lab.run(db)["steps"]
    lab.heddle("intervene", run, "--mute", "encoder.layers.0.self:1", db=db)
    lab.wait_for_step(db, before + 24)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    ended = lab.run(db)
    check("stop", process.returncode == 75 and ended["state"] == "stopped", f"exit code {process.returncode}, {ended['state']}")
    # One process goes through the same steps again, from before the intervention, which it repeats at its step.
    for one in lab.folder.glob(f"{db}.heddle.d/{run}/step-*"):
        if int(one.name.split("-")[1]) > before - 5:
            shutil.rmtree(one)
    said = lab.heddle("resume", run, "--steps", ended["steps"] + 3, db=db) + lab.heddle("runs", "show", run, db=db)
    verdict = [line.strip() for line in said.splitlines() if "verified" in line or "differ" in line]
    check("intervention", any("verified" in line for line in verdict), "; ".join(verdict)[:300] or said[-600:])
    check("another number of processes", "1 instead of 2 processes" in said, "is said")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def environment(lab, _):
    wanted = None
    for name in ("torchrun", "slurm", "options", "other seed"):
        port, processes = free_port(), []
        db = name.replace(" ", "-")
        for rank in (1, 0):
            variables, words = {}, []
            if name in ("torchrun", "other seed"):
                variables = {"RANK": rank, "WORLD_SIZE": 2, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1",
                             "MASTER_PORT": port}
            elif name == "slurm":
                variables = {"SLURM_JOB_ID": port % 10000, "SLURM_STEP_ID": 0, "SLURM_STEP_NUM_TASKS": 2, "SLURM_PROCID": rank,
                             "SLURM_LOCALID": rank, "SLURM_NODEID": 0, "SLURM_STEP_TASKS_PER_NODE": 2,
                             "SLURM_STEP_NODELIST": "localhost"}
            else:
                words = ["--rank", rank, "--world-size", 2, "--local-rank", rank, "--master", f"127.0.0.1:{port}"]
            if name == "other seed" and rank == 1:
                words += ["--seed", 9]
            processes.append(lab.start("train", "translation.json", "--steps", 10, *words, db=db if rank == 0 else f"{db}-1",
                                       variables={key: str(value) for key, value in variables.items()}))
        texts = [process.communicate(timeout=180) for process in processes]
        codes = [process.returncode for process in processes]
        if name == "other seed":
            said = [err.strip().splitlines()[-1] for _, err in texts]
            check(name, codes == [3, 3] and all("do not agree: spec" in one for one in said), said[0][:160])
            continue
        weights = lab.weights(db)[0] if codes == [0, 0] else None
        wanted = wanted or weights
        check(name, codes == [0, 0] and weights == wanted, f"exit codes {codes}" + ("" if codes == [0, 0] else str(texts)[-600:]))
        check(f"{name}: database", not (lab.folder / f"{db}-1.heddle").exists(), "only process 0 has one")


def torchrun(lab, options):
    lab.heddle("train", "translation.json", "--steps", 10, db="torchrun-alone")
    wanted = lab.weights("torchrun-alone")[0]
    if subprocess.run([options.python, "-c", "import torch.distributed.run"], capture_output=True, check=False).returncode != 0:
        print(f"     torchrun was skipped: {options.python} has no torch that starts (--python)")
    else:
        # As the help says, and with torchrun's other kind of rendezvous.
        for name, more in (("static", []), ("standalone", ["--standalone"])):
            done = subprocess.run([options.python, "-m", "torch.distributed.run", *more, "--no-python", "--nproc-per-node", "2",
                                   lab.program, "train", "translation.json", "--steps", "10", "--db", f"torchrun-{name}.heddle"],
                                  cwd=lab.folder, text=True, capture_output=True, env=lab.environment, timeout=300, check=False)
            weights = lab.weights(f"torchrun-{name}")[0] if done.returncode == 0 else done.stderr[-800:]
            check(f"torchrun, {name}", weights == wanted, f"exit code {done.returncode}, weights {weights[:16]} and {wanted[:16]}"
                  if done.returncode == 0 else weights)
    # The program may use two cores, so that auto means two processes. With GPUs, auto would count those.
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2 or pathlib.Path("/proc/driver/nvidia/version").exists():
        print("     --nproc auto was skipped: it would not be two processes here")
        return
    process = subprocess.Popen(["taskset", "--cpu-list", ",".join(map(str, cores)), lab.program, "train", "translation.json", "--steps",
                                "10", "--nproc", "auto", "--db", "auto.heddle"], cwd=lab.folder, env=lab.environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ranks = {}
    while process.poll() is None:
        ranks = max(ranks, ranks_of(process.pid), key=len)
        time.sleep(0.02)
    check("--nproc auto", process.returncode == 0 and len(ranks) == 2 and lab.weights("auto")[0] == wanted,
          f"{len(ranks)} processes, exit code {process.returncode}")


def scaling(lab, options):
    for name in ("translation", "bert"):
        rates = {}
        for count in (1, 2):
            db = f"scaling-{name}-{count}"
            lab.heddle("train", f"{name}.json", "--set", "train.batch.sentences=32", "--set", "dims.d=128", "--set", "dims.f=512",
                       "--set", "train.steps=60", "--set", "evaluate.every_steps=0", "--nproc", count, db=db)
            with contextlib.closing(sqlite3.connect(f"file:{lab.folder}/{db}.heddle?mode=ro", uri=True)) as database:
                rows = database.execute("SELECT value FROM v_points WHERE name = 'step_seconds' ORDER BY step").fetchall()
            rates[count] = 1 / statistics.median(value for value, in rows[10:])
        print(f"     Heddle, {name}: {rates[1]:.1f} steps/s in one process, {rates[2]:.1f} in two: {rates[2] / rates[1]:.2f} times")
    for count in (1, 2):
        script = pathlib.Path(__file__).with_name("ddp.py")
        done = subprocess.run([options.python, script, str(count)], capture_output=True, text=True, check=False)
        print("     " + (done.stdout.strip() or f"PyTorch's DDP was skipped: {done.stderr.strip().splitlines()[-1]}"))


PARTS = {"equal": equal, "environment": environment, "torchrun": torchrun, "commands": commands, "stuck": stuck, "kills": kills,
         "scaling": scaling}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--longest", type=float, default=8, help="seconds until a kill")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=lambda file: pathlib.Path(file).resolve(), default=ROOT / "build/release/bin/heddle")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-parallel-") as folder:
        lab = Lab(options.program, folder)
        for name, part in PARTS.items():
            if not options.only or name in options.only:
                began = time.time()
                part(lab, options)
                print(f"     {name}: {time.time() - began:.0f} s", flush=True)
    print(f"{len(failures)} failures" + (": " + ", ".join(failures) if failures else ""))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

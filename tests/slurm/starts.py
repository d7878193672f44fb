#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning after pre-training on a real Slurm against the same plan on this machine.

    tests/slurm/starts.py [--heddle PROGRAM] [--folder DIR]

Sets up munge, slurmctld and two slurmd (cluster.py) and submits a plan whose row "mrpc" (classification) starts from the runs of
its row "pretrained" (masked words). All jobs are submitted at once by a command that ends. One job of the first row is warned of
its end and goes back into the queue: the job that starts from it must go on waiting. Another one is cancelled: Slurm must cancel the
job that starts from it, and the next command must submit these two again and nothing else. Then the plan is trained here, and the
hashes of all weights must be equal. Two minutes; root, and Debian's slurmctld, slurmd, slurm-client and munge. Exit status 0: equal;
77: there is no Slurm to set up here.
"""
import json
import pathlib
import sys
import time

import cluster

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = [1, 2, 3]


def write_data(folder):
    sentences = (ROOT / "resources/sample/train.en").read_text().splitlines()[:200]
    (folder / "corpus.txt").write_text("\n".join(sentences) + "\n")
    header = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"
    pairs = [f"{i % 2}\t{i}\t{i + 1}\t{sentences[i]}\t{sentences[i + 1]}" for i in range(100)]
    (folder / "train.tsv").write_text("\n".join([header, *pairs[:80]]) + "\n")
    (folder / "dev.tsv").write_text("\n".join([header, *pairs[80:]]) + "\n")


def write_plan(folder):
    dims = {"d": 32, "f": 64, "heads": 2, "layers_enc": 1, "max_len": 64}
    encoder = {"preset": "bert-base", "dims": dims}
    train = {"steps": 400, "epochs": 0, "threads": 1, "device": "cpu", "checkpoint_every": 10, "batch": {"sentences": 8}}
    files = {split: {"source": str(folder / f"{name}.tsv")} for split, name in (("train", "train"), ("valid", "dev"))}
    masked = {"task": "mlm", "train": {"source": str(folder / "corpus.txt")}, "tokenizer": {"mask": True}, "split": {"valid": 0.1}}
    rows = [{"name": "mrpc", "from": "pretrained", "from_checkpoint": "last", "seeds": SEEDS,
             "spec": {"schema": 1, "variant": {**encoder, "head": {"kind": "classify"}},
                      "data": {"task": "classify", "format": "glue/mrpc", **files}, "train": {**train, "steps": 30}}},
            {"name": "pretrained", "seeds": SEEDS,
             "spec": {"schema": 1, "variant": encoder, "data": masked, "train": train}}]
    plan = folder / "plan.json"
    plan.write_text(json.dumps({"schema": "heddle.plan/1", "rows": rows}))
    return plan


class Lab(cluster.Lab):
    def __init__(self, heddle, folder, slurm):
        super().__init__(heddle, folder, slurm)
        write_data(folder)
        self.plan = write_plan(folder)

    def sweep(self, *more, codes=(0,)):
        _, document, said = self.run("sweep", self.plan, "--launcher", "slurm", "--time", "20", "--poll", "1", *more, codes=codes)
        print(said, end="")
        return document, said

    def alive(self):
        return {task: words[0] for task, words in self.slurm.states().items()
                if words[0] in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING")}


def require(holds, what):
    if not holds:
        raise SystemExit(f"not so: {what}")


def requeue(lab, first, second):
    """Warns the first task of its end, as Slurm does before its time is over."""
    folder = next(lab.jobs / "runs" / array["runs"][0] for array in lab.arrays() if array["job"] == first)
    lab.slurm.until(lambda: any(folder.glob("data/runs.heddle.d/*/step-[1-9]*")), 120, "a checkpoint of the first task")
    lab.slurm.run("scancel", "--signal=USR1", "--batch", f"{first}_1")
    log = folder / "log.txt"
    lab.slurm.until(lambda: "heddle ended with 75" in log.read_text(), 60, "a checkpoint at the warning")
    lab.slurm.until(lambda: lab.slurm.states()[f"{first}_1"][0] == "PENDING", 60, "the warned job in the queue")
    require(lab.slurm.states()[f"{second}_1"][0] == "PENDING", "what starts from the warned job goes on waiting")
    lab.slurm.run("scontrol", "update", f"JobId={first}_1", "StartTime=now", check=False)


def check(lab):
    began = time.monotonic()
    _, said = lab.sweep("--no-wait", codes=(75,))
    require("each after its start in job" in said, "the second row waits for the first one in the queue")
    first, second = sorted({int(task.split("_")[0]) for task in lab.slurm.states()})
    shown = lab.slurm.run("squeue", "-r", "-h", "-j", second, "-o", "%i %T %E")
    print(shown, end="")
    require(shown.count("PENDING aftercorr") == len(SEEDS), "each task waits for that of its number")
    lab.slurm.run("scancel", f"{first}_3")
    requeue(lab, first, second)
    lab.slurm.until(lambda: not lab.alive(), 300, "the end of the jobs")
    document, said = lab.sweep("--no-wait", codes=(75,))
    require("mrpc, seed 3 was not trained: it starts from pretrained, seed 3" in said, "the run without a start is told")
    require(said.count("submitted 1 run as job") == 2, "these two runs alone are submitted again")
    document, _ = lab.sweep()
    require({run["state"] for run in document["runs"]} == {"completed"}, "all have completed")
    print(f"the plan took {time.monotonic() - began:.0f} s on Slurm")
    for run in document["runs"]:
        if run["from"]:
            shown = lab.run("runs", "show", run["run"])[1]
            require(shown["parent"] == run["from"]["run"], "a merged run has its start as parent")
            require(pathlib.Path(run["spec"]["train"]["start"]["checkpoint"]).is_dir(), "the checkpoint that it names is there")
    require(lab.run("runs", "verify")[1]["problems"] == [], "the database is whole")
    left = [one.name for one in (lab.jobs / "runs").iterdir()]
    require(left == [], f"no folder of a job is left: {left}")
    lab.run("sweep", lab.plan, database="local.heddle")
    there, here = lab.weights("cluster.heddle"), lab.weights("local.heddle")
    print(f"{len(there)} runs there, {len(here)} here, equal weights: {sum(there.get(key) == here[key] for key in here)}")
    return 0 if there == here and len(here) == 2 * len(SEEDS) else 1


if __name__ == "__main__":
    sys.exit(cluster.main(__doc__, lambda heddle, folder, slurm: check(Lab(heddle, folder, slurm))))

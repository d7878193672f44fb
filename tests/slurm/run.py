#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A study on a real Slurm against the same study on this machine.

    tests/slurm/run.py [--heddle PROGRAM] [--folder DIR]

Sets up munge, slurmctld and two slurmd (cluster.py), trains the sample study of 12 small runs as job arrays, and meanwhile
preempts a job, kills a node and fills the disk of another job. The command that submits ends at once, as a login session does; a
later one merges. Then the study is trained here, and rows, seeds, weights' hashes and the verdict must be equal. Prints what
submitting, asking for the state and merging cost. Some minutes; root, and Debian's slurmctld, slurmd, slurm-client and munge. Exit
status 0: equal; 77: there is no Slurm to set up here.
"""
import json
import pathlib
import subprocess
import sys
import time

import cluster

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEPS = 300


def study_document():
    """The sample study with small models and few steps."""
    study = json.loads((ROOT / "resources/studies/sample.json").read_text())
    for row in study["rows"]:
        spec = row["spec"]
        spec["variant"]["dims"] = {"d": 32, "f": 64, "heads": 2, "layers_enc": 1, "layers_dec": 1, "max_len": 40}
        for split in ("train", "valid", "test"):
            spec["data"][split] = {side: str(ROOT / "resources/sample" / pathlib.Path(file).name)
                                   for side, file in spec["data"][split].items()}
        spec["train"].update({"steps": STEPS, "epochs": 0, "threads": 1, "device": "cpu", "checkpoint_every": 10,
                              "batch": {"tokens": 160}})
        spec["evaluate"].update({"every_epochs": 0, "every_steps": 200})
    return study


class Lab(cluster.Lab):
    def __init__(self, heddle, folder, slurm):
        super().__init__(heddle, folder, slurm)
        self.study = folder / "study.json"
        self.study.write_text(json.dumps(study_document()))

    def submit(self, *more, codes=(75,)):
        return self.run("study", self.study, "--launcher", "slurm", "--time", "20", "--array-limit", "4", "--poll", "1", *more,
                        codes=codes)

    def tasks(self):
        """{task of the newest array, "3_1": folder of its run}"""
        newest = max(self.arrays(), key=lambda one: one["submitted"])
        return {f"{newest['job']}_{i}": self.jobs / "runs" / key for i, key in enumerate(newest["runs"], 1)}

    def is_training(self, folder):
        """Whether the job has a checkpoint and goes on."""
        return any(folder.glob("data/runs.heddle.d/*/step-*"))


def without(document, keys):
    """The document without the members that tell runs and times apart."""
    if isinstance(document, dict):
        return {key: without(value, keys) for key, value in document.items() if key not in keys}
    return [without(one, keys) for one in document] if isinstance(document, list) else document


def preempt(lab):
    """An urgent job takes a node: the job that gives way writes a checkpoint and waits again."""
    slurm, tasks = lab.slurm, lab.tasks()
    chosen = []

    def found():
        for task, words in slurm.states().items():
            if task in tasks and words[0] == "RUNNING" and lab.is_training(tasks[task]) and words[1] == "n1":
                chosen.append(task)
                return True
        return False
    slurm.until(found, 180, "a job with a checkpoint on n1")
    slurm.run("sbatch", "--partition=urgent", "--nodelist=n1", "--exclusive", "--output=/dev/null", "--wrap=sleep 5")
    log = tasks[chosen[0]] / "log.txt"
    slurm.until(lambda: "heddle ended with 75" in log.read_text(), 120, "a checkpoint at the preemption")
    slurm.until(lambda: slurm.states()[chosen[0]][0] in ("PENDING", "RUNNING"), 60, "the preempted job in the queue")
    return chosen[0]


def lose_node(lab):
    """n2 dies with all that runs there; Slurm notices, requeues its jobs, and the node comes back."""
    slurm, tasks = lab.slurm, lab.tasks()

    def on_node():
        return [task for task, words in slurm.states().items()
                if task in tasks and words[0] == "RUNNING" and words[1] == "n2" and lab.is_training(tasks[task])]
    slurm.until(on_node, 240, "a job with a checkpoint on n2")
    lost = on_node()
    killed = slurm.kill_node("n2")
    slurm.until(lambda: "down" in slurm.run("sinfo", "-h", "-n", "n2", "-o", "%T"), 120, "n2 down")
    slurm.until(lambda: all(slurm.states()[task][0] != "RUNNING" or slurm.states()[task][1] != "n2" for task in lost), 60,
                "the lost jobs in the queue")
    slurm.start_node("n2")
    return lost, killed


def release(lab, tasks):
    """Requeued jobs may start now instead of in two minutes."""
    for task, words in lab.slurm.states().items():
        if task in tasks and words[0] == "PENDING":
            lab.slurm.run("scontrol", "update", f"JobId={task}", "StartTime=now", check=False)


def is_over(lab, tasks):
    time.sleep(1)
    release(lab, tasks)
    return not any(words[0] in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING") for task, words in lab.slurm.states().items()
                   if task in tasks)


def costs(lab):
    """What a thousand tasks cost: submission, and a look at the queue."""
    began = time.monotonic()
    job = lab.slurm.run("sbatch", "--parsable", "--hold", "--array=1-1000", "--output=/dev/null", "--wrap=true").strip()
    submitted = time.monotonic() - began
    began = time.monotonic()
    size = len(lab.slurm.run("squeue", "--json"))
    looked = time.monotonic() - began
    lab.slurm.run("scancel", job)
    return f"1,000 tasks: sbatch {submitted:.2f} s; squeue --json {looked:.2f} s, {size:,} bytes while all wait"


def check(lab):
    began = time.monotonic()
    seconds, _, said = lab.submit("--no-wait")
    print(f"submitted after {seconds:.1f} s: {said.strip().splitlines()[0]}")
    tasks = lab.tasks()
    full = sorted(tasks)[-1]
    small = tasks[full] / "data"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "heddle", small], check=True)
    try:
        print("preempted:", preempt(lab))
        lost, killed = lose_node(lab)
        print(f"node n2 killed ({killed} processes) under {', '.join(lost)}")
        lab.slurm.until(lambda: is_over(lab, set(tasks) - {full}), 600, "the end of the other jobs")
        lab.slurm.until(lambda: "full" in (tasks[full] / "log.txt").read_text(), 120, "a full disk")
        if not is_over(lab, {full}):  # it waits for room; its time ends
            lab.slurm.run("scancel", "--signal=USR1", "--batch", full)
            lab.slurm.until(lambda: is_over(lab, {full}), 120, "the end of the job without room")
        print("without room:", (tasks[full] / "log.txt").read_text().strip().splitlines()[-1])
    finally:
        subprocess.run(["umount", small], check=True)
    seconds, _, said = lab.submit("--no-wait")
    print(f"merged {len(tasks) - 1} runs and submitted again in {seconds:.1f} s, {seconds / (len(tasks) - 1):.2f} s a run:\n{said}")
    if "submitted 1 run as" not in said or "full" not in said:
        raise SystemExit("not only the failed run was submitted again, or its log was not shown")
    _, verdict, said = lab.submit("--sbatch=--comment=second round", codes=(0,))
    print(f"the rest was watched:\n{said}the study took {time.monotonic() - began:.0f} s on Slurm")
    print(costs(lab))
    seconds, local, _ = lab.run("study", lab.study, database="local.heddle")
    print(f"here it took {seconds:.0f} s")
    there, here = lab.weights("cluster.heddle"), lab.weights("local.heddle")
    print(f"{len(there)} runs there, {len(here)} here, equal weights: {sum(there.get(key) == here[key] for key in here)}")
    equal = without(verdict, KEYS) == without(local, KEYS)
    print("verdicts", "equal" if equal else "differ")
    if not equal:
        print(json.dumps(without(verdict, KEYS), indent=1), json.dumps(without(local, KEYS), indent=1), sep="\n")
    left = [str(one.relative_to(lab.jobs)) for one in lab.jobs.rglob("*") if one.name != "log.txt"]
    print("left beside the database:", left)
    return 0 if there == here and equal and len(here) == 12 else 1


KEYS = {"run", "runs_ids", "asked", "at", "seconds", "changes"}


if __name__ == "__main__":
    sys.exit(cluster.main(__doc__, lambda heddle, folder, slurm: check(Lab(heddle, folder, slurm))))

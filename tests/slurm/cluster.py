# SPDX-License-Identifier: Apache-2.0
"""A Slurm of its own on this machine: munge, slurmctld, and two slurmd that stand for two nodes."""
import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
NODES = {"n1": 17901, "n2": 17902}
CORES = 2

CONF = """ClusterName=heddle
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=17900
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
KillWait=30
MaxArraySize=2001
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
SchedulerParameters=sched_interval=5,bf_interval=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
"""


def missing():
    """Why no Slurm can be set up here; empty: it can."""
    path = os.environ.get("PATH", "") + ":/usr/sbin"
    lacking = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    if lacking:
        return f"{', '.join(lacking)} not installed (apt-get install slurmctld slurmd slurm-client munge)"
    return "" if os.geteuid() == 0 else "munge, slurmctld and slurmd are started as root here"


def words_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return [b""]


def processes_of(node):
    """Ids of what runs on a node: slurmd, then each slurmstepd, which has no environment left but is the parent of a job, then the
    jobs, which have the node's name in theirs."""
    daemons, steps, jobs = [], set(), []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        words = words_of(entry.name)
        if words[0].endswith(b"slurmd") and node.encode() in words:
            daemons.append(int(entry.name))
        elif f"SLURMD_NODENAME={node}".encode() in variables:
            jobs.append(int(entry.name))
            if b"slurmstepd" in words_of(parent)[0]:
                steps.add(parent)
    return daemons + sorted(steps) + jobs


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.conf = self.folder / "slurm.conf"
        self.environment = {**os.environ, "SLURM_CONF": str(self.conf), "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.ids = []

    def run(self, *words, check=True):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=self.environment, check=False)
        if check and done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def start(self):
        host = socket.gethostname().split(".")[0]
        lines = CONF.format(host=host, folder=self.folder)
        for name, port in NODES.items():
            lines += f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={CORES}\n"
        nodes = ",".join(NODES)
        lines += f"PartitionName=main Nodes={nodes} Default=YES MaxTime=60 PriorityTier=1 GraceTime=60\n"
        lines += f"PartitionName=urgent Nodes={nodes} MaxTime=60 PriorityTier=10 PreemptMode=OFF\n"
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        self.conf.write_text(lines)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.run("munged", "--force", "--key-file", key, "--socket", self.folder / "munge.socket", "--pid-file",
                 self.folder / "munged.pid", "--log-file", self.folder / "munged.log", "--seed-file", self.folder / "munged.seed")
        self.run("slurmctld", "-f", self.conf)
        time.sleep(1)
        for name in NODES:
            self.start_node(name)
        self.until(lambda: self.run("sinfo", "-h", "-o", "%D %T").split() == [str(len(NODES)), "idle"] or
                   "idle" in self.run("sinfo", "-h", "-o", "%T"), 60, "the nodes")

    def start_node(self, name):
        self.run("slurmd", "-N", name, "-f", self.conf)

    def kill_node(self, name):
        """The machine is gone: slurmd and all that it has started. All stop first, so that none tells Slurm of the end of another.
        Returns how many processes there were."""
        ids = processes_of(name)
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in ids:
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    pass
        return len(ids)

    def until(self, holds, seconds, what):
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise SystemExit(f"{what}: not so within {seconds} s\n{self.run('squeue', '-r', check=False)}")
            time.sleep(0.2)

    def states(self):
        """{task of an array: state}; tasks that wait are listed, too."""
        lines = self.run("squeue", "-r", "-h", "-t", "all", "-o", "%i %T %N").splitlines()
        return {words[0]: words[1:] for words in map(str.split, lines)}

    def stop(self):
        for name in NODES:
            self.kill_node(name)
        for name in ("slurmctld", "munged"):
            try:
                process = int((self.folder / f"{name}.pid").read_text())
                os.kill(process, signal.SIGTERM)
                for _ in range(100):  # it writes its state
                    os.kill(process, 0)
                    time.sleep(0.1)
            except (OSError, ValueError):
                pass


class Lab:
    """Runs commands of Heddle on databases in `folder`. cluster.heddle is the one whose runs Slurm trains."""
    def __init__(self, heddle, folder, slurm):
        self.heddle, self.folder, self.slurm = heddle, folder, slurm
        self.jobs = folder / "cluster.heddle.jobs"

    def run(self, *words, database="cluster.heddle", codes=(0,)):
        """(seconds, document or nothing, standard error) of a command."""
        began = time.monotonic()
        done = subprocess.run([self.heddle, *map(str, words), "--db", self.folder / database, "--json"], capture_output=True,
                              text=True, env=self.slurm.environment, check=False)
        if done.returncode not in codes:
            raise SystemExit(f"heddle {' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr}{done.stdout}")
        return time.monotonic() - began, json.loads(done.stdout) if done.stdout else None, done.stderr

    def arrays(self):
        """The records of the arrays of which some run has not ended."""
        return [json.loads(file.read_text()) for file in (self.jobs / "arrays").glob("*.json")]

    def weights(self, database):
        """{(name, seed): SHA-256 of the last weights}"""
        runs = self.run("runs", "list", database=database)[1]["runs"]
        return {(run["name"], run["seed"]): [one["weights_sha256"] for one in run["checkpoints"] if one["kind"] == "last"]
                for run in runs}


def main(description, check):
    """Runs check(program, folder, cluster) on a cluster of its own, and returns its exit code; 77 where Slurm is missing."""
    options = argparse.ArgumentParser(description=description.split("\n")[0])
    root = pathlib.Path(__file__).resolve().parents[2]
    options.add_argument("--heddle", type=pathlib.Path, default=root / "build/release/bin/heddle")
    options.add_argument("--folder", type=pathlib.Path, help="keep everything in this new folder")
    options = options.parse_args()
    if why := missing():
        print("skipped:", why)
        return 77
    with tempfile.TemporaryDirectory(prefix="heddle-slurm-") as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        os.chmod(folder, 0o755)
        slurm = Cluster(folder)
        try:
            slurm.start()
            return check(options.heddle.resolve(), folder, slurm)
        finally:
            slurm.stop()

# SPDX-License-Identifier: Apache-2.0
"""What the generators of hostile files share: cases, and the small honest runs that are made first and then damaged."""
import dataclasses
import hashlib
import json
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import typing

ESCAPE = "\x1b]0;owned\x07\x1b[31m"          # sets a terminal's title and colour
C1 = "\u009b31m"                              # the same with one C1 control
BIDI = "\u202eevil\u2066x\u200f"              # turns the reading direction round
HOSTILE_TEXT = f"a{ESCAPE}b{C1}c{BIDI}d\r\x08e"


@dataclasses.dataclass
class Case:
    """A hostile file and what is tried on it. make(folder) writes into the folder; commands are argument lists of heddle, run one
    after the other in that folder with --db t.heddle added where the list has none."""
    name: str
    make: typing.Callable[[pathlib.Path], None]
    commands: list


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))
    return path


WORDS = [f"{a} {b} {c} ." for a in ("ana", "ben", "cid", "dora") for b in ("sees", "hears", "paints") for c in ("birds", "hills")]
TINY = {"preset": "eau-full", "dims": {"d": 32, "f": 64, "heads": 4, "layers_enc": 1, "layers_dec": 1, "max_len": 32}}


def spec(**changes):
    document = {"variant": TINY,
                "data": {"train": {"source": "train.src", "target": "train.tgt"},
                         "valid": {"source": "train.src", "target": "train.tgt"},
                         "tokenizer": {"kind": "words", "min_count": 1}},
                "train": {"lr": 0.003, "batch": {"sentences": 6}, "steps": 6, "checkpoint_every": 3, "threads": 1, "device": "cpu"},
                "evaluate": {"every_epochs": 0, "every_steps": 6}, "record": {"maps_every": 3, "histograms_every": 3}}
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = document
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return document


class Base:
    """A folder with an honest database t.heddle of two trained runs (names base and other), its spec and its data, and an empty
    folder `out`."""

    def __init__(self, heddle, folder, environment):
        self.heddle, self.folder, self.environment = heddle, folder, environment
        (folder / "out").mkdir(parents=True)
        write(folder / "train.src", "\n".join(WORDS) + "\n")
        write(folder / "train.tgt", "\n".join(" ".join(reversed(line.split())) for line in WORDS) + "\n")
        write(folder / "spec.json", json.dumps(spec()))
        for name in ("base", "other"):
            self.run("train", "spec.json", "--name", name)
        self.run("tokenizer", "train", "train.src", "--kind", "sentencepiece", "--vocab-size", "20", "--out", "pieces.model")
        self.run("tokenizer", "train", "train.src", "--kind", "words", "--min-count", "1", "--out", "words.json")
        database = sqlite3.connect(folder / "t.heddle")
        (self.id,), _ = database.execute("SELECT id FROM run ORDER BY num")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()

    def run(self, *arguments):
        done = subprocess.run([self.heddle, *arguments, "--db", "t.heddle"], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True)
        if done.returncode != 0 and "--db" not in done.stderr:
            raise SystemExit(f"the honest runs cannot be made: heddle {' '.join(arguments)}: {done.stderr}")

    def copied(self, change):
        """The `make` of a case that copies the folder and then calls change(copy)."""
        def make(folder):
            shutil.copytree(self.folder, folder, dirs_exist_ok=True)
            change(folder)
        return make

    def checkpoint(self, folder):
        """The newest checkpoint folder of the first run in a copy."""
        return folder / "t.heddle.d" / self.id / "step-6"


def edit(folder, *statements):
    """Runs SQL on a copy's database, with foreign keys off and outside of any rule of ours."""
    database = sqlite3.connect(folder / "t.heddle")
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute("PRAGMA writable_schema = ON")
    for statement in statements:
        if isinstance(statement, str):
            database.executescript(statement)
        else:
            database.execute(*statement)
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def reseal(checkpoint):
    """Writes the SHA-256 of the checkpoint's files into its state.json, as a stranger who made them would."""
    path = checkpoint / "state.json"
    state = json.loads(path.read_text())
    for name in ("weights.safetensors", "optimizer.safetensors"):
        data = (checkpoint / name).read_bytes()
        state["files"][name] = {"sha256": sha256(data), "bytes": len(data)}
    path.write_text(json.dumps(state, sort_keys=True, separators=(",", ":")) + "\n")


def read_safetensors(data):
    length = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8:8 + length]), data[8 + length:]


def make_safetensors(header, body):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def flipped(data, generator, flips):
    """The bytes with so many random bits changed."""
    changed = bytearray(data)
    for _ in range(flips):
        changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
    return bytes(changed)

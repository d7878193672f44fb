# SPDX-License-Identifier: Apache-2.0
"""Files for `heddle runs import` that a stranger made in another program's name."""
import gzip
import pathlib
import random
import sqlite3

from corpus import Case, HOSTILE_TEXT, flipped, write

EVENTS = pathlib.Path(__file__).resolve().parents[1] / "unit/app/foreign/cases/board/simple/events.out.tfevents.1"
TABLE = "run,seed,group,step,lr,val_loss\n" + "".join(f"r{run},{run},base,{step},0.1,{3 - step / 9}\n" for run in (1, 2)
                                                      for step in range(4))
LINES = "".join(f'{{"run":"r{run}","step":{step},"config":{{"lr":0.1}},"eval/loss":{3 - step / 9}}}\n' for run in (1, 2)
                for step in range(4))


def trackio(path, *rows, table="metrics (id INTEGER PRIMARY KEY, timestamp, run_name, step, metrics)"):
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE {table}")
        database.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?)", rows)
    database.close()


def texts():
    hostile = HOSTILE_TEXT.replace("\r", "").replace("\n", "").replace('"', "")
    yield "names.csv", TABLE.replace("r1", hostile).replace("lr", "lr" + hostile)
    yield "settings.csv", TABLE.replace("0.1", hostile)
    yield "value.csv", TABLE.replace("3.0", "=cmd|' /C calc'!A0", 1)
    yield "words.csv", TABLE.replace("3.0", hostile, 1)
    yield "long-line.csv", TABLE + "x" * 20_000_000 + "\n"
    yield "long-name.csv", TABLE.replace("r1", "y" * 10_000_000, 1)
    yield "columns.csv", ",".join(f"c{i}" for i in range(200_000)) + "\n"
    yield "open-quote.csv", TABLE + '"' + "a,b\n" * 1_000_000
    yield "steps.csv", TABLE.replace(",1,", f",{2**63},")
    yield "runs.csv", "run,step,val_loss\n" + "".join(f"r{i},1,2\n" for i in range(5_000))
    yield "gaps.csv", "run,step,val_loss,x\n" + "".join(f"r,{i * i * 10**9},2,{i}\n" for i in range(3_000))
    yield "no-utf8.csv", TABLE.encode().replace(b"base", b"b\xff\xfe")
    yield "deep.jsonl", '{"run":' + '{"a":' * 100_000
    yield "nested.jsonl", '{"run":"r","step":1,"val_loss":1,' + '"a":{' * 60 + '"b":1' + "}" * 60 + "}\n"
    yield "lists.jsonl", '{"run":[[1]],"step":[2],"val_loss":{}}\n{"run":true,"step":true,"val_loss":true}\n'
    yield "numbers.jsonl", '{"run":"r","seed":1e308,"step":1e308,"val_loss":1e308}\n'
    yield "keys.jsonl", "".join(f'{{"run":"r","step":{i},"k{i}":1}}\n' for i in range(30_000))
    yield "bomb.csv.gz", gzip.compress(b"run,step,val_loss\n" + b"a,1,1\n" * 20_000_000)
    yield "cut.csv.gz", gzip.compress(TABLE.encode())[:-9]


def cases(base, seeds):
    def tried(name, data):
        def change(folder):
            data(folder / name) if callable(data) else write(folder / name, data)
        commands = [["runs", "import", name, "--db", "out/n.heddle"], ["runs", "import", name, "--restarts", "--json", "--db", "out/m.heddle"],
                    ["runs", "list", "--db", "out/n.heddle"], ["runs", "verify", "--db", "out/n.heddle"]]
        return Case(f"foreign/{name}", base.copied(change), commands)
    for name, data in texts():
        yield tried(name, data)
    events = EVENTS.read_bytes()
    yield tried("cut.tfevents", events[:-5])
    yield tried("length.tfevents", b"\0" * 7 + b"\x80\x95\x08g\xb6" + events)
    yield tried("none.tfevents", b"")
    yield tried("bomb.tfevents", gzip.compress(events[115:161] * 1_200_000))  # 55 MB of its first scalar
    yield tried("text.db", lambda path: trackio(path, (1, "x", HOSTILE_TEXT, 1, '{"val_loss":1}'), (2, "9e99", "r", 2, "[")))
    yield tried("types.db", lambda path: trackio(path, (1, 3, b"\xff\xfe", 2**62, '{"val_loss":"NaN"}'), (2, None, None, None, None)))
    yield tried("view.db", lambda path: trackio(path, table="metrics (a, b, c, d, e)"))
    yield tried("loop", lambda path: path.symlink_to(path.name))
    yield tried("links", lambda path: (path.mkdir(), (path / "events.out.tfevents.1").symlink_to("/dev/zero")))
    for seed in range(seeds):
        generator = random.Random(seed)
        yield tried(f"flips-{seed}.csv", flipped(TABLE.encode(), generator, 2))
        yield tried(f"flips-{seed}.jsonl", flipped(LINES.encode(), generator, 2))
        yield tried(f"flips-{seed}.tfevents", flipped(events, generator, 2))

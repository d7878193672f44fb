# SPDX-License-Identifier: Apache-2.0
"""Run databases that a stranger made."""
import contextlib
import json
import os
import random
import shutil
import sqlite3

from corpus import C1, Case, ESCAPE, HOSTILE_TEXT, edit, flipped, write

LISTING = [["runs", "list"], ["runs", "list", "--all", "--json"], ["runs", "show", "base"], ["runs", "show", "base", "--json"],
           ["compare", "base", "other"], ["runs", "gradients", "base"]]
CHANGING = [["runs", "tag", "base", "x"], ["runs", "trash", "base"], ["runs", "delete", "base"], ["runs", "delete", "other"]]
TAKING = [["runs", "import", "t.heddle", "--db", "out/mine.heddle"], ["runs", "export", "out/theirs.heddle"],
          ["runs", "list", "--db", "out/mine.heddle"]]
USING = [["translate", "--run", "base", "ana sees birds ."], ["evaluate", "--run", "base", "--split", "valid"],
         ["inspect", "base", "--examples", "4"], ["resume", "base"], ["fork", "base", "--set", "train.steps=7"]]

TEXT_COLUMNS = {"run": ("name", "state", "reason", "spec", "variant_hash", "run_hash", "lineage", "run_group", "tags"),
                "attempt": ("device", "host", "program", "torch", "context", "replay"), "series": ("name", "path"),
                "evaluation": ("split", "metric", "signature"), "sample": ("source", "reference", "hypothesis"),
                "event": ("kind", "text", "data"), "checkpoint": ("kind", "folder", "weights_sha256"), "map": ("name", "path"),
                "histogram": ("name", "path"), "item": ("body",), "token_list": ("tokens",)}
JUNK_JSON = ["", "null", "[]", "{}", "3", '"x"', "[1,2]", '{"train":3}', '{"train":{"epochs":"x"},"variant":[],"data":7}',
             '{"products":7,"first_step_seconds":"x"}', "[" * 5000, '{"a":' * 40 + "1" + "}" * 40, "\x00", '{"x":1e999}']
SPARSE = 4 << 30  # bytes that take no room until somebody copies them
NUMBERS = ["-1", "9223372036854775807", "-9223372036854775808", "1e308"]


def integers(table):
    return {"run": ("seed", "attempts", "step", "epoch", "total_steps", "parameters", "seconds", "created", "rev"),
            "attempt": ("attempt", "seconds", "first_step", "threads", "peak_bytes", "replayed_steps"),
            "series": ("points", "first_step", "last_step"), "chunk": ("first_step", "stride", "n"),
            "evaluation": ("step", "epoch", "value", "n"), "checkpoint": ("step", "bytes"),
            "map": ("heads", "rows", "columns", "bytes", "probe"), "histogram": ("bins", "low", "high")}[table]


def on_copy(base, *statements):
    return base.copied(lambda folder: edit(folder, *statements))


def paths(base):
    for number, wrong in enumerate(("../victim", "../../victim", "/tmp/heddle-victim", "..", ".", "", "a/../../victim", "x" * 5000,
                                    "victim\x1b[31m", "ABCDEF012345", "..\\victim")):
        yield Case(f"database/id-{number}", on_copy(base, ("UPDATE run SET id = ? WHERE name = 'base'", (wrong,))),
                   LISTING + TAKING + CHANGING + [["runs", "delete", wrong]] + USING[2:3])
    for number, wrong in enumerate(("../victim", "/etc", "{here}/victim", "..", "", "other/../../victim/x")):
        def make(folder, wrong=wrong):
            text = wrong.format(here=folder)
            on_copy(base, ("UPDATE checkpoint SET folder = ?", (text,)))(folder)
        yield Case(f"database/checkpoint-folder-{number}", make, LISTING + USING + TAKING + CHANGING)


def links(base):
    def linked(target):
        def change(folder):
            run = folder / "t.heddle.d" / base.id
            run.rename(folder / "away")
            run.symlink_to(target)
        return base.copied(change)

    def inside(folder):
        run = folder / "t.heddle.d" / base.id
        (run / "step-9").symlink_to("../../victim")
        (run / ".tmp-x").symlink_to("../../victim")
        (run / "loop").symlink_to(".")
        (run / "root").symlink_to("/proc")
    def tokenizer(folder):
        shutil.rmtree(folder / "t.heddle.d" / base.id / "tokenizer")
        (folder / "t.heddle.d" / base.id / "tokenizer").symlink_to("../../victim")

    def checkpoint(folder):
        base.checkpoint(folder).rename(folder / "away")
        base.checkpoint(folder).symlink_to("../../away")

    def sparse(folder):
        for path in (base.checkpoint(folder) / "weights.safetensors", folder / "t.heddle.d" / base.id / "notes"):
            with open(path, "ab") as file:
                file.truncate(SPARSE)

    def inbox(folder):
        with contextlib.closing(sqlite3.connect(folder / "t.heddle.inbox")) as requests:
            requests.execute("CREATE TABLE request (seq INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL UNIQUE, verb TEXT "
                             "NOT NULL, run TEXT NOT NULL, body TEXT NOT NULL, at REAL NOT NULL) STRICT")
            for number, at in enumerate((0, 1e9, 1e12, -1e308, 1e308)):
                requests.execute("INSERT INTO request VALUES (NULL, ?, 'delete', ?, '{}', ?)", (number + 1, base.id, at))
            requests.commit()

    def replaced(suffix):
        def change(folder):
            (folder / f"t.heddle{suffix}").unlink(missing_ok=True)
            (folder / f"t.heddle{suffix}").symlink_to("victim/kept.txt")
        return change
    for name, change in (("tokenizer", tokenizer), ("checkpoint", checkpoint), ("sparse", sparse),
                         ("hard", lambda folder: os.link(folder / "t.heddle", folder / "out" / "backup.heddle")),
                         ("planted-inbox", inbox),
                         ("linked-inbox", replaced(".inbox")),
                         ("linked-lock", replaced(".lock"))):
        yield Case(f"database/link-{name}", base.copied(change), LISTING[:2] + TAKING + USING + [["runs", "verify"]] + CHANGING)
    for name, target in (("victim", "../victim"), ("loop", ".")):
        yield Case(f"database/link-{name}", linked(target), LISTING[:2] + TAKING + USING[2:3] + CHANGING)
    yield Case("database/link-inside", base.copied(inside), TAKING + USING[2:3] + CHANGING)


def texts(base):
    for table, columns in TEXT_COLUMNS.items():
        for column in columns:
            yield Case(f"database/controls-{table}-{column}",
                       on_copy(base, (f"UPDATE OR IGNORE {table} SET {column} = ?", (HOSTILE_TEXT,))), LISTING + USING[:1])
    tags = json.dumps([HOSTILE_TEXT, ESCAPE, C1], ensure_ascii=False)
    yield Case("database/controls-everywhere",
               on_copy(base, ("UPDATE run SET tags = ?, run_group = ?, reason = ?", (tags, HOSTILE_TEXT, HOSTILE_TEXT)),
                       ("UPDATE run SET name = 'base' || ? WHERE name = 'base'", (HOSTILE_TEXT,)),
                       ("UPDATE attempt SET device = ?, host = ?, program = ?", (HOSTILE_TEXT,) * 3),
                       ("UPDATE event SET text = ?, kind = 'warning'", (HOSTILE_TEXT,))),
               [[*command[:-1], base.id] if command[-1] == "base" else command for command in LISTING])
    for column in ("name", "spec", "tags", "reason", "run_group"):
        yield Case(f"database/giant-{column}",
                   on_copy(base, (f"UPDATE run SET {column} = CAST(replace(hex(zeroblob(100000000)), '0', 'y') AS TEXT)", ())),
                   LISTING[:2] + [["runs", "show", base.id]])
    for table, column in (("event", "text"), ("sample", "source"), ("evaluation", "signature"), ("attempt", "context")):
        yield Case(f"database/giant-{table}-{column}",
                   on_copy(base, (f"UPDATE OR IGNORE {table} SET {column} = CAST(replace(hex(zeroblob(50000000)), '0', 'y') AS TEXT)",
                                  ())), LISTING)
    for number, junk in enumerate(JUNK_JSON):
        for table, column in (("run", "spec"), ("run", "tags"), ("attempt", "context"), ("event", "data")):
            yield Case(f"database/json-{table}-{column}-{number}", on_copy(base, (f"UPDATE {table} SET {column} = ?", (junk,))),
                       LISTING + USING[:1])


def numbers(base):
    for table in ("run", "attempt", "series", "chunk", "evaluation", "checkpoint", "map", "histogram"):
        for column in integers(table):
            for number, value in enumerate(NUMBERS):
                yield Case(f"database/number-{table}-{column}-{number}",
                           on_copy(base, f"PRAGMA ignore_check_constraints = ON; UPDATE OR IGNORE {table} SET {column} = {value};"
                                   if value != "1e308" else
                                   f"PRAGMA ignore_check_constraints = ON; UPDATE OR IGNORE {table} SET {column} = "
                                   f"CASE typeof({column}) WHEN 'real' THEN 1e308 ELSE 4611686018427387904 END;"), LISTING)
    yield Case("database/nan", on_copy(base, "UPDATE evaluation SET value = NULL; UPDATE histogram SET low = NULL, high = NULL;"),
               LISTING)


def blobs(base):
    for table, column in (("chunk", "data"), ("chunk", "levels"), ("map", "data"), ("histogram", "data")):
        for name, value in (("empty", "x''"), ("short", f"substr({column}, 1, 3)"), ("long", "zeroblob(1000000)"),
                            ("wrong", "randomblob(length(%s))" % column)):
            yield Case(f"database/blob-{table}-{column}-{name}", on_copy(base, f"UPDATE {table} SET {column} = {value};"), LISTING)


def schemas(base):
    def retyped(folder):
        (folder / "out").mkdir()
        database = sqlite3.connect(folder / "t.heddle")
        database.executescript("CREATE TABLE run (a); INSERT INTO run VALUES (1); PRAGMA user_version = 1;")
        database.close()

    everything = LISTING + TAKING + CHANGING
    changes = {
        "other-application": "PRAGMA application_id = 1196444487;", "no-application": "PRAGMA application_id = 0;",
        "newer": "PRAGMA user_version = 99;", "negative": "PRAGMA user_version = -1;",
        "smallest": "PRAGMA user_version = -2147483648;", "zero": "PRAGMA user_version = 0;", "one": "PRAGMA user_version = 1;",
        "view": "ALTER TABLE run RENAME TO run2; CREATE VIEW run AS SELECT * FROM run2;",
        "endless-view": "ALTER TABLE evaluation RENAME TO e2; CREATE VIEW evaluation AS WITH RECURSIVE c(x) AS (SELECT 1 UNION "
                        "ALL SELECT x + 1 FROM c) SELECT e2.* FROM e2, c;",
        "trigger": "CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM run; END;",
        "trigger-insert": "CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM run; END;",
        "missing-table": "DROP TABLE evaluation;", "missing-column": "ALTER TABLE run DROP COLUMN reason;",
        "extra-column": "ALTER TABLE run ADD COLUMN more TEXT NOT NULL DEFAULT 'x';", "empty-meta": "DELETE FROM meta;",
        "rev": "UPDATE meta SET rev = 9223372036854775807;", "no-rows": "DELETE FROM run;",
        "orphans": "DELETE FROM run WHERE name = 'base';", "cross": "UPDATE series SET run = run + 998;"}
    for name, sql in changes.items():
        yield Case(f"database/schema-{name}", on_copy(base, sql), everything)
    yield Case("database/schema-other-table", retyped, everything)


def damaged(base, seeds):
    honest = (base.folder / "t.heddle").read_bytes()

    def with_file(data, name="t.heddle"):
        return base.copied(lambda folder: write(folder / name, data))
    size = len(honest)
    for cut in (0, 1, 15, 16, 50, 99, 100, 511, 512, 4095, 4096, size // 2, size - 4096, size - 1):
        yield Case(f"database/cut-{cut}", with_file(honest[:cut]), LISTING + TAKING + CHANGING)
    yield Case("database/text", with_file(b"this is no database\n" * 100), LISTING + TAKING + CHANGING)
    yield Case("database/long-page", with_file(honest[:16] + b"\xff\xff" + honest[18:]), LISTING)
    for seed in range(seeds):
        generator = random.Random(seed)
        yield Case(f"database/flips-{seed}", with_file(flipped(honest, generator, generator.choice((1, 3, 30)))),
                   LISTING + TAKING + CHANGING)

    def special(kind):
        def change(folder):
            (folder / "t.heddle").unlink()
            kind(folder / "t.heddle")
        return base.copied(change)
    yield Case("database/fifo", special(os.mkfifo), LISTING + TAKING + CHANGING)
    yield Case("database/folder", special(lambda path: path.mkdir()), LISTING + TAKING + CHANGING)
    yield Case("database/loop", special(lambda path: path.symlink_to("t.heddle")), LISTING + TAKING + CHANGING)
    yield Case("database/wal", with_file(b"\x37\x7f\x06\x82" + b"\xff" * 5000, "t.heddle-wal"), LISTING + CHANGING)
    yield Case("database/journal", with_file(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0" * 600, "t.heddle-journal"), LISTING + CHANGING)
    yield Case("database/inbox", with_file(b"no inbox" * 100, "t.heddle.inbox"), LISTING + CHANGING)
    yield Case("database/lock", with_file(HOSTILE_TEXT * 1000, "t.heddle.lock"), LISTING + CHANGING)


def cases(base, seeds):
    for group in (paths, links, schemas, texts, blobs, numbers):
        yield from group(base)
    yield from damaged(base, seeds)

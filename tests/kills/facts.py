# SPDX-License-Identifier: Apache-2.0
"""What a run database holds, read with Python's sqlite3 from a copy of its files, and what must hold of it."""
import array
import dataclasses
import hashlib
import pathlib
import shutil
import sqlite3

# Numbers that differ between copies of a row, or that are made from such numbers.
PASSING = {"run", "num", "rev", "id", "checksum", "levels_checksum", "data_checksum", "row_checksum", "series", "edits"}
CHECKPOINT_FILES = {"weights.safetensors": "weights_sha256", "optimizer.safetensors": "optimizer_sha256",
                    "state.json": "state_sha256"}


class Loss(Exception):
    """Something that was there is lost, false, or cannot be reached."""


@dataclasses.dataclass
class Run:
    row: dict
    tables: dict  # table: set of rows, each a tuple of (column, value)
    points: dict  # (name, path, attempt): {step: bits}
    deterministic: set  # (name, path)

    def rows(self, table):
        return [dict(row) for row in self.tables.get(table, ())]


@dataclasses.dataclass
class Facts:
    schema: int
    runs: dict
    columns: dict  # table: names


def exists(database):
    """Whether anything of the database was committed: SQLite makes an empty file before that."""
    return pathlib.Path(database).exists() and pathlib.Path(database).stat().st_size > 0


def read(database, scratch, like=None):
    """The facts of a database that nobody is changing. `like`: of an older schema, whose columns alone are read."""
    scratch = pathlib.Path(scratch) / "copy"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    for suffix in ("", "-wal", "-journal"):
        if pathlib.Path(f"{database}{suffix}").exists():
            shutil.copyfile(f"{database}{suffix}", scratch / f"copy{suffix}")
    connection = sqlite3.connect(scratch / "copy")
    try:
        return _read(connection, like)
    except sqlite3.Error as error:
        raise Loss(f"sqlite cannot read a copy of {pathlib.Path(database).name}: {error}") from error
    finally:
        connection.close()


def _read(connection, like):
    integrity = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    if integrity != ["ok"]:
        raise Loss(f"integrity_check: {'; '.join(integrity[:5])}")
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        raise Loss("foreign_key_check finds rows without their owner")
    schema = connection.execute("PRAGMA user_version").fetchone()[0]
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    columns = {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")] for name in names}
    if "run" not in columns:
        return Facts(schema, {}, {})
    chosen = {name: [c for c in columns[name] if c not in PASSING and (like is None or c in like.columns.get(name, ()))]
              for name in names}
    facts = Facts(schema, {}, chosen)
    for number, run_id in connection.execute("SELECT num, id FROM run").fetchall():
        row = connection.execute(f"SELECT {', '.join(chosen['run'])} FROM run WHERE num = ?", (number,)).fetchone()
        tables = {name: _rows(connection, name, chosen[name], number) for name in names
                  if "run" in columns[name] and name not in ("run", "series", "token_list")}
        facts.runs[run_id] = Run(dict(zip(chosen["run"], row)), tables, *_points(connection, number))
    return facts


def _rows(connection, table, columns, number):
    """The rows of a run; blobs as their hash, token lists as their tokens."""
    tokens = dict(connection.execute("SELECT id, tokens FROM token_list")) if table == "map" else {}
    found = set()
    for values in connection.execute(f"SELECT {', '.join(columns)} FROM {table} WHERE run = ?", (number,)):
        row = []
        for column, value in zip(columns, values):
            if isinstance(value, bytes):
                value = hashlib.sha256(value).hexdigest()
            elif column in ("row_tokens", "column_tokens"):
                value = tokens[value]
            row.append((column, value))
        found.add(tuple(row))
    return found


def _points(connection, number):
    points, deterministic = {}, set()
    for series, name, path, attempt, fixed, count in connection.execute(
            "SELECT num, name, path, attempt, deterministic, points FROM series WHERE run = ?", (number,)).fetchall():
        values = points.setdefault((name, path, attempt), {})
        for first, stride, n, data in connection.execute(
                "SELECT first_step, stride, n, data FROM chunk WHERE series = ?", (series,)):
            bits = array.array("I", data)
            values.update((first + stride * i, bits[i]) for i in range(n))
        if len(values) != count:
            raise Loss(f"series {name} {path} of attempt {attempt} says {count} points and has {len(values)}")
        if fixed:
            deterministic.add((name, path))
    return points, deterministic


def check_checkpoints(database, facts):
    """Every row has its whole folder. A golden database comes without any."""
    if pathlib.Path(database).with_suffix(".golden").exists():
        return
    for run_id, run in facts.runs.items():
        for row in run.rows("checkpoint"):
            artifacts = pathlib.Path(f"{database}.d")
            # An import commits the rows of a run before its folder has its name: the next owner of the database gives it one.
            unnamed = artifacts / f"{run_id}.tmp-import"
            folder = (artifacts / run_id if (artifacts / run_id).is_dir() else unnamed) / f"step-{row['step']}"
            for name, column in CHECKPOINT_FILES.items():
                file = folder / name
                if not file.is_file():
                    raise Loss(f"checkpoint {row['kind']} of step {row['step']} of {run_id} has no {name}")
                if hashlib.sha256(file.read_bytes()).hexdigest() != row[column]:
                    raise Loss(f"{name} of the checkpoint of step {row['step']} of {run_id} is not what its row says")


def leftovers(database, facts):
    """What lies beside a database without belonging to it; nothing once an owner has opened it."""
    database, found = pathlib.Path(database), []
    folder = pathlib.Path(f"{database}.d")
    for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
        run = facts.runs.get(entry.name)
        if run is None:
            found.append(entry)
            continue
        known = {f"step-{row['step']}" for row in run.rows("checkpoint")}
        found += [file for file in sorted(entry.glob("*/*.tmp")) if file.is_file()]  # of the tokenizer
        found += [inner for inner in sorted(entry.iterdir())
                  if inner.name.startswith((".tmp-", ".trash-")) or inner.name.startswith("step-") and inner.name not in known]
    found += [entry for entry in sorted(database.parent.glob(f"{database.name}.*")) if ".tmp" in entry.name]
    return [str(path.relative_to(database.parent)) for path in found]


def require_equal(run_id, before, after, but=()):
    """A run that nobody changes is what it was; columns of `but` aside."""
    changed = {key: (before.row[key], after.row.get(key)) for key in before.row.keys() - set(but)
               if before.row[key] != after.row.get(key)}
    if changed:
        raise Loss(f"run {run_id} was changed: {str(changed)[:300]}")
    for table, rows in before.tables.items():
        if rows != after.tables.get(table):
            raise Loss(f"rows of {table} of run {run_id}: {len(rows)} before, {len(after.tables.get(table, ()))} now, or others")
    if before.points != after.points:
        raise Loss(f"points of run {run_id} were changed")


def require_kept(run_id, before, after):
    """A run in training keeps all that was recorded."""
    for table in ("evaluation", "sample", "histogram", "map", "event"):
        lost = before.tables[table] - after.tables[table]
        if lost:
            raise Loss(f"{len(lost)} rows of {table} of run {run_id} are lost, such as {str(sorted(map(str, lost))[0])[:300]}")
    for key, values in before.points.items():
        if not values.items() <= after.points.get(key, {}).items():
            raise Loss(f"points of {key} of run {run_id} are lost: {len(values)} before, {len(after.points.get(key, ()))} now")
    numbers = [{row["attempt"] for row in run.rows("attempt")} for run in (before, after)]
    if not numbers[0] <= numbers[1]:
        raise Loss(f"attempts of run {run_id} are lost: {numbers[0]} before, {numbers[1]} now")
    steps = [max((row["step"] for row in run.rows("checkpoint")), default=-1) for run in (before, after)]
    if steps[1] < steps[0]:
        raise Loss(f"the newest checkpoint of run {run_id} was of step {steps[0]} and is of step {steps[1]}")


def newest(run, table, key, without=()):
    """The rows of the newest attempt for each key, without what differs from attempt to attempt."""
    found = {}
    for row in sorted(run.rows(table), key=lambda row: row["attempt"]):
        found[tuple(row[column] for column in key)] = {
            column: value for column, value in row.items() if column not in ("attempt", *without)}
    return found


def results(run):
    """All that a run must have in common with an uninterrupted one."""
    curves = {}
    for (name, path, attempt), values in sorted(run.points.items(), key=lambda item: item[0][2]):
        if (name, path) in run.deterministic:
            curves.setdefault((name, path), {}).update(values)
    evaluations = newest(run, "evaluation", ("step", "split", "metric"), ("seconds",))
    return {"state": run.row["state"], "step": run.row["step"], "epoch": run.row["epoch"], "curves": curves,
            "evaluations": {key: row for key, row in evaluations.items() if "seconds" not in key[2]},
            "samples": newest(run, "sample", ("step", "number")),
            "histograms": newest(run, "histogram", ("name", "path", "step")),
            "maps": newest(run, "map", ("name", "path", "probe", "step")),
            "checkpoints": newest(run, "checkpoint", ("step", "kind"), ("folder",))}


def difference(one, other):
    """The keys whose values differ."""
    return sorted((key for key in one.keys() | other.keys() if one.get(key) != other.get(key)), key=str)


def require_same_results(run_id, expected, run):
    found = results(run)
    for part, value in expected.items():
        if found[part] == value:
            continue
        detail = f"{value} expected, {found[part]} found"
        if isinstance(value, dict):
            keys = difference(value, found[part])
            one, other = value.get(keys[0]), found[part].get(keys[0])
            inner = difference(one, other)[:5] if isinstance(one, dict) and isinstance(other, dict) else []
            detail = f"{len(keys)} of {len(value)} differ, such as {keys[0]} at {inner}: {str(one)[:200]} expected, " \
                     f"{str(other)[:200]} found"
        raise Loss(f"{part} of run {run_id} differ from the uninterrupted run's: {detail}")


def require_on_the_way(run_id, expected, run):
    """Every attempt of a run, also a broken-off one, computes what the uninterrupted run computes."""
    for (name, path, attempt), values in run.points.items():
        if (name, path) in run.deterministic and not values.items() <= expected["curves"].get((name, path), {}).items():
            raise Loss(f"attempt {attempt} of run {run_id} computed other values of {name} {path} than the uninterrupted run")
    for row in run.rows("attempt"):
        if row["replay"] == "different":
            raise Loss(f"attempt {row['attempt']} of run {run_id}: the replay differs")

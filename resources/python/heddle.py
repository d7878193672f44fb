# SPDX-License-Identifier: Apache-2.0
"""Reads Heddle's run databases (runs.heddle) in Python: one file, which needs the standard library and numpy.

    import heddle
    with heddle.open("runs.heddle") as database:
        for run in database.runs():
            steps, loss = run.series("loss")

Copy this file beside a notebook, or put its folder into PYTHONPATH. It only reads, also while a run trains: each call sees what was
committed by then. resources/help/python.md has examples, resources/help/schema.md what is stored.
"""
import builtins
import collections
import json
import os
import sqlite3
import struct
import zlib
from urllib.parse import quote

import numpy

APPLICATION_ID = 0x4844444C  # "HDDL", byte 68 of the file
NEWEST_SCHEMA = 4  # user_version of the newest database that this file reads

Series = collections.namedtuple("Series", "steps values")
Evaluation = collections.namedtuple("Evaluation", "step epoch split metric value n signature seconds attempt")
Checkpoint = collections.namedtuple("Checkpoint", "kind step path weights_sha256 bytes")
Sample = collections.namedtuple("Sample", "step number source reference hypothesis")
Event = collections.namedtuple("Event", "attempt step seconds at kind text data")
Place = collections.namedtuple("Place", "name path step probe")  # of a histogram (probe 0) or a map
Histogram = collections.namedtuple(
    "Histogram", "name path step edges counts below above not_finite mean deviation minimum maximum")
Map = collections.namedtuple("Map", "name path step probe values rows columns")


class HeddleError(Exception):
    """The file cannot be read, or what was asked is not in it; the message says what to do."""


class DamagedError(HeddleError):
    """A record differs from its checksum. Other records are not affected."""


def open(path):  # heddle.open, as sqlite3 and gzip name theirs; this module calls builtins.open
    """Opens a run database for reading. Raises HeddleError."""
    return Database(path)


class Database:
    """A run database. Use it in one thread; close() it, or open it in a with statement."""

    def __init__(self, path):
        self.path = os.path.abspath(os.fspath(path))
        if not os.path.isfile(self.path):
            raise HeddleError(f"{self.path}: no such file: give the path of a .heddle file")
        with builtins.open(self.path, "rb") as file:
            head = file.read(72)
        if head[:15] != b"SQLite format 3" or head[68:72] != APPLICATION_ID.to_bytes(4, "big"):
            raise HeddleError(f"{self.path}: not a Heddle run database: choose a file that ends in .heddle")
        self._connection = _connect(self.path)
        self.schema = self._rows("PRAGMA user_version")[0][0]
        if self.schema > NEWEST_SCHEMA:
            self.close()
            raise HeddleError(f"{self.path}: the database has schema {self.schema}, and this heddle.py reads at most "
                              f"{NEWEST_SCHEMA}: use the heddle.py of the Heddle that wrote it")

    def close(self):
        self._connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def runs(self, trash=False):
        """The runs in the order in which they were added; with trash=True also those in the trash."""
        rows = self._dicts("SELECT * FROM v_runs ORDER BY created, run")
        return [Run(self, row) for row in rows if trash or row["trashed"] is None]

    def run(self, name):
        """The run with this id, unique beginning of an id, or unique name. Raises HeddleError."""
        runs = self.runs(trash=True)
        for matches in ([r for r in runs if r.id == name], [r for r in runs if r.id.startswith(name)],
                        [r for r in runs if r.name == name and not r.in_trash], [r for r in runs if r.name == name]):
            if len(matches) == 1:
                return matches[0]
            if matches:
                raise HeddleError(f'"{name}" is {len(matches)} runs: use the id of one: ' + ", ".join(r.id for r in matches))
        raise HeddleError(f'no run "{name}" in {self.path}: runs() lists them')

    def series(self, run, name, path=""):
        """Series(steps, values) of a Run, id or name: see Run.series()."""
        return (run if isinstance(run, Run) else self.run(run)).series(name, path)

    def sql(self, query, *parameters):
        """The rows of a query on the views of resources/help/schema.md, as tuples."""
        return self._rows(query, parameters)

    def _rows(self, query, parameters=()):
        return self._fetched(query, parameters)[1]

    def _dicts(self, query, parameters=()):
        names, rows = self._fetched(query, parameters)
        return [dict(zip(names, row)) for row in rows]

    def _fetched(self, query, parameters):
        try:
            cursor = self._connection.execute(query, parameters)
            return [column[0] for column in cursor.description], cursor.fetchall()
        except sqlite3.DatabaseError as error:
            raise HeddleError(f"{self.path}: {error}") from error


class Run:
    """A run. Its attributes are those of when it was asked for; its methods read the database anew."""

    def __init__(self, database, row):
        self._database = database
        self.id, self.name, self.state = row["run"], row["name"], row["state"]
        self.seed = int(row["seed"])  # above 2^63 the view has a text
        self.tags = json.loads(row["tags"])
        self.group, self.lineage = row["run_group"], row["lineage"]
        self.created, self.seconds = row["created"], row["seconds"]
        self.step, self.epoch, self.attempts = row["step"], row["epoch"], row["attempts"]
        self.parameters = row["parameters"]
        self.variant_hash, self.run_hash = row["variant_hash"], row["run_hash"]
        self.in_trash = row["trashed"] is not None
        self.intervened = row.get("intervened")  # the step after which interventions changed its training; None: never
        self._spec = row["spec"]

    def __repr__(self):
        return f"<heddle.Run {self.id} {self.name!r} {self.state}, step {self.step}>"

    @property
    def spec(self):
        """The run spec as it was written: what has its default is left out (resources/help/spec.md)."""
        try:
            return json.loads(self._spec)
        except ValueError as error:
            raise DamagedError(f"the spec of run {self.id} is damaged: {error}") from error

    @property
    def notes(self):
        """The texts of the notes, oldest first: each as it was edited last, without removed ones."""
        notes = {}
        for event in self.events("note"):
            replaced = _replaced_note(event.data)
            if replaced is None:
                notes[event.at] = event.text
            elif replaced in notes:
                notes[replaced] = event.text
        return [text for text in notes.values() if text]

    def series_names(self):
        """The (name, path) of every series; the path of those of the whole model is empty."""
        return self._database._rows("SELECT DISTINCT name, path FROM v_series WHERE run = ? ORDER BY name, path", (self.id,))

    def series(self, name, path=""):
        """Series(steps, values): whole numbers and 32-bit floats, by step; of each step the value of the newest attempt.

        Raises HeddleError where the run has no such series, and DamagedError.
        """
        chunks = self._database._rows(
            "SELECT s.num, s.attempt, c.first_step, c.stride, c.n, c.codec, c.data_checksum, c.data FROM run AS r"
            " JOIN series AS s ON s.run = r.num JOIN chunk AS c ON c.series = s.num"
            " WHERE r.id = ? AND s.name = ? AND s.path = ? ORDER BY s.attempt, c.first_step", (self.id, name, path))
        if not chunks:
            raise HeddleError(f'run {self.id} has no series "{name}" of "{path}": series_names() lists them')
        steps, values = [], []
        for number, _, first, stride, n, codec, checksum, data in chunks:
            if codec != "f32" or len(data) != 4 * n or _crc((number, first, stride, n), data) != checksum:
                raise DamagedError(f'series "{name}" of run {self.id} is damaged from step {first} on; other records are not')
            steps.append(first + stride * numpy.arange(n, dtype=numpy.int64))
            values.append(numpy.frombuffer(data, "<f4"))
        steps, values = numpy.concatenate(steps), numpy.concatenate(values)
        # Chunks are ordered by attempt: of equal steps the last one counts.
        kept, backwards = numpy.unique(steps[::-1], return_index=True)
        return Series(kept, values[::-1][backwards])

    def evaluations(self, split=None, metric=None):
        """Evaluations by step; of each step, split and metric that of the newest attempt. A value that is undefined is NaN."""
        rows = self._database._rows(
            "SELECT step, epoch, split, metric, value, n, signature, seconds, attempt FROM v_evaluations"
            " WHERE run = ? AND newest ORDER BY step, split, metric", (self.id,))
        found = [Evaluation(*row)._replace(value=_number(row[4])) for row in rows]
        return [e for e in found if split in (None, e.split) and metric in (None, e.metric)]

    def checkpoints(self):
        """Checkpoints by step; path: their folder."""
        folder = self._database.path + ".d"
        return [Checkpoint(kind, step, os.path.join(folder, name), sha256, size) for kind, step, name, sha256, size in
                self._database._rows("SELECT kind, step, folder, weights_sha256, bytes FROM v_checkpoints WHERE run = ?"
                                     " ORDER BY step, kind", (self.id,))]

    def samples(self, step=None):
        """The decoded sentences of a step (default: the newest)."""
        rows = [Sample(*row) for row in self._database._rows(
            "SELECT step, number, source, reference, hypothesis FROM v_samples AS s WHERE run = ? AND attempt = (SELECT"
            " max(attempt) FROM v_samples AS t WHERE t.run = s.run AND t.step = s.step AND t.number = s.number)"
            " ORDER BY step, number", (self.id,))]
        wanted = rows[-1].step if rows and step is None else step
        return [sample for sample in rows if sample.step == wanted]

    def events(self, kind=None):
        """What happened, in order: states, warnings, notes …"""
        rows = self._database._rows("SELECT attempt, step, seconds, at, kind, text, data FROM v_events WHERE run = ? ORDER BY id",
                                    (self.id,))
        return [event for event in map(Event._make, rows) if kind in (None, event.kind)]

    def histogram_places(self):
        """Place(name, path, step, probe) of each histogram."""
        return [Place(*row, 0) for row in self._database._rows(
            "SELECT DISTINCT name, path, step FROM v_histograms WHERE run = ? ORDER BY name, path, step", (self.id,))]

    def histogram(self, name, path, step=None):
        """A Histogram: counts between edges; of a step (default: the newest). Raises HeddleError and DamagedError."""
        rows = self._database._rows(
            "SELECT h.step, h.attempt, low, high, bins, below, above, not_finite, mean, deviation, minimum, maximum, codec,"
            " checksum, data FROM run AS r JOIN histogram AS h ON h.run = r.num WHERE r.id = ? AND h.name = ? AND h.path = ?"
            " AND (?4 IS NULL OR h.step = ?4) ORDER BY h.step DESC, h.attempt DESC LIMIT 1", (self.id, name, path, step))
        if not rows:
            raise HeddleError(f'run {self.id} has no histogram "{name}" of "{path}": histogram_places() lists them')
        at, attempt, low, high, bins, below, above, not_finite, mean, deviation, least, most, codec, checksum, data = rows[0]
        reals = tuple(map(_bits, (low, high))) + (below, above, not_finite) + tuple(map(_bits, (mean, deviation, least, most)))
        if codec != "u32" or len(data) != 4 * bins or _crc((at, attempt) + reals, data) != checksum:
            raise DamagedError(f'the histogram "{name}" of "{path}" at step {at} is damaged; other records are not')
        edges = numpy.linspace(_number(low), _number(high), bins + 1)
        return Histogram(name, path, at, edges, numpy.frombuffer(data, "<u4"), below, above, not_finite,
                         *map(_number, (mean, deviation, least, most)))

    def map_places(self):
        """Place(name, path, step, probe) of each map; those named "weight" are attention weights."""
        return [Place(*row) for row in self._database._rows(
            "SELECT DISTINCT name, path, step, probe FROM v_maps WHERE run = ? ORDER BY name, path, step, probe", (self.id,))]

    def map(self, name, path, step=None, probe=0):
        """A Map: values[heads, rows, columns] (stored as 16-bit floats) over the tokens of rows (queries) and columns (keys).

        Of a step (default: the newest). Raises HeddleError and DamagedError.
        """
        rows = self._database._rows(
            "SELECT m.step, m.attempt, heads, rows, columns, t.tokens, u.tokens, codec, checksum, data FROM run AS r"
            " JOIN map AS m ON m.run = r.num JOIN token_list AS t ON t.id = m.row_tokens"
            " JOIN token_list AS u ON u.id = m.column_tokens WHERE r.id = ? AND m.name = ? AND m.path = ?"
            " AND m.probe = ?4 AND (?5 IS NULL OR m.step = ?5) ORDER BY m.step DESC, m.attempt DESC LIMIT 1",
            (self.id, name, path, probe, step))
        if not rows:
            raise HeddleError(f'run {self.id} has no map "{name}" of "{path}" and probe {probe}: map_places() lists them')
        at, attempt, heads, height, width, row_tokens, column_tokens, codec, checksum, data = rows[0]
        if codec not in ("f16", "f16+zlib") or _crc((at, attempt, probe, heads, height, width), data) != checksum:
            raise DamagedError(f'the map "{name}" of "{path}" at step {at} is damaged; other records are not')
        if codec == "f16+zlib":
            data = zlib.decompressobj().decompress(data, 2 * heads * height * width)  # never more than the map has
        values = numpy.frombuffer(data, "<f2")
        return Map(name, path, at, probe, values.reshape(heads, height, width).astype(numpy.float32), json.loads(row_tokens),
                   json.loads(column_tokens))


def frame(records):
    """A pandas.DataFrame of runs, evaluations or other records of this module. Needs pandas."""
    import pandas
    records = list(records)
    if records and isinstance(records[0], Run):
        return pandas.DataFrame([{key: value for key, value in vars(run).items() if not key.startswith("_")} for run in records])
    return pandas.DataFrame(records)


def _connect(path):
    address = "file:" + quote(path)
    log = path + "-wal"
    # In a folder that cannot be written, SQLite cannot make its shared memory. Where there is no log, nobody writes the file, and
    # SQLite reads it without.
    frozen = not os.access(os.path.dirname(path), os.W_OK) and not (os.path.exists(log) and os.path.getsize(log))
    try:
        connection = sqlite3.connect(address + ("?mode=ro&immutable=1" if frozen else "?mode=ro"), uri=True, timeout=5)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except sqlite3.DatabaseError as error:
        raise HeddleError(f"{path}: {error}: a copy of a live database also needs its -wal file") from error
    return connection


def _crc(numbers, blob):
    """CRC-32 over numbers as 64-bit little-endian integers, then a blob (resources/help/schema.md)."""
    return zlib.crc32(blob, zlib.crc32(struct.pack(f"<{len(numbers)}q", *numbers)))


def _replaced_note(data):
    """The time of the note that a note's data say it replaces; None: it is a new one."""
    try:
        facts = json.loads(data or "null")
    except ValueError:
        return None
    return facts.get("replaces") if isinstance(facts, dict) else None


def _number(value):
    """A REAL of the database: NULL is NaN."""
    return float("nan") if value is None else value


def _bits(value):
    """A real as the checksum has it: its 64 bits, -0 as 0, NaN canonical."""
    return 0x7FF8000000000000 if value is None else struct.unpack("<q", struct.pack("<d", value + 0.0 if value else 0.0))[0]

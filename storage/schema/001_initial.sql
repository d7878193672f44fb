-- SPDX-License-Identifier: Apache-2.0
-- Heddle run database, schema 1. The public contract is described in resources/help/schema.md.
-- Times of day are Unix seconds (UTC), durations are seconds. NULL in a REAL column stands for NaN.
-- rev: database-wide commit number of the row's last change (meta.rev is the newest).

CREATE TABLE meta (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    rev     INTEGER NOT NULL,
    created REAL    NOT NULL
) STRICT;
INSERT INTO meta VALUES (1, 0, (julianday('now') - 2440587.5) * 86400.0);

CREATE TABLE run (
    num          INTEGER PRIMARY KEY,          -- internal; other tables refer to it
    id           TEXT    NOT NULL UNIQUE,
    name         TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    reason       TEXT    NOT NULL,
    spec         TEXT    NOT NULL,             -- JSON
    variant_hash TEXT    NOT NULL,
    run_hash     TEXT    NOT NULL,
    seed         INTEGER NOT NULL,             -- the 64 bits of an unsigned number
    created      REAL    NOT NULL,
    attempts     INTEGER NOT NULL,
    step         INTEGER NOT NULL,
    epoch        INTEGER NOT NULL,
    total_steps  INTEGER NOT NULL,
    parameters   INTEGER NOT NULL,
    seconds      REAL    NOT NULL,
    lineage      TEXT    NOT NULL,
    run_group    TEXT    NOT NULL,
    tags         TEXT    NOT NULL,             -- JSON array
    trashed      REAL,                         -- when it was put aside to be deleted; NULL: it was not
    rev          INTEGER NOT NULL
) STRICT;
CREATE INDEX run_by_rev ON run (rev);

CREATE TABLE deleted_run (
    id   TEXT    NOT NULL,
    name TEXT    NOT NULL,
    at   REAL    NOT NULL,
    rev  INTEGER NOT NULL
) STRICT;

CREATE TABLE attempt (
    run            INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    attempt        INTEGER NOT NULL,
    started        REAL    NOT NULL,
    seconds        REAL    NOT NULL,
    first_step     INTEGER NOT NULL,
    device         TEXT    NOT NULL,
    host           TEXT    NOT NULL,
    program        TEXT    NOT NULL,
    torch          TEXT    NOT NULL,
    threads        INTEGER NOT NULL,
    context        TEXT    NOT NULL,           -- JSON or empty
    peak_bytes     INTEGER NOT NULL,
    replay         TEXT    NOT NULL,
    replayed_steps INTEGER NOT NULL,
    rev            INTEGER NOT NULL,
    PRIMARY KEY (run, attempt)
) STRICT, WITHOUT ROWID;

-- Scalar series. The values lie in chunks of at most 4,096 at steps first_step, first_step + stride, …
CREATE TABLE series (
    num           INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    name          TEXT    NOT NULL,
    path          TEXT    NOT NULL,
    attempt       INTEGER NOT NULL,
    deterministic INTEGER NOT NULL CHECK (deterministic IN (0, 1)),
    points        INTEGER NOT NULL,
    first_step    INTEGER NOT NULL,
    last_step     INTEGER NOT NULL,
    rev           INTEGER NOT NULL,
    UNIQUE (run, name, path, attempt)
) STRICT;

CREATE TABLE chunk (
    id              INTEGER PRIMARY KEY,
    series          INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    first_step      INTEGER NOT NULL,
    stride          INTEGER NOT NULL CHECK (stride > 0),
    n               INTEGER NOT NULL CHECK (n BETWEEN 1 AND 4096),
    codec           TEXT    NOT NULL,          -- 'f32': n little-endian IEEE 754 numbers of 4 bytes
    levels_checksum INTEGER NOT NULL,
    data_checksum   INTEGER NOT NULL,
    rev             INTEGER NOT NULL,
    levels          BLOB    NOT NULL,          -- min/max/mean pyramid, before the data so that it is read without it
    data            BLOB    NOT NULL,
    UNIQUE (series, first_step)
) STRICT;

CREATE TABLE evaluation (
    run       INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    step      INTEGER NOT NULL,
    split     TEXT    NOT NULL,
    metric    TEXT    NOT NULL,
    attempt   INTEGER NOT NULL,
    epoch     INTEGER NOT NULL,
    value     REAL,
    n         INTEGER NOT NULL,
    signature TEXT    NOT NULL,
    seconds   REAL    NOT NULL,
    rev       INTEGER NOT NULL,
    PRIMARY KEY (run, step, split, metric, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE histogram (
    id         INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    path       TEXT    NOT NULL,
    step       INTEGER NOT NULL,
    attempt    INTEGER NOT NULL,
    low        REAL,
    high       REAL,
    below      INTEGER NOT NULL,
    above      INTEGER NOT NULL,
    not_finite INTEGER NOT NULL,
    mean       REAL,
    deviation  REAL,
    minimum    REAL,
    maximum    REAL,
    bins       INTEGER NOT NULL,
    codec      TEXT    NOT NULL,               -- 'u32': bins little-endian counts of 4 bytes
    checksum   INTEGER NOT NULL,
    rev        INTEGER NOT NULL,
    data       BLOB    NOT NULL,
    UNIQUE (run, name, path, step, attempt)
) STRICT;

CREATE TABLE token_list (
    id     INTEGER PRIMARY KEY,
    run    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    tokens TEXT    NOT NULL,                   -- JSON array
    UNIQUE (run, tokens)
) STRICT;

CREATE TABLE map (
    id            INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    name          TEXT    NOT NULL,
    path          TEXT    NOT NULL,
    probe         INTEGER NOT NULL,
    step          INTEGER NOT NULL,
    attempt       INTEGER NOT NULL,
    heads         INTEGER NOT NULL,
    rows          INTEGER NOT NULL,
    columns       INTEGER NOT NULL,
    row_tokens    INTEGER NOT NULL REFERENCES token_list,
    column_tokens INTEGER NOT NULL REFERENCES token_list,
    codec         TEXT    NOT NULL,            -- 'f16' or 'f16+zlib': [heads, rows, columns], 2 bytes each
    bytes         INTEGER NOT NULL,            -- length of data
    checksum      INTEGER NOT NULL,
    rev           INTEGER NOT NULL,
    data          BLOB    NOT NULL,
    UNIQUE (run, name, path, probe, step, attempt)
) STRICT;
CREATE INDEX map_by_step ON map (run, step, bytes);
CREATE INDEX map_by_row_tokens ON map (row_tokens);
CREATE INDEX map_by_column_tokens ON map (column_tokens);

CREATE TABLE sample (
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    step       INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    attempt    INTEGER NOT NULL,
    source     TEXT    NOT NULL,
    reference  TEXT    NOT NULL,
    hypothesis TEXT    NOT NULL,
    rev        INTEGER NOT NULL,
    PRIMARY KEY (run, step, number, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoint (
    run              INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    step             INTEGER NOT NULL,
    kind             TEXT    NOT NULL,
    attempt          INTEGER NOT NULL,
    folder           TEXT    NOT NULL,
    weights_sha256   TEXT    NOT NULL,
    optimizer_sha256 TEXT    NOT NULL,
    state_sha256     TEXT    NOT NULL,
    bytes            INTEGER NOT NULL,
    rev              INTEGER NOT NULL,
    PRIMARY KEY (run, step, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    id      INTEGER PRIMARY KEY,
    run     INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    step    INTEGER NOT NULL,
    seconds REAL    NOT NULL,
    at      REAL    NOT NULL,
    kind    TEXT    NOT NULL,
    text    TEXT    NOT NULL,
    data    TEXT    NOT NULL,                  -- JSON or empty
    rev     INTEGER NOT NULL
) STRICT;
CREATE INDEX event_by_run ON event (run, rev);

-- Answers to the requests of FILE.heddle.inbox; request is the request's random number.
CREATE TABLE answer (
    request INTEGER PRIMARY KEY,
    ok      INTEGER NOT NULL CHECK (ok IN (0, 1)),
    text    TEXT    NOT NULL,
    at      REAL    NOT NULL,
    rev     INTEGER NOT NULL
) STRICT;

-- What the user keeps beside the runs: saved variants, colours, pins, data definitions.
CREATE TABLE item (
    kind    TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    body    TEXT    NOT NULL,                  -- JSON
    changed REAL    NOT NULL,
    rev     INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- Lookup tables with which the views decode 'f32' chunks in plain SQL.
CREATE TABLE lookup_position (i INTEGER PRIMARY KEY) STRICT;
INSERT INTO lookup_position
WITH RECURSIVE count (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM count WHERE i < 4095) SELECT i FROM count;

CREATE TABLE lookup_byte (byte BLOB PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO lookup_byte
WITH every (byte) AS (SELECT x'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF')
SELECT substr(byte, i + 1, 1), i FROM every, lookup_position WHERE i < 256;

-- The nine upper bits (sign, exponent) of a number: what its 23-bit fraction, with the hidden bit, is multiplied by.
-- Powers of two by repeated halving and doubling, so that every factor is exact.
CREATE TABLE lookup_exponent (bits INTEGER PRIMARY KEY, factor REAL NOT NULL, hidden INTEGER NOT NULL) STRICT;
INSERT INTO lookup_exponent
WITH RECURSIVE down (e, factor) AS (SELECT 150, 1.0 UNION ALL SELECT e - 1, factor / 2.0 FROM down WHERE e > 1),
               up (e, factor) AS (SELECT 151, 2.0 UNION ALL SELECT e + 1, factor * 2.0 FROM up WHERE e < 254),
               positive (e, factor, hidden) AS (
                   SELECT e, factor, 8388608 FROM down UNION ALL SELECT e, factor, 8388608 FROM up
                   UNION ALL SELECT 0, factor, 0 FROM down WHERE e = 1
                   UNION ALL SELECT 255, 9e999, 0)
SELECT e, factor, hidden FROM positive UNION ALL SELECT e + 256, -factor, hidden FROM positive;

-- Views: the tables that people and scripts should query.

CREATE VIEW v_runs AS
SELECT id AS run, name, state, reason, variant_hash, run_hash,
       CASE WHEN seed >= 0 THEN seed ELSE printf('%u', seed) END AS seed,
       created, datetime(created, 'unixepoch') AS created_utc, attempts, step, epoch, total_steps, parameters, seconds,
       lineage, run_group, tags, trashed, spec, rev
FROM run;

CREATE VIEW v_attempts AS
SELECT r.id AS run, a.attempt, a.started, a.seconds, a.first_step, a.device, a.host, a.program, a.torch, a.threads, a.context,
       a.peak_bytes, a.replay, a.replayed_steps, a.rev
FROM run AS r JOIN attempt AS a ON a.run = r.num;

CREATE VIEW v_series AS
SELECT r.id AS run, s.name, s.path, s.attempt, s.deterministic, s.points, s.first_step, s.last_step, s.rev
FROM run AS r JOIN series AS s ON s.run = r.num;

-- Every stored point of every attempt. CROSS JOIN fixes the order of the loops: run, series, chunk, position, lookups.
-- newest is 1 unless a later attempt has a value for the same step. NaN is NULL, the infinities are ±9e999.
CREATE VIEW v_points AS
SELECT r.id AS run, s.name, s.path, s.attempt, c.first_step + c.stride * p.i AS step,
       CASE WHEN e.bits & 255 < 255 THEN (e.hidden + b0.value + 256 * b1.value + 65536 * (b2.value & 127)) * e.factor
            WHEN b0.value + b1.value + (b2.value & 127) = 0 THEN e.factor END AS value,
       NOT EXISTS (SELECT 1 FROM series AS later CROSS JOIN chunk AS other ON other.series = later.num
                   WHERE later.run = s.run AND later.name = s.name AND later.path = s.path AND later.attempt > s.attempt
                     AND other.first_step <= c.first_step + c.stride * p.i
                     AND other.first_step + other.stride * (other.n - 1) >= c.first_step + c.stride * p.i
                     AND (c.first_step + c.stride * p.i - other.first_step) % other.stride = 0) AS newest
FROM run AS r
     CROSS JOIN series AS s ON s.run = r.num
     CROSS JOIN chunk AS c ON c.series = s.num AND c.codec = 'f32'
     CROSS JOIN lookup_position AS p ON p.i < c.n
     CROSS JOIN lookup_byte AS b0 ON b0.byte = substr(c.data, 4 * p.i + 1, 1)
     CROSS JOIN lookup_byte AS b1 ON b1.byte = substr(c.data, 4 * p.i + 2, 1)
     CROSS JOIN lookup_byte AS b2 ON b2.byte = substr(c.data, 4 * p.i + 3, 1)
     CROSS JOIN lookup_byte AS b3 ON b3.byte = substr(c.data, 4 * p.i + 4, 1)
     CROSS JOIN lookup_exponent AS e ON e.bits = 2 * b3.value + (b2.value >> 7);

-- The curve that the studio draws: of several attempts the newest one that has the step.
CREATE VIEW v_curve AS
SELECT run, name, path, attempt, step, value FROM v_points WHERE newest;

CREATE VIEW v_evaluations AS
SELECT r.id AS run, e.step, e.epoch, e.split, e.metric, e.value, e.n, e.signature, e.seconds, e.attempt,
       NOT EXISTS (SELECT 1 FROM evaluation AS later WHERE later.run = e.run AND later.step = e.step AND later.split = e.split
                     AND later.metric = e.metric AND later.attempt > e.attempt) AS newest, e.rev
FROM run AS r JOIN evaluation AS e ON e.run = r.num;

CREATE VIEW v_histograms AS
SELECT r.id AS run, h.name, h.path, h.step, h.attempt, h.low, h.high, h.bins, h.below, h.above, h.not_finite, h.mean,
       h.deviation, h.minimum, h.maximum, h.codec, h.data, h.rev
FROM run AS r JOIN histogram AS h ON h.run = r.num;

CREATE VIEW v_maps AS
SELECT r.id AS run, m.name, m.path, m.probe, m.step, m.attempt, m.heads, m.rows, m.columns, t.tokens AS row_tokens,
       u.tokens AS column_tokens, m.codec, m.bytes, m.data, m.rev
FROM run AS r JOIN map AS m ON m.run = r.num JOIN token_list AS t ON t.id = m.row_tokens
     JOIN token_list AS u ON u.id = m.column_tokens;

CREATE VIEW v_samples AS
SELECT r.id AS run, s.step, s.number, s.attempt, s.source, s.reference, s.hypothesis, s.rev
FROM run AS r JOIN sample AS s ON s.run = r.num;

CREATE VIEW v_checkpoints AS
SELECT r.id AS run, c.step, c.kind, c.attempt, c.folder, c.weights_sha256, c.optimizer_sha256, c.state_sha256, c.bytes, c.rev
FROM run AS r JOIN checkpoint AS c ON c.run = r.num;

CREATE VIEW v_events AS
SELECT r.id AS run, e.attempt, e.step, e.seconds, e.at, datetime(e.at, 'unixepoch') AS at_utc, e.kind, e.text, e.data, e.rev, e.id
FROM run AS r JOIN event AS e ON e.run = r.num;

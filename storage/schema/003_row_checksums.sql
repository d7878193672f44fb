-- SPDX-License-Identifier: Apache-2.0
-- Every row that people read as a result has a checksum, and its parent row has the number of such rows: a flipped bit is
-- shown as damage, never as a number or a missing row. Existing rows get checksums as they are (a copy was made before).
-- The lists of columns are those of storage/record_tables.cpp at schema 3.

ALTER TABLE meta ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN items INTEGER NOT NULL DEFAULT 0;
UPDATE meta SET runs = (SELECT count(*) FROM run), items = (SELECT count(*) FROM item);

ALTER TABLE attempt ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE attempt SET row_checksum = heddle_row_checksum(run, attempt, started, seconds, first_step, device, host, program, torch,
    threads, context, peak_bytes, replay, replayed_steps);

ALTER TABLE series ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;  -- rows of table chunk
ALTER TABLE series ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE series SET chunks = (SELECT count(*) FROM chunk WHERE chunk.series = series.num);
UPDATE series SET row_checksum = heddle_row_checksum(run, name, path, attempt, deterministic, points, first_step, last_step,
    chunks);

ALTER TABLE evaluation ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE evaluation SET row_checksum = heddle_row_checksum(run, step, split, metric, attempt, epoch, value, n, signature,
    seconds);

-- checksum is over the numbers and the blob; the row's is over that, the names and, of a map, the tokens.
ALTER TABLE histogram ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE histogram SET row_checksum = heddle_row_checksum(run, name, path, step, attempt, low, high, below, above, not_finite,
    mean, deviation, minimum, maximum, bins, codec, checksum);

ALTER TABLE map ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE map SET row_checksum = heddle_row_checksum(run, name, path, probe, step, attempt, heads, rows, columns, codec, bytes,
    checksum, row_tokens, column_tokens, (SELECT tokens FROM token_list WHERE id = map.row_tokens),
    (SELECT tokens FROM token_list WHERE id = map.column_tokens));

ALTER TABLE sample ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE sample SET row_checksum = heddle_row_checksum(run, step, number, attempt, source, reference, hypothesis);

ALTER TABLE checkpoint ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE checkpoint SET row_checksum = heddle_row_checksum(run, step, kind, attempt, folder, weights_sha256, optimizer_sha256,
    state_sha256, bytes);

ALTER TABLE event ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE event SET row_checksum = heddle_row_checksum(run, attempt, step, seconds, at, kind, text, data);

ALTER TABLE item ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE item SET row_checksum = heddle_row_checksum(kind, key, body, changed);

-- When users last changed what: {"name": Unix time, "trashed": …, "tags": {"paper": …}}; a later request with an earlier time
-- changes nothing.
ALTER TABLE run ADD COLUMN edits TEXT NOT NULL DEFAULT '{}';
ALTER TABLE run ADD COLUMN n_attempt INTEGER NOT NULL DEFAULT 0;  -- rows of the run in table attempt, and so on
ALTER TABLE run ADD COLUMN n_series INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN n_evaluation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN n_histogram INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN n_map INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN n_sample INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN n_checkpoint INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN n_event INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
UPDATE run SET n_attempt = (SELECT count(*) FROM attempt WHERE attempt.run = num),
    n_series = (SELECT count(*) FROM series WHERE series.run = run.num),
    n_evaluation = (SELECT count(*) FROM evaluation WHERE evaluation.run = num),
    n_histogram = (SELECT count(*) FROM histogram WHERE histogram.run = num),
    n_map = (SELECT count(*) FROM map WHERE map.run = num),
    n_sample = (SELECT count(*) FROM sample WHERE sample.run = num),
    n_checkpoint = (SELECT count(*) FROM checkpoint WHERE checkpoint.run = num),
    n_event = (SELECT count(*) FROM event WHERE event.run = num);
UPDATE run SET row_checksum = heddle_row_checksum(num, id, name, state, reason, spec, variant_hash, run_hash, seed, created,
    attempts, step, epoch, total_steps, parameters, seconds, lineage, run_group, tags, trashed, queued, edits, n_attempt,
    n_series, n_evaluation, n_histogram, n_map, n_sample, n_checkpoint, n_event);

-- v_points gives each step once; what an earlier attempt had recorded for a replayed step is in v_all_points.
DROP VIEW v_curve;
DROP VIEW v_points;

-- Every stored point of every attempt. CROSS JOIN fixes the order of the loops: run, series, chunk, position, lookups.
-- newest is 1 unless a later attempt has a value for the same step. NaN is NULL, the infinities are ±9e999.
CREATE VIEW v_all_points AS
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
CREATE VIEW v_points AS
SELECT run, name, path, attempt, step, value FROM v_all_points WHERE newest;

CREATE VIEW v_curve AS  -- its name in schemas 1 and 2
SELECT run, name, path, attempt, step, value FROM v_points;

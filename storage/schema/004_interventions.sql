-- SPDX-License-Identifier: Apache-2.0
-- From the step of its first intervention on, a run is not comparable with others. The events of kind "intervention" list the
-- interventions. The lists of columns are those of storage/record_tables.cpp at schemas 3 and 4; a row that was damaged stays
-- damaged.

ALTER TABLE run ADD COLUMN intervened INTEGER;  -- the step after which interventions first were in force; NULL: never
UPDATE run SET row_checksum = heddle_row_checksum(num, id, name, state, reason, spec, variant_hash, run_hash, seed, created,
    attempts, step, epoch, total_steps, parameters, seconds, lineage, run_group, tags, trashed, queued, edits, intervened,
    n_attempt, n_series, n_evaluation, n_histogram, n_map, n_sample, n_checkpoint, n_event)
WHERE row_checksum = heddle_row_checksum(num, id, name, state, reason, spec, variant_hash, run_hash, seed, created, attempts,
    step, epoch, total_steps, parameters, seconds, lineage, run_group, tags, trashed, queued, edits, n_attempt, n_series,
    n_evaluation, n_histogram, n_map, n_sample, n_checkpoint, n_event);

DROP VIEW v_runs;
CREATE VIEW v_runs AS
SELECT id AS run, name, state, reason, variant_hash, run_hash,
       CASE WHEN seed >= 0 THEN seed ELSE printf('%u', seed) END AS seed,
       created, datetime(created, 'unixepoch') AS created_utc, attempts, step, epoch, total_steps, parameters, seconds,
       lineage, run_group, tags, trashed, queued, spec, rev, intervened
FROM run;

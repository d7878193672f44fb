-- SPDX-License-Identifier: Apache-2.0
-- The position of a run in the queue: runs in state queued start in the order of this column, which can be changed.

ALTER TABLE run ADD COLUMN queued REAL NOT NULL DEFAULT 0.0;
UPDATE run SET queued = created;

DROP VIEW v_runs;
CREATE VIEW v_runs AS
SELECT id AS run, name, state, reason, variant_hash, run_hash,
       CASE WHEN seed >= 0 THEN seed ELSE printf('%u', seed) END AS seed,
       created, datetime(created, 'unixepoch') AS created_utc, attempts, step, epoch, total_steps, parameters, seconds,
       lineage, run_group, tags, trashed, queued, spec, rev
FROM run;

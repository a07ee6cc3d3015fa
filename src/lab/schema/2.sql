-- Version 2: one row a run, looking up a statistic over all runs, and sweeps that share a store.

CREATE INDEX stat_value_by_stat ON stat_value (stat, run);

-- Who is running a point right now, so that two sweeps do not both run it. A claim of a process that
-- is gone counts for nothing.
CREATE TABLE claim (
    key        TEXT PRIMARY KEY,
    host       TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    process_id TEXT NOT NULL -- when the process began, as the host counts: numbers are used again
);

-- Looked up one by one, so that only the columns that a query names cost anything.
CREATE VIEW results AS
    SELECT r.id, r.state, r.workload, r.size, r.seed, r.gpu, r.scheduler, r.l1d, r.settings,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'cycles')) AS cycles,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'warp_insts')) AS warp_insts,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'thread_insts')) AS thread_insts,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'ipc')) AS ipc,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'l1d.loads')) AS l1d_loads,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'l1d.hits')) AS l1d_hits,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'l1d.merges')) AS l1d_merges,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'l1d.misses')) AS l1d_misses,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'l1d.bypasses')) AS l1d_bypasses,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'l1d.mpki')) AS l1d_mpki,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'l2.misses')) AS l2_misses,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'noc.flits_up')) AS noc_flits_up,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'noc.flits_down')) AS noc_flits_down,
           (SELECT value FROM stat_value WHERE run = r.id
                AND stat = (SELECT id FROM stat_name WHERE name = 'dram.bytes')) AS dram_bytes,
           r.verified, r.message, r.seconds, r.stored_at, r.model
    FROM run r;

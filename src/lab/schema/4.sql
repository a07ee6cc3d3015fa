-- Version 4: all that a run prints, what it was run with, and which sources its result depends on. The views
-- `results` and `kernels` are written by store_views.c: their columns follow what the store holds.

ALTER TABLE run ADD COLUMN atomics TEXT;
ALTER TABLE run ADD COLUMN criticality TEXT;
ALTER TABLE run ADD COLUMN command TEXT; -- the `heddle run` that repeats it, for a shell; NULL = not known
-- Digests of the sources of the mechanisms and of the workload that the run used, a JSON object such as
-- {"scheduler gto": "52a1..."}. `model` is the version of the sources that every run uses.
ALTER TABLE run ADD COLUMN parts TEXT NOT NULL DEFAULT '{}';

UPDATE run SET
    atomics = (SELECT json_extract(parameters, '$."atomics.unit"') FROM config WHERE config.id = run.config);

-- What the size stands for, parameter by parameter.
CREATE TABLE inputs (
    run   INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name  TEXT NOT NULL,
    value, -- a number or a word
    PRIMARY KEY (run, name)
) WITHOUT ROWID;

-- The statistics of each kernel, over all its launches.
CREATE TABLE kernel (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    position INTEGER NOT NULL, -- 0 = launched first
    name     TEXT NOT NULL,
    UNIQUE (run, position)
);

CREATE TABLE kernel_value (
    kernel INTEGER NOT NULL REFERENCES kernel (id) ON DELETE CASCADE,
    stat   INTEGER NOT NULL REFERENCES stat_name (id),
    value  NUMERIC,
    PRIMARY KEY (kernel, stat)
) WITHOUT ROWID;

-- A time series: what was counted in the cycles up to `cycle`.
CREATE TABLE series_value (
    run   INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    stat  INTEGER NOT NULL REFERENCES stat_name (id),
    cycle INTEGER NOT NULL,
    value NUMERIC,
    PRIMARY KEY (run, stat, cycle)
) WITHOUT ROWID;

-- Whatever else the document of `heddle run --json` holds, as JSON: "per_pc", "attribution", ...
CREATE TABLE details (
    run   INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;

CREATE VIEW kernel_stats AS
    SELECT k.run, k.position, k.name AS kernel, n.name, v.value, n.unit
    FROM kernel k JOIN kernel_value v ON v.kernel = k.id JOIN stat_name n ON n.id = v.stat;

CREATE VIEW series AS
    SELECT v.run, v.cycle, n.name, v.value, n.unit
    FROM series_value v JOIN stat_name n ON n.id = v.stat;

-- What each load and store did at L1D, where runs were asked for it.
CREATE VIEW per_pc AS
    SELECT d.run, json_extract(p.value, '$.kernel') AS kernel, json_extract(p.value, '$.pc') AS pc,
           json_extract(p.value, '$.source_file') AS source_file,
           json_extract(p.value, '$.source_line') AS source_line,
           json_extract(p.value, '$.instruction') AS instruction, j.key AS name, j.value AS value
    FROM details d, json_each(d.value) p, json_each(p.value) j
    WHERE d.name = 'per_pc' AND j.key NOT IN ('kernel', 'pc', 'source_file', 'source_line', 'instruction');

DROP VIEW results;

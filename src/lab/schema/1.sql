-- Version 1: results, their configurations and statistics.

-- A machine: every parameter, as one JSON object of name: value. Many runs share one.
CREATE TABLE config (
    id         INTEGER PRIMARY KEY,
    hash       TEXT NOT NULL UNIQUE, -- SHA-256 of `parameters`
    parameters TEXT NOT NULL
);

-- A point of an experiment that was run.
CREATE TABLE run (
    id             INTEGER PRIMARY KEY,
    key            TEXT NOT NULL UNIQUE, -- of machine, workload, input and model: see doc/experiments.md
    state          TEXT NOT NULL CHECK (state IN ('done', 'failed')),
    workload       TEXT NOT NULL,
    size           TEXT NOT NULL,
    seed           INTEGER NOT NULL,
    gpu            TEXT,
    mode           TEXT, -- timing or functional
    scheduler      TEXT,
    l1d            TEXT,
    l2             TEXT,
    settings       TEXT NOT NULL, -- what was changed of the GPU: name=value, separated by blanks
    model          TEXT NOT NULL, -- version of everything that may move a number
    heddle_version TEXT,
    input_hash     TEXT,
    output_hash    TEXT,
    verified       INTEGER NOT NULL,
    exit_status    INTEGER NOT NULL, -- as of `heddle run`; 128 + n after signal n
    message        TEXT,             -- what went wrong
    seconds        REAL NOT NULL,    -- of the host
    stored_at      TEXT NOT NULL,    -- UTC
    config         INTEGER REFERENCES config (id)
);

CREATE TABLE stat_name (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    unit TEXT NOT NULL
);

CREATE TABLE stat_value (
    run   INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    stat  INTEGER NOT NULL REFERENCES stat_name (id),
    value NUMERIC,
    PRIMARY KEY (run, stat)
) WITHOUT ROWID;

CREATE VIEW stats AS
    SELECT v.run, n.name, v.value, n.unit
    FROM stat_value v JOIN stat_name n ON n.id = v.stat;

CREATE VIEW parameters AS
    SELECT r.id AS run, j.key AS name, j.value AS value
    FROM run r JOIN config c ON c.id = r.config, json_each(c.parameters) j;

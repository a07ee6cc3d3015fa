-- Version 5: how far the sweeps are that run now. A row of a process that is gone counts for nothing.
CREATE TABLE sweep (
    host       TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    process_id TEXT NOT NULL, -- when the process began, as in `claim`
    points     INTEGER NOT NULL,
    done       INTEGER NOT NULL, -- stored before, or run by this sweep
    run        INTEGER NOT NULL, -- of those: by this sweep
    running    INTEGER NOT NULL,
    seconds    REAL NOT NULL, -- since the sweep began
    PRIMARY KEY (host, pid)
) WITHOUT ROWID;

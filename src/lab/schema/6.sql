-- Version 6: of each mechanism that a plug-in brought, the build that was used last. Results of earlier builds are old.
CREATE TABLE plugin_build (
    name     TEXT PRIMARY KEY, -- as in `run.parts`: "cache policy thrifty"
    digest   TEXT NOT NULL,    -- of the shared object
    noted_at TEXT NOT NULL
) WITHOUT ROWID;

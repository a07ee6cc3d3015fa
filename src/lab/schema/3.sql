-- Version 3: a result may come from the replay of a trace. It is as exact, but nothing was computed, so
-- nothing was verified.
ALTER TABLE run ADD COLUMN replayed INTEGER NOT NULL DEFAULT 0;

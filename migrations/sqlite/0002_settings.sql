-- What librarians decide: rules, calendar, the library's own settings. Every save stays; the newest holds.

CREATE TABLE settings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('rules', 'calendar', 'library')),
    -- from which day on rules hold
    effective_from TEXT,
    -- JSON
    data TEXT NOT NULL,
    saved_at INTEGER NOT NULL,
    saved_by INTEGER NOT NULL REFERENCES users (id),
    CHECK ((kind = 'rules') = (effective_from IS NOT NULL))
) STRICT;
CREATE INDEX settings_of_kind ON settings (kind, id);

-- One row counts the saves: servers keep the settings in memory, and read this number to see that they still hold.
CREATE TABLE settings_version (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
INSERT INTO settings_version (id, version) VALUES (1, 0);

-- Whose rules hold for a person (R-RULE-2).
ALTER TABLE users ADD COLUMN category TEXT NOT NULL DEFAULT 'Student';

-- The library's own wording of a mail is a document of the settings: `mail:` and the kind of the mail.

CREATE TABLE new_settings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('rules', 'calendar', 'library', 'notices') OR kind LIKE 'mail:%'),
    -- from which day on rules hold
    effective_from TEXT,
    -- JSON
    data TEXT NOT NULL,
    saved_at INTEGER NOT NULL,
    saved_by INTEGER NOT NULL REFERENCES users (id),
    CHECK ((kind = 'rules') = (effective_from IS NOT NULL))
) STRICT;
INSERT INTO new_settings (id, kind, effective_from, data, saved_at, saved_by)
SELECT id, kind, effective_from, data, saved_at, saved_by FROM settings;
DROP TABLE settings;
ALTER TABLE new_settings RENAME TO settings;
CREATE INDEX settings_of_kind ON settings (kind, id);

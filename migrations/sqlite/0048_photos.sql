-- Photos of people, at most one each.

CREATE TABLE photos (
    person_id INTEGER PRIMARY KEY REFERENCES users (id),
    -- hash of the bytes
    version TEXT NOT NULL,
    -- base64
    jpeg TEXT NOT NULL,
    -- the import that brought it, for its undo; null for an upload by hand
    import_id INTEGER,
    added_at INTEGER NOT NULL
) STRICT;
CREATE INDEX imported_photos ON photos (import_id) WHERE import_id IS NOT NULL;

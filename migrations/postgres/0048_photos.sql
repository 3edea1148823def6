-- Photos of people, at most one each.

CREATE TABLE photos (
    person_id BIGINT PRIMARY KEY REFERENCES users (id),
    -- hash of the bytes
    version TEXT COLLATE "C" NOT NULL,
    -- base64
    jpeg TEXT COLLATE "C" NOT NULL,
    -- the import that brought it, for its undo; null for an upload by hand
    import_id BIGINT,
    added_at BIGINT NOT NULL
);
CREATE INDEX imported_photos ON photos (import_id) WHERE import_id IS NOT NULL;

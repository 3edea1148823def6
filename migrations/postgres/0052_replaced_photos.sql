-- Photos that an import replaced, for its undo within a week.

CREATE TABLE replaced_photos (
    import_id BIGINT NOT NULL,
    person_id BIGINT NOT NULL REFERENCES users (id),
    -- hash of the bytes
    version TEXT COLLATE "C" NOT NULL,
    -- base64
    jpeg TEXT COLLATE "C" NOT NULL,
    -- the import that had brought it; null for an upload by hand
    earlier_import_id BIGINT,
    added_at BIGINT NOT NULL,
    replaced_at BIGINT NOT NULL,
    PRIMARY KEY (import_id, person_id)
);
CREATE INDEX replaced_photos_of_person ON replaced_photos (person_id);
CREATE INDEX replaced_photos_of_import ON replaced_photos (earlier_import_id) WHERE earlier_import_id IS NOT NULL;
CREATE INDEX replaced_photos_by_time ON replaced_photos (replaced_at);

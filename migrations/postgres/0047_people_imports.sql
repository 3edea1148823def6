-- Imports of people and of their photos, beside the other kinds.

ALTER TABLE imports DROP CONSTRAINT imports_kind_check;
ALTER TABLE imports ADD CONSTRAINT imports_kind_check CHECK (kind IN ('books', 'loans', 'charges', 'people', 'photos'));

-- People that an import added or changed, until it is undone. No references: it outlives erased people.
CREATE TABLE import_people (
    import_id BIGINT NOT NULL,
    person_id BIGINT NOT NULL,
    -- the change that the import recorded: a later one of the same person prevents the undo
    change_id BIGINT NOT NULL,
    PRIMARY KEY (import_id, person_id)
);

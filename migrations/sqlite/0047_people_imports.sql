-- Imports of people and of their photos, beside the other kinds.

CREATE TABLE new_imports (
    -- rows are never deleted, so no number comes twice
    id INTEGER PRIMARY KEY,
    file_name TEXT NOT NULL,
    -- null for the command line
    by_id INTEGER REFERENCES users (id),
    state TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'done', 'undoing', 'undone')),
    -- 1 while it writes: one at a time
    active INTEGER UNIQUE CHECK (active = 1),
    -- rows of the file
    row_count INTEGER NOT NULL CHECK (row_count >= 0),
    -- rows read so far; of an undo, titles still there
    done INTEGER NOT NULL CHECK (done >= 0),
    added INTEGER NOT NULL,
    more INTEGER NOT NULL,
    copies INTEGER NOT NULL,
    known INTEGER NOT NULL,
    clashes INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    -- CSV with the rejected rows, cut where there are very many
    rejects TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    -- last sign of life
    updated_at INTEGER NOT NULL,
    kind TEXT NOT NULL DEFAULT 'books' CHECK (kind IN ('books', 'loans', 'charges', 'people', 'photos'))
) STRICT;
INSERT INTO new_imports (id, file_name, by_id, state, active, row_count, done, added, more, copies, known, clashes, rejected,
                         rejects, started_at, updated_at, kind)
SELECT id, file_name, by_id, state, active, row_count, done, added, more, copies, known, clashes, rejected,
       rejects, started_at, updated_at, kind
FROM imports;
DROP TABLE imports;
ALTER TABLE new_imports RENAME TO imports;

-- People that an import added or changed, until it is undone. No references: it outlives erased people.
CREATE TABLE import_people (
    import_id INTEGER NOT NULL,
    person_id INTEGER NOT NULL,
    -- the change that the import recorded: a later one of the same person prevents the undo
    change_id INTEGER NOT NULL,
    PRIMARY KEY (import_id, person_id)
) STRICT, WITHOUT ROWID;

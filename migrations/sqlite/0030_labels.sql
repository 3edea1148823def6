-- Labels: batches that were printed, and the library's own sheets.

CREATE TABLE label_batches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    by_id INTEGER NOT NULL REFERENCES users (id),
    -- name of the sheet at the time of printing
    sheet TEXT NOT NULL
) STRICT;

-- Copies on the labels of a batch; a copy in none has no label yet.
CREATE TABLE label_batch_copies (
    batch_id INTEGER NOT NULL REFERENCES label_batches (id),
    copy_id INTEGER NOT NULL REFERENCES copies (id),
    PRIMARY KEY (batch_id, copy_id)
) STRICT;
CREATE INDEX label_batches_of_copy ON label_batch_copies (copy_id);

CREATE TABLE label_sheets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- lower-case: one sheet has a name, without regard to case
    name_key TEXT NOT NULL UNIQUE,
    -- its measures, JSON
    data TEXT NOT NULL
) STRICT;

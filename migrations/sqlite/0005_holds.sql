-- Waiting lists: who waits for which title, and which copy is kept for whom.

CREATE TABLE holds (
    -- rows are never deleted, so no number comes twice
    id INTEGER PRIMARY KEY,
    -- no reference: a hold outlives a deleted book, and carries the title
    book_id INTEGER NOT NULL,
    title TEXT NOT NULL,
    -- null once it is forgotten who it was (R-PEOPLE-10)
    user_id INTEGER REFERENCES users (id),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'ready', 'fulfilled', 'expired', 'cancelled')),
    -- the place in the line is counted by this, then by id
    queue_key INTEGER NOT NULL,
    placed_at INTEGER NOT NULL,
    -- the copy that is kept, or was kept last
    copy_id INTEGER REFERENCES copies (id),
    -- the last day on which it is kept
    ready_until TEXT,
    ended_at INTEGER,
    CHECK ((state IN ('waiting', 'ready')) = (ended_at IS NULL)),
    CHECK (user_id IS NOT NULL OR ended_at IS NOT NULL),
    CHECK (state <> 'ready' OR (copy_id IS NOT NULL AND ready_until IS NOT NULL)),
    CHECK (state <> 'waiting' OR (copy_id IS NULL AND ready_until IS NULL))
) STRICT;
-- A person waits once for a title, and a copy is kept for one person.
CREATE UNIQUE INDEX open_hold_of_person ON holds (user_id, book_id) WHERE state IN ('waiting', 'ready');
CREATE UNIQUE INDEX ready_hold_of_copy ON holds (copy_id) WHERE state = 'ready';
CREATE INDEX open_holds ON holds (book_id, queue_key, id) WHERE state IN ('waiting', 'ready');
CREATE INDEX ready_holds ON holds (ready_until, id) WHERE state = 'ready';
CREATE INDEX holds_of_person ON holds (user_id, id);

-- Work that one server at a time does for all: a lease that is past may be taken by another.
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    ends_at INTEGER NOT NULL
) STRICT;

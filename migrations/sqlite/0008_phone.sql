-- Phones that scan for a desk (R-DESK-9): a phone can do nothing else, and ends with the desk's session.

-- a page of a browser at which scans are decided
CREATE TABLE desks (
    id INTEGER PRIMARY KEY,
    session_hash TEXT NOT NULL REFERENCES sessions (token_hash) ON DELETE CASCADE,
    -- which page of the session's browser
    name TEXT NOT NULL,
    -- the number of its newest scan
    scans INTEGER NOT NULL DEFAULT 0,
    -- counts who has listened: the last one is the desk, and earlier ones stop
    streams INTEGER NOT NULL DEFAULT 0,
    UNIQUE (session_hash, name)
) STRICT;

CREATE TABLE phones (
    id INTEGER PRIMARY KEY,
    desk_id INTEGER NOT NULL REFERENCES desks (id) ON DELETE CASCADE,
    -- SHA-256
    token_hash TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    -- null until a phone has opened the code
    opened_at INTEGER,
    expires_at INTEGER NOT NULL,
    -- the number of its newest answer
    answers INTEGER NOT NULL DEFAULT 0,
    streams INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX phones_by_desk ON phones (desk_id);
CREATE INDEX phones_by_expiry ON phones (expires_at);

CREATE TABLE phone_scans (
    id INTEGER PRIMARY KEY,
    desk_id INTEGER NOT NULL REFERENCES desks (id) ON DELETE CASCADE,
    -- rises by one with each scan for the desk
    number INTEGER NOT NULL,
    phone_id INTEGER NOT NULL REFERENCES phones (id) ON DELETE CASCADE,
    -- the scan's idempotency key
    key TEXT NOT NULL,
    code TEXT NOT NULL,
    -- JSON; null until the desk has decided
    answer TEXT,
    -- rises by one with each answer to the phone
    answer_number INTEGER,
    UNIQUE (desk_id, number),
    UNIQUE (phone_id, key),
    UNIQUE (phone_id, answer_number)
) STRICT;

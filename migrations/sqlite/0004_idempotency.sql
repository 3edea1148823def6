-- The answers of writes that came with an Idempotency-Key, so that a repeat gets the first one's; kept for 48 hours.
CREATE TABLE idempotency (
    -- in the order of time
    id INTEGER PRIMARY KEY,
    -- 0 for a visitor
    user_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    -- SHA-256 of method, path, query and body, without any password
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL,
    etag TEXT,
    location TEXT,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- the key first: the client's keys begin with the time, so that what is written lies together
    UNIQUE (key, user_id)
) STRICT;

-- Sessions that end when nothing is done in them, and that their person can tell apart and end.

-- Those of librarians were good for a month and end here: everybody signs in once more.
DELETE FROM phone_scans;
DELETE FROM phones;
DELETE FROM desks;
CREATE TABLE new_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token_hash TEXT NOT NULL UNIQUE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    -- when something was last done; written once a minute at most
    seen_at INTEGER NOT NULL,
    -- a librarian's moves on with seen_at
    expires_at INTEGER NOT NULL,
    -- whether the browser keeps it when it closes (R-LOGIN-6)
    kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
    -- what the browser says of itself; null where that is not known
    browser TEXT,
    system TEXT
) STRICT;
INSERT INTO new_sessions (token_hash, user_id, created_at, seen_at, expires_at)
SELECT token_hash, user_id, created_at, created_at, expires_at FROM sessions
WHERE user_id IN (SELECT id FROM users WHERE role = 'student')
ORDER BY created_at, token_hash;
DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
CREATE INDEX sessions_of_user ON sessions (user_id);

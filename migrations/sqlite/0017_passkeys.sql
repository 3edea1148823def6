-- Passkeys (Web Authentication). What authenticators name in bytes is kept as base64url.

CREATE TABLE passkeys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    credential_id TEXT NOT NULL UNIQUE,
    -- a COSE key; public, so that reading it opens nothing
    public_key TEXT NOT NULL,
    -- what the authenticator calls the person: random, the same for all passkeys of one person
    user_handle TEXT NOT NULL,
    -- how often the authenticator says that it was used; 0 where it does not count
    sign_count INTEGER NOT NULL,
    -- whether it can be copied to other devices of its person; that never changes
    backup_eligible INTEGER NOT NULL CHECK (backup_eligible IN (0, 1)),
    -- how browsers reach the authenticator, between blanks
    transports TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT;
CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- Challenges that wait for an answer: one for each holder, good once and for five minutes.
CREATE TABLE passkey_challenges (
    -- of the token in the cookie by which the browser is known: its session, its half sign-in, or one of its own
    holder_hash TEXT PRIMARY KEY,
    challenge TEXT NOT NULL,
    -- what a new passkey is to call its person; null where one is used
    user_handle TEXT,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at);

-- A second factor: the key of an authenticator app, the codes for whoever loses it, and sign-ins that wait for a code.

CREATE TABLE authenticators (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    -- Base32; not hashed, because the server computes the codes from it (RFC 6238)
    secret TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    -- null until a right code has shown that the app has the key: before that it counts for nothing
    confirmed_at INTEGER,
    -- the time step of the last code that was taken: neither it nor an earlier one is taken again
    last_step INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Each is good once. Only hashes are kept.
CREATE TABLE recovery_codes (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    PRIMARY KEY (user_id, code_hash)
) STRICT;

-- Whoever gave the right password in a browser and still owes the code.
CREATE TABLE half_sign_ins (
    token_hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- whether the browser is to keep the session when it closes (R-LOGIN-6)
    kept INTEGER NOT NULL CHECK (kept IN (0, 1)),
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX half_sign_ins_of_user ON half_sign_ins (user_id);
CREATE INDEX half_sign_ins_by_expiry ON half_sign_ins (expires_at);

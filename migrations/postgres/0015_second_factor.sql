-- A second factor: the key of an authenticator app, the codes for whoever loses it, and sign-ins that wait for a code.

CREATE TABLE authenticators (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    -- Base32; not hashed, because the server computes the codes from it (RFC 6238)
    secret TEXT COLLATE "C" NOT NULL,
    begun_at BIGINT NOT NULL,
    -- null until a right code has shown that the app has the key: before that it counts for nothing
    confirmed_at BIGINT,
    -- the time step of the last code that was taken: neither it nor an earlier one is taken again
    last_step BIGINT NOT NULL DEFAULT 0
);

-- Each is good once. Only hashes are kept.
CREATE TABLE recovery_codes (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, code_hash)
);

-- Whoever gave the right password in a browser and still owes the code.
CREATE TABLE half_sign_ins (
    token_hash TEXT COLLATE "C" PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- whether the browser is to keep the session when it closes (R-LOGIN-6)
    kept BOOLEAN NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX half_sign_ins_of_user ON half_sign_ins (user_id);
CREATE INDEX half_sign_ins_by_expiry ON half_sign_ins (expires_at);

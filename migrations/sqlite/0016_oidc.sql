-- Sign-in by the college's provider (OpenID Connect).

-- Who at a provider is which person here.
CREATE TABLE oidc_links (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    linked_at INTEGER NOT NULL,
    -- whether the password of the account was asked; without it the link opens no librarian's account
    password_asked INTEGER NOT NULL CHECK (password_asked IN (0, 1)),
    PRIMARY KEY (issuer, subject)
) STRICT;
-- One person has one account at a provider: an address that was given to somebody else opens nothing.
CREATE UNIQUE INDEX oidc_links_of_user ON oidc_links (user_id, issuer);

-- Sign-ins under way, each good once and for some minutes.
CREATE TABLE oidc_flows (
    state_hash TEXT PRIMARY KEY,
    -- of the cookie of the browser that began it
    browser_hash TEXT NOT NULL,
    nonce TEXT NOT NULL,
    verifier TEXT NOT NULL,
    -- where the person wanted to go; empty for their home
    next TEXT NOT NULL,
    kept INTEGER NOT NULL CHECK (kept IN (0, 1)),
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oidc_flows_by_expiry ON oidc_flows (expires_at);

-- Who has proved at the provider who they are, and whose password here is asked for once.
CREATE TABLE oidc_proofs (
    browser_hash TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kept INTEGER NOT NULL CHECK (kept IN (0, 1)),
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oidc_proofs_by_expiry ON oidc_proofs (expires_at);
CREATE INDEX oidc_proofs_of_user ON oidc_proofs (user_id);

-- Sign-in by the college's provider (OpenID Connect).

-- Who at a provider is which person here.
CREATE TABLE oidc_links (
    issuer TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    linked_at BIGINT NOT NULL,
    -- whether the password of the account was asked; without it the link opens no librarian's account
    password_asked BOOLEAN NOT NULL,
    PRIMARY KEY (issuer, subject)
);
-- One person has one account at a provider: an address that was given to somebody else opens nothing.
CREATE UNIQUE INDEX oidc_links_of_user ON oidc_links (user_id, issuer);

-- Sign-ins under way, each good once and for some minutes.
CREATE TABLE oidc_flows (
    state_hash TEXT COLLATE "C" PRIMARY KEY,
    -- of the cookie of the browser that began it
    browser_hash TEXT COLLATE "C" NOT NULL,
    nonce TEXT COLLATE "C" NOT NULL,
    verifier TEXT COLLATE "C" NOT NULL,
    -- where the person wanted to go; empty for their home
    next TEXT COLLATE "C" NOT NULL,
    kept BOOLEAN NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oidc_flows_by_expiry ON oidc_flows (expires_at);

-- Who has proved at the provider who they are, and whose password here is asked for once.
CREATE TABLE oidc_proofs (
    browser_hash TEXT COLLATE "C" PRIMARY KEY,
    issuer TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kept BOOLEAN NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oidc_proofs_by_expiry ON oidc_proofs (expires_at);
CREATE INDEX oidc_proofs_of_user ON oidc_proofs (user_id);

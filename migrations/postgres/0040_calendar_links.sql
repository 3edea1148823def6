-- Links to a person's due dates for calendar programs, by the hash of their token.
CREATE TABLE calendar_links (
    person_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    token_hash TEXT COLLATE "C" NOT NULL UNIQUE,
    made_at BIGINT NOT NULL
);

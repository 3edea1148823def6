-- Undo at once: a write tells the change that takes it back, and a deleted book is kept until the day ends.

-- The change that can be undone, as the answer told it.
ALTER TABLE idempotency ADD COLUMN change_id BIGINT;

CREATE TABLE deleted_books (
    id BIGINT PRIMARY KEY,
    deleted_at BIGINT NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    genre TEXT COLLATE "C" NOT NULL,
    photo_url TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    no_of_books BIGINT NOT NULL,
    location TEXT COLLATE "C" NOT NULL,
    rating BIGINT,
    isbn TEXT COLLATE "C",
    published_year BIGINT,
    language TEXT COLLATE "C",
    version BIGINT NOT NULL,
    import_key TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);

CREATE TABLE deleted_reviews (
    id BIGINT PRIMARY KEY,
    book_id BIGINT NOT NULL REFERENCES deleted_books (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL,
    user_name TEXT COLLATE "C" NOT NULL,
    rating BIGINT NOT NULL,
    comment TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX deleted_reviews_of_book ON deleted_reviews (book_id);
CREATE INDEX deleted_reviews_of_user ON deleted_reviews (user_id);

-- What the copies of a deleted title were before.
CREATE TABLE deleted_copies (
    id BIGINT PRIMARY KEY,
    book_id BIGINT NOT NULL REFERENCES deleted_books (id) ON DELETE CASCADE,
    barcode TEXT COLLATE "C" NOT NULL,
    barcode_key TEXT COLLATE "C" NOT NULL,
    condition TEXT COLLATE "C" NOT NULL,
    -- what the deletion left of it
    left_as TEXT COLLATE "C" NOT NULL,
    -- the loan that was open
    loan_id BIGINT
);
CREATE INDEX deleted_copies_of_book ON deleted_copies (book_id);

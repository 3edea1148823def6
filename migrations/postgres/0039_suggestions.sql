-- Suggestions counted from loans once a week; books are ids, JSON, the best first.

CREATE TABLE also_borrowed (
    book_id BIGINT PRIMARY KEY,
    books TEXT COLLATE "C" NOT NULL
);

CREATE TABLE popular_in_department (
    department TEXT COLLATE "C" PRIMARY KEY,
    books TEXT COLLATE "C" NOT NULL
);

-- the library's day of the last count; NULL: none
ALTER TABLE catalogue ADD COLUMN suggestions_on TEXT COLLATE "C";

-- readers whose loans are not counted, by their own choice
CREATE TABLE uncounted_readers (
    person_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE
);

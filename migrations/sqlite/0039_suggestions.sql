-- Suggestions counted from loans once a week; books are ids, JSON, the best first.

CREATE TABLE also_borrowed (
    book_id INTEGER PRIMARY KEY,
    books TEXT NOT NULL
) STRICT;

CREATE TABLE popular_in_department (
    department TEXT PRIMARY KEY,
    books TEXT NOT NULL
) STRICT;

-- the library's day of the last count; NULL: none
ALTER TABLE catalogue ADD COLUMN suggestions_on TEXT;

-- readers whose loans are not counted, by their own choice
CREATE TABLE uncounted_readers (
    person_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE
) STRICT;

-- Publication data, call number and the price of a title's copies.
ALTER TABLE books ADD COLUMN publisher TEXT NOT NULL DEFAULT '';
ALTER TABLE books ADD COLUMN edition TEXT NOT NULL DEFAULT '';
ALTER TABLE books ADD COLUMN call_number TEXT NOT NULL DEFAULT '';
ALTER TABLE books ADD COLUMN price BIGINT;
ALTER TABLE deleted_books ADD COLUMN publisher TEXT NOT NULL DEFAULT '';
ALTER TABLE deleted_books ADD COLUMN edition TEXT NOT NULL DEFAULT '';
ALTER TABLE deleted_books ADD COLUMN call_number TEXT NOT NULL DEFAULT '';
ALTER TABLE deleted_books ADD COLUMN price BIGINT;

-- Titles that were added by their ISBN and wait for a description.
CREATE INDEX books_not_described ON books (id) WHERE description = '';

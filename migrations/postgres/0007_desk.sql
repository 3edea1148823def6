-- What the desk needs to know of a loan, and finding a title by its ISBN.

-- when it was lent, epoch milliseconds; null for loans from before
ALTER TABLE loans ADD COLUMN begun_at BIGINT;
CREATE INDEX books_by_isbn ON books (isbn) WHERE isbn IS NOT NULL;

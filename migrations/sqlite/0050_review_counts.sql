-- Number of a title's reviews and the sum of their stars, so that lists show the readers' average without reading reviews.

ALTER TABLE books ADD COLUMN review_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE books ADD COLUMN rating_sum INTEGER NOT NULL DEFAULT 0;
UPDATE books
SET review_count = (SELECT COUNT(*) FROM reviews WHERE book_id = books.id),
    rating_sum = (SELECT SUM(rating) FROM reviews WHERE book_id = books.id)
WHERE id IN (SELECT book_id FROM reviews);

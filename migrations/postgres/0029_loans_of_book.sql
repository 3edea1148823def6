-- Loans of a title, counted for the order of search results.
CREATE INDEX loans_of_book ON loans (book_id);

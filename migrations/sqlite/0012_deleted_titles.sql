-- A copy of a deleted title has no key any more, and may still be on loan: the desk finds it by its barcode.
CREATE INDEX copies_of_deleted_titles ON copies (lower(barcode)) WHERE barcode_key IS NULL;

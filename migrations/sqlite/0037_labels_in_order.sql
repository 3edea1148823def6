-- Labels are printed and exported in the order of their barcodes, shorter ones first: without an index, each portion of an
-- export sorted all copies anew.
CREATE INDEX copies_by_label ON copies (LENGTH(barcode_key), barcode_key) WHERE barcode_key IS NOT NULL;

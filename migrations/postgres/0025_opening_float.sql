-- Cash that was in the till before the first payment of a closing, in the currency's smallest unit.
ALTER TABLE closings ADD COLUMN opening BIGINT NOT NULL DEFAULT 0 CHECK (opening >= 0);

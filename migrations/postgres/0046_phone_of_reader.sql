-- A reader's own phone, for calls from the desk and for text messages to readers without a confirmed email address.

ALTER TABLE users ADD COLUMN phone TEXT COLLATE "C";

-- The library's own wording of a mail is a document of the settings: `mail:` and the kind of the mail.

ALTER TABLE settings DROP CONSTRAINT settings_kind_check;
ALTER TABLE settings ADD CONSTRAINT settings_kind_check
    CHECK (kind IN ('rules', 'calendar', 'library', 'notices') OR kind LIKE 'mail:%');

-- Time zone in which the library's days begin and end (IANA name), kept at the first start.
CREATE TABLE time_zone (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL
) STRICT;

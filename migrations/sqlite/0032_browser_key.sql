-- Key under which the servers prove that a browser signed in before; made at the first start.
CREATE TABLE browser_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    key TEXT NOT NULL
) STRICT;

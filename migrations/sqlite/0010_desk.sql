-- The desk: what one action did in several changes is undone together.

-- The change that was made just before in the same action: it is undone with this one.
CREATE TABLE linked_changes (
    change_id INTEGER PRIMARY KEY,
    before_id INTEGER NOT NULL
) STRICT;

-- What each resource held when it was last read: its items in order, eight bytes an id and one that says whether it instructs.
CREATE TABLE readings (
    resource_uri TEXT PRIMARY KEY NOT NULL,
    read_at      INTEGER NOT NULL, -- microseconds since 1970 UTC
    items        BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Pictures and videos that agents made. The bytes are files in the folder assets/, named by their id: the sha-256 of what they hold.

CREATE TABLE assets (
    id           TEXT PRIMARY KEY,
    agent_id     TEXT NOT NULL,
    task_id      TEXT NOT NULL,
    content_type TEXT NOT NULL,
    media_type   TEXT NOT NULL,
    storage_uri  TEXT NOT NULL,
    bytes        INTEGER NOT NULL,
    width        INTEGER NOT NULL,
    height       INTEGER NOT NULL,
    platform     TEXT,
    status       TEXT NOT NULL,
    confidence   REAL NOT NULL,
    alt_text     TEXT NOT NULL,
    ai_label     TEXT NOT NULL,
    ai_flag      TEXT,
    created_at   INTEGER NOT NULL,
    parameters   TEXT NOT NULL
) STRICT;
CREATE INDEX assets_of_agent ON assets (agent_id, created_at);

CREATE TABLE videos (
    asset_id               TEXT PRIMARY KEY REFERENCES assets (id),
    duration_ms            INTEGER NOT NULL,
    codec                  TEXT NOT NULL,
    tier                   TEXT NOT NULL,
    character_reference_id TEXT
) STRICT;

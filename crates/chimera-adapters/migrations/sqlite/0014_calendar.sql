-- What a campaign posts on a day that was named before. `status` is waiting, planned, missed (with its reason) or removed.
CREATE TABLE calendar (
    entry_id      TEXT PRIMARY KEY,
    campaign_id   TEXT NOT NULL,
    at            INTEGER NOT NULL, -- microseconds since 1970 UTC, when its task is made
    about         TEXT,
    agent_id      TEXT,
    platform      TEXT,
    content_type  TEXT NOT NULL,
    resource_uris TEXT NOT NULL,    -- JSON list
    status        TEXT NOT NULL,
    reason        TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX calendar_waiting ON calendar (at) WHERE status = 'waiting';
CREATE INDEX calendar_of_campaign ON calendar (campaign_id, at);

-- What all agents together took of a day, from the index alone.
CREATE INDEX model_calls_of_fleet ON model_calls (day, state, held_tokens, input_tokens, output_tokens);

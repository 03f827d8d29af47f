-- Mentions that are answered once, what people did with posts, and what an agent said before.

CREATE TABLE mentions (
    platform    TEXT NOT NULL,
    post_id     TEXT NOT NULL,               -- as the platform names it
    campaign_id TEXT NOT NULL,
    agent_id    TEXT NOT NULL,
    author      TEXT NOT NULL,               -- '' where the platform does not tell
    taken_at    INTEGER NOT NULL,
    PRIMARY KEY (platform, post_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_of_author ON mentions (agent_id, platform, author, taken_at);

ALTER TABLE posts ADD COLUMN readings INTEGER NOT NULL DEFAULT 0;    -- of its engagement: how many are done or given up, of two
ALTER TABLE posts ADD COLUMN read_after INTEGER NOT NULL DEFAULT 0;  -- the next one, not before
ALTER TABLE posts ADD COLUMN readings_put_off INTEGER NOT NULL DEFAULT 0;
UPDATE posts SET readings = 2 WHERE status = 'published';            -- whose time has passed
CREATE INDEX posts_unread ON posts (readings, marked_at) WHERE status = 'published' AND readings < 2;
CREATE INDEX posts_of_agent ON posts (agent_id, number);

CREATE INDEX reviews_pending_of_agent ON reviews (json_extract(review, '$.agent_id')) WHERE status = 'pending';

ALTER TABLE model_calls ADD COLUMN task_id TEXT;
CREATE INDEX model_calls_of_task ON model_calls (task_id) WHERE task_id IS NOT NULL;

-- How much was published lately, by whom.
CREATE INDEX posts_published ON posts (marked_at, agent_id) WHERE status = 'published';

CREATE TABLE engagement (
    post_id TEXT NOT NULL,
    reading TEXT NOT NULL,                   -- 'first' or 'last'
    read_at INTEGER NOT NULL,
    likes   INTEGER NOT NULL,
    reposts INTEGER NOT NULL,
    replies INTEGER NOT NULL,
    PRIMARY KEY (post_id, reading)
) STRICT, WITHOUT ROWID;

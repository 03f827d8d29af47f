-- A post is found by its number, which whoever is to send it or to read its engagement is told with it. The index of its random ids was
-- what a task cost more the more of them there were. That nothing is published twice is said by the task instead, whose number rises.
CREATE TABLE new_posts (
    number           INTEGER PRIMARY KEY,
    task_number      INTEGER NOT NULL,
    post_id          TEXT NOT NULL,
    task_id          TEXT NOT NULL,
    result_id        TEXT NOT NULL,
    campaign_id      TEXT NOT NULL,
    agent_id         TEXT NOT NULL,
    platform         TEXT NOT NULL,
    text             TEXT NOT NULL,
    status           TEXT NOT NULL,
    marked_at        INTEGER,
    media_uri        TEXT,
    reply_to         TEXT,
    not_before       INTEGER NOT NULL DEFAULT 0,
    attempts         INTEGER NOT NULL DEFAULT 0,
    begun_at         INTEGER,                    -- when its sending began
    remote_id        TEXT,                       -- as the platform names it
    url              TEXT,
    reason           TEXT,                       -- why it waits, or was refused
    readings         INTEGER NOT NULL DEFAULT 0, -- of its engagement: how many are done or given up, of two
    read_after       INTEGER NOT NULL DEFAULT 0, -- the next one, not before
    readings_put_off INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO new_posts SELECT posts.number, tasks.number, post_id, posts.task_id, result_id, posts.campaign_id, posts.agent_id, platform, text,
    posts.status, marked_at, media_uri, reply_to, not_before, attempts, begun_at, remote_id, url, posts.reason, readings, read_after,
    readings_put_off FROM posts JOIN tasks USING (task_id) ORDER BY posts.number;
DROP TABLE posts;
ALTER TABLE new_posts RENAME TO posts;

CREATE UNIQUE INDEX posts_of_task ON posts (task_number);
CREATE INDEX posts_of_campaign ON posts (campaign_id, number);
CREATE INDEX posts_of_agent ON posts (agent_id, number);
CREATE INDEX posts_waiting ON posts (not_before, number) WHERE status IN ('approved', 'sending');
CREATE INDEX posts_left ON posts (platform, marked_at) WHERE status = 'published';
CREATE INDEX posts_unread ON posts (readings, marked_at) WHERE status = 'published' AND readings < 2;
CREATE INDEX posts_published ON posts (marked_at, agent_id) WHERE status = 'published';

CREATE TRIGGER events_of_new_posts AFTER INSERT ON posts BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_posts AFTER UPDATE OF status ON posts WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id)
        VALUES ((SELECT at FROM present), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.campaign_id, NEW.agent_id);
END;

-- Every decision asks how many posts a campaign may have: not out of its goal's JSON each time.
ALTER TABLE campaigns ADD COLUMN posts_max INTEGER;
UPDATE campaigns SET posts_max = CAST(json_extract(goal, '$.budget_constraints.posts_max') AS INTEGER);

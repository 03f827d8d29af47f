-- Tasks whose whole life is in `status` (as TaskState names it), campaigns that run and stop, people's answers, and posts that leave.

ALTER TABLE tasks ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
UPDATE tasks SET agent_id = json_extract(task, '$.context.agent_id');
ALTER TABLE tasks ADD COLUMN goal_version INTEGER NOT NULL DEFAULT 1; -- of the campaign, when it was planned
ALTER TABLE tasks ADD COLUMN run_at INTEGER;                          -- not before; NULL once that has come
ALTER TABLE tasks ADD COLUMN held INTEGER NOT NULL DEFAULT 0;         -- its agent is paused
ALTER TABLE tasks ADD COLUMN reason TEXT;                             -- why it was returned or given up
UPDATE tasks SET status = 'given_up' WHERE abandoned;
UPDATE tasks SET status = 'awaiting_person' WHERE status = 'review' AND task_id IN (SELECT task_id FROM reviews WHERE status = 'pending');
ALTER TABLE tasks DROP COLUMN abandoned;

DROP INDEX tasks_ready;
CREATE INDEX tasks_ready ON tasks (priority, created_at, number)
    WHERE status = 'pending' AND blocked_by = 0 AND run_at IS NULL AND held = 0;
CREATE INDEX tasks_delayed ON tasks (run_at) WHERE run_at IS NOT NULL;
CREATE INDEX tasks_returned ON tasks (campaign_id, number) WHERE status = 'returned';
CREATE INDEX tasks_open_of_agent ON tasks (agent_id) WHERE status NOT IN ('complete', 'given_up');

ALTER TABLE campaigns ADD COLUMN status TEXT NOT NULL DEFAULT 'draft';
ALTER TABLE campaigns ADD COLUMN reason TEXT;                          -- why it is paused or exhausted
ALTER TABLE campaigns ADD COLUMN goal_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE campaigns ADD COLUMN resource_uris TEXT NOT NULL DEFAULT '[]';
ALTER TABLE campaigns ADD COLUMN looked_at INTEGER NOT NULL DEFAULT 0; -- by a Planner
CREATE INDEX campaigns_due ON campaigns (looked_at) WHERE status = 'running';

-- `scope` is an agent's id, or '*' for the whole fleet.
CREATE TABLE pauses (
    scope  TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    by     TEXT NOT NULL,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE reviews ADD COLUMN asked_at INTEGER NOT NULL DEFAULT 0;
UPDATE reviews SET asked_at = unixepoch(json_extract(review, '$.created_at')) * 1000000;
ALTER TABLE reviews ADD COLUMN answer TEXT;                            -- the person's, as its contract has it

ALTER TABLE posts ADD COLUMN media_uri TEXT;
ALTER TABLE posts ADD COLUMN reply_to TEXT;
ALTER TABLE posts ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE posts ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE posts ADD COLUMN begun_at INTEGER;                         -- when its sending began
ALTER TABLE posts ADD COLUMN remote_id TEXT;                           -- as the platform names it
ALTER TABLE posts ADD COLUMN url TEXT;
ALTER TABLE posts ADD COLUMN reason TEXT;                              -- why it waits, or was refused
DROP INDEX posts_waiting;
CREATE INDEX posts_waiting ON posts (not_before, number) WHERE status IN ('approved', 'sending');
CREATE INDEX posts_left ON posts (platform, marked_at) WHERE status = 'published';

-- Who is at work in which role. Rows of consumers that are gone do no harm, and are few.
CREATE TABLE consumers (
    role     TEXT NOT NULL,
    consumer TEXT NOT NULL,
    seen_at  INTEGER NOT NULL,
    PRIMARY KEY (role, consumer)
) STRICT, WITHOUT ROWID;

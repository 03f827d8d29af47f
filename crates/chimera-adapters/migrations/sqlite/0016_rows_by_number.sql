-- What belongs to a task says so by the task's number. Ids are random: an index of them is written all over the file, one page for each
-- new row, and the more rows there are the fewer of these pages are at hand. Numbers rise, so an index of them grows at its end. By id
-- are found only tasks, posts, reviews, and decisions that have no result.
--
-- And no statement that a task goes through may have to be undone halfway: SQLite would first copy every page that it touches. Hence no
-- references, which every statement with a trigger would have to be undone for (nothing here is ever deleted, and whoever writes has just
-- read what it belongs to), and OR FAIL, which leaves the undoing to the writer's own transaction.
CREATE TABLE new_tasks (
    number        INTEGER PRIMARY KEY,
    task_id       TEXT NOT NULL UNIQUE,
    campaign_id   TEXT NOT NULL,
    agent_id      TEXT NOT NULL,
    priority      INTEGER NOT NULL,           -- 0 is the most urgent
    created_at    INTEGER NOT NULL,
    task          TEXT NOT NULL,
    status        TEXT NOT NULL,
    worker_id     TEXT,
    state_version INTEGER NOT NULL,
    goal_version  INTEGER NOT NULL,           -- of the campaign, when it was planned
    attempt       INTEGER NOT NULL,
    feedback      TEXT,
    lease_no      INTEGER NOT NULL DEFAULT 0,
    lease_until   INTEGER,
    blocked_by    INTEGER NOT NULL DEFAULT 0, -- how many of its dependencies are not complete
    run_at        INTEGER,                    -- not before; NULL once that has come
    held          INTEGER NOT NULL DEFAULT 0, -- its agent is paused
    reason        TEXT                        -- why it was returned or given up
) STRICT;
INSERT INTO new_tasks (number, task_id, campaign_id, agent_id, priority, created_at, task, status, worker_id, state_version, goal_version, attempt,
    feedback, lease_no, lease_until, blocked_by, run_at, held, reason)
    SELECT number, task_id, campaign_id, agent_id, priority, created_at, task, status, worker_id, state_version, goal_version, attempt,
    feedback, lease_no, lease_until, blocked_by, run_at, held, reason FROM tasks;

CREATE TABLE new_results (
    number      INTEGER PRIMARY KEY,
    result_id   TEXT NOT NULL,
    task_number INTEGER NOT NULL,
    lease_no    INTEGER NOT NULL,
    result      TEXT NOT NULL,
    decision_id TEXT
) STRICT;
INSERT INTO new_results (number, result_id, task_number, lease_no, result, decision_id)
    SELECT results.number, result_id, tasks.number, results.lease_no, result, decision_id FROM results JOIN tasks USING (task_id);

-- A wallet call from outside is judged too, and its task is not ours: it has no number.
CREATE TABLE new_decisions (
    number      INTEGER PRIMARY KEY,
    decision_id TEXT NOT NULL,
    result_id   TEXT,
    task_id     TEXT NOT NULL,
    task_number INTEGER,
    decision    TEXT NOT NULL
) STRICT;
INSERT INTO new_decisions (number, decision_id, result_id, task_id, task_number, decision)
    SELECT number, decision_id, result_id, task_id, (SELECT tasks.number FROM tasks WHERE tasks.task_id = decisions.task_id), decision
    FROM decisions;

CREATE TABLE new_posts (
    number           INTEGER PRIMARY KEY,
    post_id          TEXT NOT NULL UNIQUE,
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
INSERT INTO new_posts SELECT number, post_id, task_id, result_id, campaign_id, agent_id, platform, text, status, marked_at, media_uri, reply_to,
    not_before, attempts, begun_at, remote_id, url, reason, readings, read_after, readings_put_off FROM posts;

DROP TABLE tasks;
DROP TABLE results;
DROP TABLE decisions;
DROP TABLE posts;
ALTER TABLE new_tasks RENAME TO tasks;
ALTER TABLE new_results RENAME TO results;
ALTER TABLE new_decisions RENAME TO decisions;
ALTER TABLE new_posts RENAME TO posts;

CREATE INDEX tasks_ready ON tasks (priority, created_at, number)
    WHERE status = 'pending' AND blocked_by = 0 AND run_at IS NULL AND held = 0;
CREATE INDEX tasks_delayed ON tasks (run_at) WHERE run_at IS NOT NULL;
-- Every claim counts what is in progress, of all and of one agent: from the index alone.
CREATE INDEX tasks_leased ON tasks (lease_until, agent_id) WHERE status = 'in_progress';
CREATE INDEX tasks_returned ON tasks (campaign_id, number) WHERE status = 'returned';
CREATE INDEX tasks_of_campaign ON tasks (campaign_id, number);
CREATE INDEX tasks_open_of_agent ON tasks (agent_id) WHERE status NOT IN ('complete', 'given_up');
-- A lease comes to one result.
CREATE UNIQUE INDEX results_of_task ON results (task_number, lease_no);
CREATE INDEX results_undecided ON results (number) WHERE decision_id IS NULL;
CREATE INDEX decisions_of_task ON decisions (task_number) WHERE task_number IS NOT NULL;
-- The one on a result is in the result's own row, and so never made twice.
CREATE UNIQUE INDEX decisions_without_result ON decisions (decision_id) WHERE result_id IS NULL;
CREATE INDEX posts_of_campaign ON posts (campaign_id, number);
CREATE INDEX posts_of_agent ON posts (agent_id, number);
CREATE INDEX posts_waiting ON posts (not_before, number) WHERE status IN ('approved', 'sending');
CREATE INDEX posts_left ON posts (platform, marked_at) WHERE status = 'published';
CREATE INDEX posts_unread ON posts (readings, marked_at) WHERE status = 'published' AND readings < 2;
CREATE INDEX posts_published ON posts (marked_at, agent_id) WHERE status = 'published';

CREATE TRIGGER events_of_new_tasks AFTER INSERT ON tasks BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id, attempt)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'task', NEW.status, NEW.task_id, NEW.task_id, NEW.campaign_id, NEW.agent_id, NEW.attempt);
END;
CREATE TRIGGER events_of_tasks AFTER UPDATE OF status ON tasks WHEN NEW.status <> OLD.status OR NEW.lease_no <> OLD.lease_no BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id, attempt)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'task', NEW.status, NEW.task_id, NEW.task_id, NEW.campaign_id, NEW.agent_id, NEW.attempt);
END;
CREATE TRIGGER events_of_decisions AFTER INSERT ON decisions BEGIN
    INSERT INTO events (at, kind, state, subject, task_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'decision', json_extract(NEW.decision, '$.decision'), ifnull(NEW.result_id, NEW.decision_id), NEW.task_id);
END;
CREATE TRIGGER events_of_new_posts AFTER INSERT ON posts BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_posts AFTER UPDATE OF status ON posts WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.campaign_id, NEW.agent_id);
END;

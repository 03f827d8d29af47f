-- Plans that people shape, and campaigns that change while they run.

-- Moves with what neither status nor state tells: budget, agents, plan.
ALTER TABLE campaigns ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER events_of_revisions AFTER UPDATE OF revision ON campaigns WHEN NEW.revision <> OLD.revision BEGIN
    INSERT INTO events (at, kind, state, subject, campaign_id)
        VALUES ((SELECT at FROM present), 'campaign', NEW.status, NEW.campaign_id, NEW.campaign_id);
END;

-- What somebody saw when they looked at what a campaign would do, what they added, and what they made of each. A task is known by the id
-- that it has once it is queued.
CREATE TABLE planned_tasks (
    number      INTEGER PRIMARY KEY,
    task_id     TEXT NOT NULL UNIQUE,
    campaign_id TEXT NOT NULL,
    task        TEXT NOT NULL,              -- as it was planned
    is_added    INTEGER NOT NULL DEFAULT 0, -- a person's own
    is_dropped  INTEGER NOT NULL DEFAULT 0,
    brief       TEXT,
    not_before  INTEGER                     -- microseconds since 1970 UTC
) STRICT;
CREATE INDEX planned_tasks_of_campaign ON planned_tasks (campaign_id, number);

-- A task that was dropped can be put back.
CREATE TRIGGER totals_of_tasks_put_back AFTER UPDATE OF status ON tasks WHEN OLD.status = 'given_up' AND NEW.status <> 'given_up' BEGIN
    UPDATE campaign_totals SET given_up = given_up - 1 WHERE campaign_id = NEW.campaign_id;
END;

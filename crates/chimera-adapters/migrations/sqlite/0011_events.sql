-- What happened, in order: one row for each step that a task, decision, review, post, payment or campaign makes, written by triggers and
-- thus in the transaction of the step itself, whoever makes it. Read from the end on, by number; nothing is looked up in it.
CREATE TABLE events (
    number      INTEGER PRIMARY KEY,
    at          INTEGER NOT NULL, -- microseconds since 1970 UTC, when it was written down
    kind        TEXT NOT NULL,    -- task, decision, review, post, payment, campaign
    state       TEXT NOT NULL,    -- the one it is in now; of a decision, its verdict
    subject     TEXT NOT NULL,    -- the id of what moved; of a decision, that of its result where it has one
    task_id     TEXT,             -- absent for a campaign
    campaign_id TEXT,             -- where the row that moved knows it
    agent_id    TEXT,
    attempt     INTEGER           -- of a task
) STRICT;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events never change'); END;
CREATE TRIGGER events_are_kept BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;

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
CREATE TRIGGER events_of_new_reviews AFTER INSERT ON reviews BEGIN
    INSERT INTO events (at, kind, state, subject, task_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'review', NEW.status, NEW.review_id, NEW.task_id);
END;
CREATE TRIGGER events_of_reviews AFTER UPDATE OF status ON reviews WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO events (at, kind, state, subject, task_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'review', NEW.status, NEW.review_id, NEW.task_id);
END;
CREATE TRIGGER events_of_new_posts AFTER INSERT ON posts BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_posts AFTER UPDATE OF status ON posts WHEN NEW.status <> OLD.status BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, campaign_id, agent_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'post', NEW.status, NEW.post_id, NEW.task_id, NEW.campaign_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_new_payments AFTER INSERT ON transfers BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, agent_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'payment', NEW.state, NEW.transaction_id, NEW.task_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_payments AFTER UPDATE OF state ON transfers WHEN NEW.state <> OLD.state BEGIN
    INSERT INTO events (at, kind, state, subject, task_id, agent_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'payment', NEW.state, NEW.transaction_id, NEW.task_id, NEW.agent_id);
END;
CREATE TRIGGER events_of_new_campaigns AFTER INSERT ON campaigns BEGIN
    INSERT INTO events (at, kind, state, subject, campaign_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'campaign', NEW.status, NEW.campaign_id, NEW.campaign_id);
END;
CREATE TRIGGER events_of_campaigns AFTER UPDATE OF status ON campaigns WHEN NEW.status <> OLD.status OR NEW.state_version <> OLD.state_version BEGIN
    INSERT INTO events (at, kind, state, subject, campaign_id)
        VALUES (CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'campaign', NEW.status, NEW.campaign_id, NEW.campaign_id);
END;

-- Every claim counts what is in progress, of all and of one agent: from the index alone.
DROP INDEX tasks_leased;
CREATE INDEX tasks_leased ON tasks (lease_until, agent_id) WHERE status = 'in_progress';
